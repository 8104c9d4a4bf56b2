// The generated part of a package: constant data and buffers, no code.
#include <fmt/format.h>

#include "deploy/package.h"
#include "deploy/ram.h"
#include "program/encoding.h"

namespace dse::deploy {

namespace {

/// "1,2,3" in lines of 32; at least one element, as C99 knows no empty array.
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

std::string vectors(const char* which, const ByteVectors& all) {
  std::string out, list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += fmt::format("static const uint8_t {}{}[{}] = {{{}}};\n", which, i, std::max<std::size_t>(all[i].size(), 1),
                       numbers(all[i]));
    list += fmt::format("{}{}{}", i ? ", " : "", which, i);
  }
  return out + fmt::format("const uint8_t* const dse_test_{}s[{}] = {{{}}};\n", which,
                           std::max<std::size_t>(all.size(), 1), all.empty() ? "0" : list);
}

std::string header(const program::Program& p, std::size_t plan, std::size_t constants, std::size_t inputs,
                   std::size_t outputs, const std::string& network, const std::string& device) {
  std::string out =
      "/* Generated. What this package holds: plan, weights, a test vector, and the arenas the plan works in. */\n"
      "#ifndef DSE_PACKAGE_H\n#define DSE_PACKAGE_H\n#include \"dse_port_eager.h\"\n#include \"dse_runtime.h\"\n\n";
  out +=
      fmt::format("#define DSE_PACKAGE_NETWORK {}\n#define DSE_PACKAGE_DEVICE {}\n", quoted(network), quoted(device));
  out += fmt::format("#define DSE_PLAN_BYTES {}\n#define DSE_WEIGHTS_BYTES {}\n", plan, constants);
  out += fmt::format("#define DSE_PACKAGE_ARENAS {}\n#define DSE_PACKAGE_INPUTS {}\n#define DSE_PACKAGE_OUTPUTS {}\n",
                     p.arenas.size(), inputs, outputs);
  const auto ram = ram_of(p, static_cast<std::int64_t>(constants));
  for (std::size_t i = 0; i < p.arenas.size(); ++i)
    out += fmt::format("#define DSE_ARENA_{0}_BYTES {1} /* {2}{3} */\n#define DSE_ARENA_{0}_ALIGNMENT {4}\n", i,
                       p.arenas[i].size, remark(p.arenas[i].name),
                       ram.arenas[i].in_place ? ": the weights, read in place" : "", p.arenas[i].alignment);
  out += fmt::format(
      "/* What is static in a firmware: the arenas (of dse_arenas.c), a runtime, an eager port. */\n"
      "#define DSE_ARENAS_BYTES {}\n"
      "#define DSE_RAM_BYTES (DSE_ARENAS_BYTES + sizeof(dse_runtime) + sizeof(dse_port_eager))\n",
      ram.all_arenas);
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    const auto& in = p.inputs[i];
    out += fmt::format(
        "#define DSE_INPUT_{0}_ARENA {1} /* {2}{3} */\n#define DSE_INPUT_{0}_OFFSET {4}\n"
        "#define DSE_INPUT_{0}_BYTES {5}\n",
        i, in.arena, remark(in.name),
        in.streamed    ? ": streamed, its bytes are read once, in order, while the plan runs"
        : in.preserved ? ": kept, as given after the run too"
                       : "",
        in.offset, in.size);
  }
  out +=
      "\nextern const uint8_t dse_plan[];\n"
      "extern const uint8_t* const dse_weights; /* DSE_WEIGHTS_BYTES and their CRC-32; aligned to 8 bytes */\n"
      "/* Null for an arena that holds nothing, or nothing but the weights. To place one, or to\n"
      " * align it to more than 8 bytes, define DSE_ARENA_<n>_ATTRIBUTE when compiling dse_arenas.c; for one that is\n"
      " * there already, at a fixed address, DSE_ARENA_<n>_ADDRESS. */\n"
      "extern uint8_t* const dse_arenas[];\n"
      "extern const uint8_t* const dse_test_inputs[];\n"
      "extern const uint8_t* const dse_test_outputs[];\n\n"
      "/* Opens and binds the package, runs the test vector, compares. 0, a dse_error, or 1 when an output differs. "
      "*/\n"
      "int dse_selftest(dse_runtime* rt, const dse_port* port);\n#endif\n";
  return out;
}

std::string arenas(const program::Program& p, std::size_t constants) {
  std::string out = "/* Generated. */\n#include \"dse_package.h\"\n\n", list;
  const auto ram = arena_ram(p, static_cast<std::int64_t>(constants));
  for (std::size_t i = 0; i < p.arenas.size(); ++i) {
    list += i ? ", " : "";
    if (ram[i].object == 0) {
      list += "0";
      continue;
    }
    out += fmt::format(
        "#ifdef DSE_ARENA_{0}_ADDRESS\n#define ARENA_{0} ((uint8_t*)(DSE_ARENA_{0}_ADDRESS))\n#else\n"
        "#ifndef DSE_ARENA_{0}_ATTRIBUTE\n#define DSE_ARENA_{0}_ATTRIBUTE\n#endif\n"
        "static DSE_ARENA_{0}_ATTRIBUTE union {{ uint8_t bytes[{1}]; uint64_t align; }} arena{0}; /* {2} */\n"
        "#define ARENA_{0} arena{0}.bytes\n#endif\n",
        i, p.arenas[i].size, remark(p.arenas[i].name));
    list += fmt::format("ARENA_{}", i);
  }
  return out + fmt::format("uint8_t* const dse_arenas[{}] = {{{}}};\n", std::max<std::size_t>(p.arenas.size(), 1),
                           list.empty() ? "0" : list);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> generate_c(const program::Program& program,
                                                            std::span<const std::uint8_t> plan,
                                                            std::span<const std::uint8_t> constants,
                                                            const ByteVectors& inputs, const ByteVectors& outputs,
                                                            const std::string& network, const std::string& device) {
  const auto weights = program::with_checksum(constants);
  const std::string top = "/* Generated. */\n#include \"dse_package.h\"\n\n";
  return {
      {"dse_package.h", header(program, plan.size(), constants.size(), inputs.size(), outputs.size(), network, device)},
      {"dse_plan.c", top + fmt::format("const uint8_t dse_plan[{}] = {{{}}};\n", plan.size(), numbers(plan))},
      {"dse_weights.c",
       top + fmt::format("static const union {{ uint8_t bytes[{}]; uint64_t align; }} weights = {{{{{}}}}};\n"
                         "const uint8_t* const dse_weights = weights.bytes;\n",
                         std::max<std::size_t>(weights.size(), 1), numbers(weights))},
      {"dse_test_vector.c", top + vectors("input", inputs) + vectors("output", outputs)},
      {"dse_arenas.c", arenas(program, constants.size())},
  };
}

}  // namespace dse::deploy
