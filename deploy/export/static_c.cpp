// The program as C: calls of kernels and copies, one after the other, in its order.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <span>

#include "base/diagnostics.h"
#include "deploy/export/generate_c.h"
#include "deploy/export/kernels.h"
#include "deploy/size/ram.h"
#include "dse_batches.h"

namespace dse::deploy {

namespace {

using program::Instruction;

std::string literal(std::int32_t v) {
  return v == std::numeric_limits<std::int32_t>::min() ? "-2147483647 - 1" : std::to_string(v);
}

/// A pool of constants, each of them once.
class Pool {
 public:
  explicit Pool(std::string stem) : stem_(std::move(stem)) {}
  std::string name_of(const std::string& value) {
    const auto [at, fresh] = index_.emplace(value, values_.size());
    if (fresh) values_.push_back(value);
    return stem_ + std::to_string(at->second);
  }
  std::string text(const char* type) const {
    std::string out;
    for (std::size_t i = 0; i < values_.size(); ++i)
      out += fmt::format("static const {} {}{} = {};\n", type, stem_, i, values_[i]);
    return out;
  }

 private:
  std::string stem_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::string> values_;
};

std::string operator_text(const dse_op& o) {
  constexpr std::size_t kWords = sizeof(dse_op) / sizeof(std::int32_t) - DSE_ARGS;
  const std::span<const std::int32_t> words(&o.kind, kWords);  // nothing but int32_t, in order
  std::string out = "{";
  for (std::size_t i = 0; i < kWords; ++i) out += literal(words[i]) + ", ";
  int args = DSE_ARGS;
  while (args > 1 && o.arg[args - 1] == 0) --args;
  out += "{";
  for (int i = 0; i < args; ++i) out += (i ? ", " : "") + literal(o.arg[i]);
  return out + "}}";
}
static_assert(sizeof(dse_op) % sizeof(std::int32_t) == 0 &&
              offsetof(dse_op, arg) + sizeof(dse_op::arg) == sizeof(dse_op));

class Writer {
 public:
  Writer(const program::Program& p, KernelSet kernels)
      : p_(p), kernels_(kernels), ram_(arena_ram(p, p.constants_size)) {}

  std::string file() {
    std::string body, npu_operators;
    if (has_streams(p_))  // the emulation finds them by their numbers
      for (const dse_op& o : p_.operators) npu_operators += "&" + operators_.name_of(operator_text(o)) + ",\n    ";
    for (const Instruction in : p_.code) body += instruction(in);
    std::string out =
        "/* Generated. The plan as C: kernels and copies, one after the other, on one processor. */\n"
        "#include \"dse.h\"\n\n#include <string.h>\n\n#include \"dse_batches.h\"\n#include \"dse_factors.h\"\n"
        "#include \"dse_internal.h\"\n#include \"dse_transfer.h\"\n\n";
    out += include_of(kernels_);
    if (has_streams(p_)) out += "#include \"dse_npu_stream.h\"\n\nextern uint8_t dse_npu_memory[];\n";
    out += "extern const uint8_t dse_weights[];\n" + addresses();
    out += "\n" + views_.text("dse_view") + "\n" + operators_.text("dse_op") + "\n" + streams_;
    if (has_streams(p_)) out += emulation(npu_operators);
    if (body.find(" range(") != std::string::npos)
      out +=
          "/* [lo + step * i, hi + step * i) within [0, limit]. */\n"
          "static dse_span range(int32_t lo, int32_t hi, int32_t limit, int32_t step, int32_t i) {\n"
          "  dse_span s;\n  lo += step * i;\n  hi += step * i;\n  s.lo = lo < 0 ? 0 : lo > limit ? limit : lo;\n"
          "  s.hi = hi < 0 ? 0 : hi > limit ? limit : hi;\n  if (s.hi < s.lo) s.hi = s.lo;\n  return s;\n}\n\n";
    if (body.find(" span(") != std::string::npos)
      out +=
          "static dse_span span(int32_t lo, int32_t hi) {\n  dse_span s;\n  s.lo = lo;\n  s.hi = hi;\n  return "
          "s;\n}\n\n";
    out += init() + "int dse_run(void) {\n" + locals(body) + body + "  return DSE_OK;\n}\n\n" + ports();
    return out;
  }

 private:
  std::string base(int arena, std::int64_t offset) const { return fmt::format("ARENA_{} + {}", arena, offset); }

  /// Where arenas are: objects, addresses, or the weights themselves.
  std::string addresses() const {
    std::string out;
    for (std::size_t i = 0; i < p_.arenas.size(); ++i) {
      if (ram_[i].object > 0)
        out += fmt::format(
            "#ifdef DSE_MEMORY_{1}_ADDRESS\n#define ARENA_{0} ((uint8_t*)(DSE_MEMORY_{1}_ADDRESS))\n#else\n"
            "extern uint8_t dse_arena_{0}[];\n#define ARENA_{0} dse_arena_{0}\n#endif\n",
            i, macro_of(p_, i));
      else if (ram_[i].in_place)
        out += fmt::format("#define ARENA_{} ((uint8_t*)dse_weights) /* only read from */\n", i);
    }
    return out;
  }

  std::string init() const {
    std::string out = "int dse_init(void) {\n";
    for (std::size_t i = 0; i < p_.arenas.size(); ++i)
      if (ram_[i].image > 0) out += fmt::format("  memcpy(ARENA_{}, dse_weights, {});\n", i, ram_[i].image);
    for (const auto& l : p_.preloads)
      if (l.size > 0)
        out += fmt::format("  memcpy({}, dse_weights + {}, {});\n", base(l.arena, l.offset), l.image_offset, l.size);
    return out + "  return DSE_OK;\n}\n\n";
  }

  std::string ports() const {
    const auto function = [&](const char* head, const std::vector<program::Port>& list) {
      std::string out = std::string(head) + " {\n  switch (i) {\n";
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].size > 0)
          out += fmt::format("    case {}:\n      return {};\n", i, base(list[i].arena, list[i].offset));
      return out + "    default:\n      return 0;\n  }\n}\n";
    };
    return function("uint8_t* dse_input(int32_t i)", p_.inputs) + "\n" +
           function("const uint8_t* dse_output(int32_t i)", p_.outputs);
  }

  std::string locals(const std::string& body) const {
    std::string out;
    for (int d = 0; d < deepest_; ++d) out += fmt::format("{}i{}", d ? ", " : "  int32_t ", d);
    if (deepest_ > 0) out += ";\n";
    if (body.find("c.op = ") != std::string::npos) out += "  dse_call c;\n";
    if (body.find("  y = ") != std::string::npos) out += "  dse_span y, x, ch;\n";
    return out;
  }

  std::string indent() const { return std::string(static_cast<std::size_t>(2 + 2 * depth_), ' '); }

  std::string instruction(Instruction in) {
    switch (in.op) {
      case Instruction::Op::loop: {
        std::string out = fmt::format("{0}for (i{1} = 0; i{1} < {2}; ++i{1}) {{\n", indent(), depth_, in.arg);
        deepest_ = std::max(deepest_, ++depth_);
        return out;
      }
      case Instruction::Op::end:
        --depth_;
        return indent() + "}\n";
      case Instruction::Op::section:
        return "";
      case Instruction::Op::task:
        return task(p_.templates[static_cast<std::size_t>(in.arg)]);
    }
    return "";
  }

  std::string view(const program::View& v) {
    const dse_view& s = v.shape;
    return views_.name_of(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", base(v.arena, v.offset),
                                      s.stride_h, s.stride_w, s.stride_c, s.first_h, s.first_c, s.ring_h, s.ring_c,
                                      s.block_c, s.stride_block, s.elem));
  }

  static std::string range(const program::Range& r) {
    if (r.loop < 0) {
      const dse_span s = r.at({});
      return fmt::format("span({}, {})", s.lo, s.hi);
    }
    return fmt::format("range({}, {}, {}, {}, i{})", r.lo, r.hi, r.limit, r.step, static_cast<int>(r.loop));
  }
  /// Whether it holds nothing, whatever the loops.
  static bool never(const program::Range& r) { return r.loop < 0 && r.at({}).lo >= r.at({}).hi; }

  std::string task(const program::TaskTemplate& t) {
    if (const auto* copy = dynamic_cast<const program::CopyPayload*>(t.payload.get())) return copy_text(*copy);
    if (const auto* call = dynamic_cast<const program::CallPayload*>(t.payload.get())) return call_text(*call);
    if (const auto* stream = program::stream_of(t)) return stream_text(*stream);
    ensure(t.kind->is_wait(), "the static style has no task of this kind");
    return "";  // everything before is done
  }

  std::string copy_text(const program::CopyPayload& c) {
    if (never(c.y) || never(c.x) || never(c.c)) return "";
    return fmt::format("{}dse_transfer(&{}, {}, {}, {}, {}, {});\n", indent(), view(c.to),
                       c.fill ? "0" : "&" + view(c.from), range(c.y), range(c.x), range(c.c), int{c.value});
  }

  std::string stream_text(const program::StreamPayload& s) {
    const int n = stream_count_++;
    streams_ +=
        fmt::format("static const uint8_t stream{0}[] = {{{1}}};\nstatic const uint8_t meaning{0}[] = {{{2}}};\n", n,
                    numbers(s.commands), numbers(s.meaning));
    return fmt::format(
        "{0}if (npu_run(stream{1}, sizeof stream{1}, meaning{1}, sizeof meaning{1}) != DSE_NPU_OK) return "
        "DSE_ERR_PORT;\n",
        indent(), n);
  }

  /// The function that has a stream emulated.
  std::string emulation(const std::string& operators) const {
    std::string bases, sizes;
    for (std::size_t i = 0; i < p_.arenas.size(); ++i) {
      const bool there = ram_[i].object > 0 || ram_[i].in_place;
      bases += (i ? ", " : "") + (there ? fmt::format("ARENA_{}", i) : std::string("0"));
      sizes += fmt::format("{}{}", i ? ", " : "", there ? p_.arenas[i].size : 0);
    }
    return fmt::format(
        "static int npu_operator(void* context, uint32_t index, dse_op* op) {{\n"
        "  static const dse_op* const all[] = {{\n    {0}0}};\n  (void)context;\n  if (index >= {1}) return 0;\n"
        "  *op = *all[index];\n  return 1;\n}}\n\n"
        "/* A command stream of the NPU, emulated. */\n"
        "static int npu_run(const uint8_t* stream, uint32_t bytes, const uint8_t* meaning, uint32_t meaning_bytes) {{\n"
        "  static uint8_t* const arenas[] = {{{2}}};\n  static const uint32_t sizes[] = {{{3}}};\n"
        "  dse_npu_machine m;\n  m.meaning = meaning;\n  m.meaning_bytes = meaning_bytes;\n  m.arena = arenas;\n"
        "  m.arena_bytes = sizes;\n  m.arenas = {4};\n  m.memory = dse_npu_memory;\n"
        "  m.memory_bytes = DSE_NPU_MEMORY_BYTES;\n  m.operator_at = npu_operator;\n  m.context = 0;\n"
        "  return dse_npu_execute(&m, stream, bytes);\n}}\n\n",
        operators, p_.operators.size(), bases, sizes, p_.arenas.size());
  }

  /// What computes the operator; the same choice as dse_run_call()'s.
  std::string kernel(const dse_op& o, const std::string& op, bool accumulates) const {
    std::string plain = kernel_of(o, kernels_);
    if (dse_batches_of(&o) <= 0) return plain;
    if (!accumulates || o.kind == DSE_DEPTHWISE_CONV_2D) return "dse_in_batches";
    return fmt::format("(dse_batch_outputs(&{}, &c.tile) > 0 ? dse_in_batches : {})", op, plain);
  }

  std::string call_text(const program::CallPayload& c) {
    const bool splits = c.k.limit > 0;
    if (never(c.y) || never(c.x) || never(c.c) || (splits && never(c.k))) return "";
    const dse_op& o = p_.operators[static_cast<std::size_t>(c.op)];
    const std::string op = operators_.name_of(operator_text(o)), in = indent();
    std::string out = in + "memset(&c, 0, sizeof c);\n" + in + fmt::format("c.op = &{};\n", op);
    for (int role = 0; role < DSE_ROLES; ++role)
      if (c.views[static_cast<std::size_t>(role)].present())
        out += in + fmt::format("c.view[{}] = {};\n", role, view(c.views[static_cast<std::size_t>(role)]));
    const program::Range k = splits ? c.k : program::Range::whole(o.in_c);
    out += fmt::format("{0}c.tile.y = {1};\n{0}c.tile.x = {2};\n{0}c.tile.c = {3};\n{0}c.tile.k = {4};\n", in,
                       range(c.y), range(c.x), range(c.c), range(k));
    const std::int32_t depth = splits ? c.k.limit : o.in_c;
    if (!c.accumulate)
      out += in + "c.tile.flags = DSE_FIRST | DSE_LAST;\n";
    else
      out += fmt::format(
          "{0}c.tile.flags = (c.tile.k.lo == 0 ? DSE_FIRST : 0u) | (c.tile.k.hi == {1} ? DSE_LAST : 0u);\n", in, depth);
    std::string when;
    const auto only_if = [&](const program::Range& r, const char* field) {
      if (r.loop >= 0) when += fmt::format("{0}c.tile.{1}.lo < c.tile.{1}.hi", when.empty() ? "" : " && ", field);
    };
    only_if(c.y, "y"), only_if(c.x, "x"), only_if(c.c, "c");
    if (splits) only_if(c.k, "k");
    out += in + (when.empty() ? "" : "if (" + when + ") ") + kernel(o, op, c.accumulate) + "(&c);\n";
    return out;
  }

  const program::Program& p_;
  KernelSet kernels_;
  std::vector<ArenaRam> ram_;
  Pool views_{"view"}, operators_{"op"};
  std::string streams_;  // their bytes
  int stream_count_ = 0;
  int depth_ = 0, deepest_ = 0;
};

}  // namespace

std::string program_c(const program::Program& p, KernelSet kernels) { return Writer(p, kernels).file(); }

}  // namespace dse::deploy
