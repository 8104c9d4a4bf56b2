// The whole program as bytes. See docs/run/package.md.
#include "program/encoding.h"

#include <bit>
#include <limits>

#include "base/crc32.h"
#include "base/diagnostics.h"
#include "base/little_endian.h"

namespace dse::program {

namespace {

std::uint64_t size31(std::int64_t v, const char* what) {
  ensure(v >= 0 && v <= std::numeric_limits<std::int32_t>::max(), std::string("encode: ") + what + " beyond 31 bits");
  return static_cast<std::uint64_t>(v);
}

/// Length, kind, mask of the fields that are not as predicted, those fields.
void put_operator(Encoder& out, const dse_op& o) {
  struct Field {
    std::int32_t value, predicted;
  };
  const Field fields[] = {{o.rounding, DSE_ROUND_TFLITE},
                          {o.in_h, 0},
                          {o.in_w, o.in_h},
                          {o.in_c, 0},
                          {o.out_h, o.in_h},
                          {o.out_w, o.out_h},
                          {o.out_c, o.in_c},
                          {o.kernel_h, 1},
                          {o.kernel_w, o.kernel_h},
                          {o.stride_h, 1},
                          {o.stride_w, o.stride_h},
                          {o.dilation_h, 1},
                          {o.dilation_w, o.dilation_h},
                          {o.pad_top, 0},
                          {o.pad_left, o.pad_top},
                          {o.multiplier, 1},
                          {o.in_zero, -128},
                          {o.in2_zero, 0},
                          {o.out_zero, -128},
                          {o.act_min, -128},
                          {o.act_max, 127},
                          {o.left_shift, 0},
                          {o.m1, 0},
                          {o.s1, 0},
                          {o.m2, 0},
                          {o.s2, 0},
                          {o.m3, 0},
                          {o.s3, 0}};
  // What 8-bit networks of one group never use follows in a second mask, announced by bit 28 of the first.
  const Field further[] = {{o.in_type, DSE_I8},     {o.in2_type, o.in_type}, {o.out_type, o.in_type},
                           {o.weight_type, DSE_I8}, {o.acc_bytes, 0},        {o.groups, 0},
                           {o.weights_zero, 0},     {o.correction, 0}};
  const auto bits = [](const auto& list) {
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < std::size(list); ++i)
      if (list[i].value != list[i].predicted) mask |= 1u << i;
    return mask;
  };
  int args = DSE_ARGS;
  while (args > 0 && o.arg[args - 1] == 0) --args;
  const std::uint32_t second = bits(further) | (args > 0 ? 1u << std::size(further) : 0u);
  Encoder body;
  body.u8(static_cast<std::uint8_t>(o.kind));
  body.varint(bits(fields) | (second ? 1u << std::size(fields) : 0u));
  for (const Field& f : fields)
    if (f.value != f.predicted) body.svarint(f.value);
  if (second) {
    body.varint(second);
    for (const Field& f : further)
      if (f.value != f.predicted) body.svarint(f.value);
    if (args > 0) body.varint(static_cast<std::uint64_t>(args));
    for (int i = 0; i < args; ++i) body.svarint(o.arg[i]);
  }
  out.varint(body.bytes().size());
  out.bytes().insert(out.bytes().end(), body.bytes().begin(), body.bytes().end());
}

/// What the runtime's task header can name directly; other kinds carry their code and length, so that a reader can skip
/// them.
int short_kind(const TaskKind& kind) {
  switch (kind.code()) {
    case 4:
      return 0;
    case 1:
      return 1;
    case 2:
      return 2;
    default:
      return 3;
  }
}

void put_task(Encoder& out, const TaskTemplate& t) {
  const int kind = short_kind(*t.kind);
  const int queue = t.queue == kControl ? 0 : t.queue;
  const bool slot = t.slot != kNoSlot, after = !t.dependencies.empty();
  out.u8(static_cast<std::uint8_t>(DSE_CODE_TASK | kind << 5 | std::min(queue, 7) << 2 | (slot ? 2 : 0) |
                                   (after ? 1 : 0)));
  if (queue >= 7) out.u8(static_cast<std::uint8_t>(queue));
  if (slot || after) {
    const std::size_t n = t.dependencies.size();
    ensure(n < 256, "encode: more than 255 dependencies");
    out.u8(static_cast<std::uint8_t>((slot ? t.slot << 4 : 0) | static_cast<int>(std::min<std::size_t>(n, 15))));
    if (n >= 15) out.u8(static_cast<std::uint8_t>(n));
    for (const Dependency d : t.dependencies) out.u8(static_cast<std::uint8_t>(d.slot << 2 | d.age));
  }
  if (kind != 3) return t.kind->encode(t, out);
  Encoder other;  // with tables of its own: its payload can be skipped unread
  t.kind->encode(t, other);
  out.u8(t.kind->code());
  out.varint(other.bytes().size());
  out.bytes().insert(out.bytes().end(), other.bytes().begin(), other.bytes().end());
}

/// Index after the `end` that belongs to the loop at `i`.
std::size_t after_loop(const std::vector<Instruction>& code, std::size_t i) {
  int depth = 0;
  do {
    if (code[i].op == Instruction::Op::loop) ++depth;
    if (code[i].op == Instruction::Op::end) --depth;
    ++i;
  } while (depth > 0 && i < code.size());
  return i;
}

/// @returns how many instructions a run decodes, the final `stop` left out.
std::int64_t put_code(Encoder& out, const Program& p) {
  int depth = 0, sections = 0;
  std::int64_t turns[kMaxLoops + 1] = {1}, steps = 0;  // how often what stands at this depth is decoded
  const auto count = [&] {
    steps += turns[depth];
    ensure(steps <= std::numeric_limits<std::int32_t>::max(), "encode: a run of more than 2^31 instructions");
  };
  for (std::size_t i = 0; i < p.code.size(); ++i) {
    const Instruction in = p.code[i];
    switch (in.op) {
      case Instruction::Op::loop:
        if (in.arg == 0) {  // never entered: left out
          i = after_loop(p.code, i) - 1;
          break;
        }
        if (depth == 0 && out.remembered() > Encoder::kTable / 2) {
          out.forget();
          out.u8(DSE_CODE_FORGET);
          count();
        }
        count();
        ensure(++depth <= kMaxLoops, "encode: loops nested too deep");
        turns[depth] = std::min(turns[depth - 1] * in.arg, std::int64_t{1} << 31);
        out.u8(DSE_CODE_LOOP);
        out.varint(size31(in.arg, "loop count"));
        break;
      case Instruction::Op::end:
        count();
        ensure(--depth >= 0, "encode: end without loop");
        out.u8(DSE_CODE_END);
        break;
      case Instruction::Op::section:
        ensure(depth == 0 && in.arg == sections++, "encode: sections must be in order and outside loops");
        out.forget();
        out.u8(DSE_CODE_SECTION);
        count();
        break;
      case Instruction::Op::task:
        // Room for the views and ranges to come; inside a loop the tables must stay as they are.
        if (depth == 0 && out.remembered() > Encoder::kTable - 6) {
          out.forget();
          out.u8(DSE_CODE_FORGET);
          count();
        }
        count();
        put_task(out, p.templates[static_cast<std::size_t>(in.arg)]);
        break;
    }
  }
  ensure(depth == 0, "encode: loop without end");
  out.u8(DSE_CODE_STOP);
  return steps;
}

void put_ports(Encoder& out, const std::vector<Port>& ports) {
  out.varint(ports.size());
  for (const Port& p : ports) {
    out.u8(static_cast<std::uint8_t>(p.arena));
    out.varint(size31(p.offset, "port"));
    out.varint(size31(p.size, "port"));
  }
}

}  // namespace

std::vector<std::uint8_t> encode(const Program& p) {
  ensure(p.arenas.size() <= 8, "encode: more than 8 arenas");
  ensure(p.queues.size() <= 20, "encode: more than 20 queues");
  Encoder out;
  out.bytes() = {'D', 'S', 'E', 'P', kPlanFormat, 0, 0, 0};
  put_u32(out.bytes(), 0);  // total length: filled in below
  out.u8(static_cast<std::uint8_t>(p.arenas.size()));
  for (const Arena& a : p.arenas) {
    ensure(a.alignment > 0, "encode: alignment of an arena");
    out.varint(size31(a.size, "arena"));
    out.u8(static_cast<std::uint8_t>(std::bit_width(static_cast<unsigned>(a.alignment)) - 1));
  }
  out.u8(static_cast<std::uint8_t>(p.constants_arena + 1));
  out.varint(size31(p.constants_size, "constants"));
  out.u8(static_cast<std::uint8_t>(p.queues.size()));
  for (const Queue& q : p.queues) {
    out.u8(static_cast<std::uint8_t>(q.engine));
    out.u8(static_cast<std::uint8_t>(q.channel));
  }
  out.varint(p.preloads.size());
  for (const Preload& l : p.preloads) {
    out.u8(static_cast<std::uint8_t>(l.arena));
    out.varint(size31(l.offset, "preload"));
    out.varint(size31(l.size, "preload"));
    out.varint(size31(l.image_offset, "preload"));
  }
  put_ports(out, p.inputs);
  put_ports(out, p.outputs);
  out.varint(p.operators.size());
  for (const dse_op& o : p.operators) put_operator(out, o);
  out.varint(p.sections.size());
  Encoder code;
  const std::int64_t steps = put_code(code, p);
  out.varint(size31(count_tasks(p), "number of tasks"));
  out.varint(size31(steps, "number of instructions"));
  out.bytes().insert(out.bytes().end(), code.bytes().begin(), code.bytes().end());
  std::vector<std::uint8_t> bytes = std::move(out.bytes());
  const std::uint32_t total = static_cast<std::uint32_t>(bytes.size() + 4);
  set_u32(bytes, 8, total);
  put_u32(bytes, crc32c(bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace dse::program
