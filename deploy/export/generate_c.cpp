// Constant data and buffers of a package, and the header that names them.
#include "deploy/export/generate_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "deploy/size/ram.h"
#include "dse_batches.h"

namespace dse::deploy {

namespace {

/// A C string literal of printable ASCII; names come from users' files.
std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c < ' ' || c > '~')
      out += '?';
    else if (c == '"' || c == '\\' || c == '?')  // no trigraphs either
      (out += '\\') += c;
    else
      out += c;
  }
  return out + "\"";
}

/// For a comment: nothing that could end it.
std::string remark(const std::string& s) {
  std::string out;
  for (const char c : s) out += c < ' ' || c > '~' || c == '*' || c == '/' || c == '\\' || c == '?' ? '_' : c;
  return out;
}

constexpr const char* kGenerated = "/* Generated. */\n#include \"dse.h\"\n\n";

std::string bytes_object(const char* declaration, std::span<const std::uint8_t> bytes) {
  return fmt::format("{}[{}] = {{{}}};\n", declaration, std::max<std::size_t>(bytes.size(), 1), numbers(bytes));
}

std::string vectors(const char* which, const ByteVectors& all) {
  std::string out, list, sizes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += bytes_object(fmt::format("static const uint8_t {}{}", which, i).c_str(), all[i]);
    list += fmt::format("{}{}{}", i ? ", " : "", which, i);
    sizes += fmt::format("{}{}", i ? ", " : "", all[i].size());
  }
  const auto n = std::max<std::size_t>(all.size(), 1);
  return out + fmt::format(
                   "const uint8_t* const dse_test_{0}s[{1}] = {{{2}}};\n"
                   "const uint32_t dse_test_{0}_bytes[{1}] = {{{3}}};\n",
                   which, n, all.empty() ? "0" : list, all.empty() ? "0" : sizes);
}

/// What an input or output is: shape, type, scale, zero point.
std::string port_macros(const nn::Network& n, const std::vector<int>& tensors, const std::vector<program::Port>& ports,
                        const char* which, bool nameless) {
  std::string out;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& p = ports[i];
    const std::string name = fmt::format("#define DSE_{}_{}_", which, i);
    out += fmt::format("{0}ARENA {1} /* {2}{3} */\n{0}OFFSET {4}\n{0}BYTES {5}\n", name, p.arena,
                       nameless ? "" : remark(p.name),
                       p.streamed    ? ": streamed, its bytes are read once, in order, while the plan runs"
                       : p.preserved ? ": kept, as given after the run too"
                                     : "",
                       p.offset, p.size);
    if (i >= tensors.size()) continue;
    const auto& t = n.tensors[static_cast<std::size_t>(tensors[i])];
    out += fmt::format("{0}SHAPE {{{1}}}\n{0}TYPE {2}\n", name, fmt::join(t.shape, ", "), quoted(nn::name_of(t.type)));
    if (t.quantization.scale.size() == 1) out += fmt::format("{}SCALE {:.9g}\n", name, t.quantization.scale[0]);
    if (t.quantization.zero_point.size() == 1)
      out += fmt::format("{}ZERO_POINT {}\n", name, t.quantization.zero_point[0]);
  }
  return out;
}

/// The arenas of each point, and the one that is compiled for.
std::string arena_macros(const GeneratedInput& in, Style style) {
  std::string out =
      in.points.size() == 1
          ? ""
          : fmt::format(
                "/* The point of the front whose arenas dse_arenas.c has, 0 = the fastest, {} = the smallest. "
                "dse_init() "
                "takes\n * the fastest that fits them. */\n#ifndef DSE_POINT\n#define DSE_POINT 0\n#endif\n",
                in.points.size() - 1);
  for (std::size_t k = 0; k < in.points.size(); ++k) {
    const auto& p = *in.points[k];
    if (in.points.size() > 1) out += fmt::format("#{} DSE_POINT == {}\n", k == 0 ? "if" : "elif", k);
    const auto ram = ram_of(p, p.constants_size);
    out += fmt::format("#define DSE_PROMISED_CYCLES {}\n", in.ticks[k]);
    for (std::size_t i = 0; i < p.arenas.size(); ++i)
      out +=
          fmt::format("#define DSE_ARENA_{0}_BYTES {1} /* {2}{3} */\n#define DSE_ARENA_{0}_ALIGNMENT {4}\n", i,
                      p.arenas[i].size, remark(p.arenas[i].name),
                      ram.arenas[i].in_place ? ": the weights, read in place" : "", std::max(p.arenas[i].alignment, 8));
    if (in.kernels == KernelSet::cmsis_nn) out += cmsis_calls_macro(p);
    out += fmt::format("/* All arenas that are objects. */\n#define DSE_ARENAS_BYTES {}\n", ram.all_arenas);
    out += target_ram_macros(in, style, p);
  }
  if (in.points.size() > 1) out += "#endif\n";
  return out;
}

std::string header(const GeneratedInput& in, Style style) {
  const bool is_static = style == Style::statically;
  const auto& p = *in.points.front();
  const std::int64_t npu = emulation_of(in);
  std::string out =
      "/* Generated. What this package holds, what it needs, and what it promises. */\n"
      "#ifndef DSE_H\n#define DSE_H\n";
  out += is_static ? "#include \"dse_state.h\"\n" : "#include \"dse_port_eager.h\"\n#include \"dse_runtime.h\"\n";
  if (npu > 0 && !is_static) out += "#include \"dse_npu_emulation.h\"\n";
  if (in.kernels == KernelSet::cmsis_nn) out += "#include \"dse_cmsis_nn.h\"\n";
  out += in.unsealed > 0 ? "#include \"dse_seal.h\"\n\n" : "\n";
  out += fmt::format("#define DSE_IS_STATIC {}\n", is_static ? 1 : 0);
  out += fmt::format(
      "#define DSE_NETWORK {}\n#define DSE_NETWORK_STRUCTURE \"{}\"\n#define DSE_DEVICE {}\n"
      "#define DSE_DEVICE_HASH \"{}\"\n#define DSE_PLAN {}\n",
      quoted(in.network.name), in.nameless ? "" : in.network.structure_hash(), quoted(in.device.name),
      in.nameless ? "" : in.device.hash(), quoted(in.plan_ids));
  out += fmt::format(
      "/* What the promised cycles are of: simulated, of the device's clock, with this library's kernels. "
      "*/\n#define DSE_KERNEL_LIBRARY {}\n",
      quoted(in.device.kernel_library));
  out += fmt::format("#define DSE_ARENAS {}\n#define DSE_INPUTS {}\n#define DSE_OUTPUTS {}\n", p.arenas.size(),
                     p.inputs.size(), p.outputs.size());
  out += arena_macros(in, style);
  if (npu > 0)
    out += fmt::format(
        "/* Working memory of the emulation of the NPU, which a real one has inside. */\n"
        "#define DSE_NPU_MEMORY_BYTES {}\n",
        npu);
  if (in.kernels == KernelSet::cmsis_nn) out += cmsis_macros(in.network);
  if (!is_static)
    out += fmt::format("#define DSE_RAM_BYTES (DSE_ARENAS_BYTES + sizeof(dse_runtime) + sizeof(dse_port_eager){}{})\n",
                       npu > 0 ? " + DSE_NPU_MEMORY_BYTES" : "",
                       in.kernels == KernelSet::cmsis_nn ? " + DSE_CMSIS_MEMORY_BYTES + sizeof(uint32_t)" : "");
  if (in.points.size() == 1) {
    out += port_macros(in.network, in.network.inputs, p.inputs, "INPUT", in.nameless);
    out += port_macros(in.network, in.network.outputs, p.outputs, "OUTPUT", in.nameless);
  }
  out +=
      "\n#ifndef DSE_ALIGNED\n#if defined(__GNUC__)\n#define DSE_ALIGNED(n) __attribute__((aligned(n)))\n#else\n"
      "#define DSE_ALIGNED(n)\n#endif\n#endif\n\n";
  out +=
      "/* Null, 0 bytes: an arena that holds nothing, or nothing but the weights. A memory level is given a place by\n"
      " * DSE_MEMORY_<name>, for instance __attribute__((section(\".dtcm\"))), or, where it is there already, by\n"
      " * DSE_MEMORY_<name>_ADDRESS; weights by DSE_WEIGHTS_ATTRIBUTE. DSE_MEMORY_<name>_SIZE: bytes that there are, "
      "checked. */\n"
      "extern const dse_arena dse_arenas[];\n";
  if (!is_static) {
    out += fmt::format("{}extern const uint8_t dse_data[];\n#define DSE_DATA_BYTES {}\n",
                       in.unsealed > 0 ? fmt::format("/* Encrypted: dse_unseal() (dse_seal.h) makes of it a package of "
                                                     "so many bytes, which dse_init() opens. */\n"
                                                     "#define DSE_UNSEALED_BYTES {}\n",
                                                     in.unsealed)
                                       : "/* plan.dse as far as a target needs it. */\n",
                       in.package.size());
  }
  if (!is_static)
    out += npu > 0 ? "/* Has the NPU emulated: after dse_init(). */\n"
                     "extern const dse_npu_emulation dse_npu;\n#define DSE_ATTACH(rt) dse_npu_attach((rt), &dse_npu)\n"
                   : "#define DSE_ATTACH(rt) (void)(rt)\n";
  if (!is_static)
    out +=
        "/* Names of the layers that the operators of the fastest plan work for: for dse_cycles_csv(). */\n"
        "extern const char* const dse_layers[];\n";
  out +=
      "extern const uint8_t* const dse_test_inputs[];\nextern const uint8_t* const dse_test_outputs[];\n"
      "extern const uint32_t dse_test_input_bytes[];\nextern const uint32_t dse_test_output_bytes[];\n\n";
  if (is_static)
    out +=
        "/* Copies resident weights and first states: once, before the first run. */\nint dse_init(void);\n"
        "/* One inference. */\nint dse_run(void);\n"
        "/* Where an input is to be written before, and an output read after, a run. Null if there is none. */\n"
        "uint8_t* dse_input(int32_t i);\nconst uint8_t* dse_output(int32_t i);\n\n"
        "/* Runs the test vector. DSE_OK, a dse_error, or 1 when an output differs. */\nint dse_selftest(void);\n";
  else
    out +=
        "/* Opens and binds the package, runs the test vector, compares. DSE_OK, a dse_error, or 1 when an output "
        "differs. */\nint dse_selftest(dse_runtime* rt, const dse_port* port);\n";
  return out + "#endif\n";
}

std::string arenas(const GeneratedInput& in, Style style) {
  const auto& p = *in.points.front();
  std::string out = kGenerated, list;
  // An arena is an object if it is one at any point: the largest decides at compile time.
  for (std::size_t i = 0; i < p.arenas.size(); ++i) {
    bool object = false;
    for (const auto* point : in.points) object = object || arena_ram(*point, point->constants_size)[i].object > 0;
    if (!object) {
      list += i ? ", {0, 0}" : "{0, 0}";
      continue;
    }
    const std::string m = macro_of(p, i);
    const char* linkage = style == Style::statically ? "" : "static ";
    out += fmt::format(
        "#ifdef DSE_MEMORY_{0}_ADDRESS\n#define ARENA_{1} ((uint8_t*)(DSE_MEMORY_{0}_ADDRESS))\n#else\n"
        "#ifndef DSE_MEMORY_{0}\n#define DSE_MEMORY_{0}\n#endif\n"
        "{3}DSE_MEMORY_{0} DSE_ALIGNED(DSE_ARENA_{1}_ALIGNMENT) uint8_t dse_arena_{1}[DSE_ARENA_{1}_BYTES]; /* {2} "
        "*/\n"
        "#define ARENA_{1} dse_arena_{1}\n#endif\n"
        "#ifdef DSE_MEMORY_{0}_SIZE\n"
        "typedef char dse_arena_{1}_fits[(DSE_MEMORY_{0}_SIZE) >= DSE_ARENA_{1}_BYTES ? 1 : -1];\n#endif\n",
        m, i, remark(p.arenas[i].name), linkage);
    list += fmt::format("{}{{ARENA_{}, DSE_ARENA_{}_BYTES}}", i ? ", " : "", i, i);
  }
  out += kTargetRamCheck;
  return out + fmt::format("const dse_arena dse_arenas[{}] = {{{}}};\n", std::max<std::size_t>(p.arenas.size(), 1),
                           list.empty() ? "{0, 0}" : list);
}

/// Which layer of the network each operator of the fastest plan works for.
std::string layers_c(const GeneratedInput& in) {
  const auto& p = *in.points.front();
  std::vector<std::string> names(p.operators.size(), "\"\"");
  int section = -1;
  for (const auto& i : p.code) {
    if (i.op == program::Instruction::Op::section) section = i.arg;
    if (i.op != program::Instruction::Op::task) continue;
    const auto& task = p.templates[static_cast<std::size_t>(i.arg)];
    const auto* call = dynamic_cast<const program::CallPayload*>(task.payload.get());
    if (!call || section < 0) continue;
    const int layer = task.layer >= 0 ? task.layer : p.sections[static_cast<std::size_t>(section)].operator_index;
    names[static_cast<std::size_t>(call->op)] = quoted(in.network.operators[static_cast<std::size_t>(layer)].name);
  }
  if (names.empty()) names.emplace_back("\"\"");
  return fmt::format("{}const char* const dse_layers[{}] = {{{}}};\n", kGenerated, names.size(),
                     fmt::join(names, ",\n  "));
}

constexpr const char* kWeightsAttribute =
    "#ifndef DSE_WEIGHTS_ATTRIBUTE\n#define DSE_WEIGHTS_ATTRIBUTE\n#endif\nDSE_WEIGHTS_ATTRIBUTE ";

}  // namespace

std::string numbers(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return "0";
  std::string out;
  out.reserve(bytes.size() * 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 32 == 0) out += "\n  ";
    const unsigned v = bytes[i];
    if (v >= 100) out += static_cast<char>('0' + v / 100);
    if (v >= 10) out += static_cast<char>('0' + v / 10 % 10);
    out += static_cast<char>('0' + v % 10);
    if (i + 1 < bytes.size()) out += ',';
  }
  return out;
}

std::string macro_of(const program::Program& p, std::size_t arena) {
  const auto capitals = [](const std::string& name) {
    std::string out;
    for (const char c : name)
      out += std::isalnum(static_cast<unsigned char>(c))
                 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                 : '_';
    return out;
  };
  std::string name = capitals(p.arenas[arena].name);
  for (std::size_t i = 0; i < p.arenas.size(); ++i)
    if (i != arena && capitals(p.arenas[i].name) == name) return fmt::format("{}_{}", name, arena);
  return name;
}

TextFiles generate_c(const GeneratedInput& in, Style style) {
  TextFiles out{{"dse.h", header(in, style)},
                {"dse_arenas.c", arenas(in, style)},
                {"dse_test_vector.c", kGenerated + vectors("input", in.inputs) + vectors("output", in.outputs)}};
  if (style == Style::statically) {
    out.emplace_back("dse_program.c", program_c(*in.points.front(), in.kernels));
    out.emplace_back("dse_weights.c", std::string(kGenerated) + "extern const uint8_t dse_weights[];\n" +
                                          kWeightsAttribute +
                                          bytes_object("DSE_ALIGNED(16) const uint8_t dse_weights", in.constants));
  } else {
    out.emplace_back("dse_data.c", std::string(kGenerated) + kWeightsAttribute +
                                       bytes_object("DSE_ALIGNED(16) const uint8_t dse_data", in.package));
  }
  if (style == Style::interpreted) out.emplace_back("dse_layers.c", layers_c(in));
  const bool npu = emulation_of(in) > 0;
  if (npu) out.emplace_back("dse_npu_memory.c", npu_memory_c(style));
  if (in.kernels == KernelSet::own) out.emplace_back("dse_own.h", own_kernels_h());
  if (in.kernels == KernelSet::cmsis_nn) out.emplace_back("dse_cmsis_memory.c", cmsis_memory_c());
  // Batches call the kernels of their sums by the table, the emulation of an NPU all of its own.
  const bool batches = std::any_of(in.points.begin(), in.points.end(), [](const auto* p) {
    return std::any_of(p->operators.begin(), p->operators.end(),
                       [](const dse_op& o) { return dse_batches_of(&o) > 0; });
  });
  if (style == Style::interpreted || batches || npu)
    out.emplace_back("dse_kernel_table.c", kernel_table_c(in.points, in.kernels));
  return out;
}

}  // namespace dse::deploy
