// What a package has for the emulation of an NPU.
#include <fmt/format.h>

#include <algorithm>

#include "deploy/export/generate_c.h"
#include "deploy/size/ram.h"

namespace dse::deploy {

bool has_streams(const program::Program& p) {
  return std::any_of(p.templates.begin(), p.templates.end(),
                     [](const program::TaskTemplate& t) { return program::stream_of(t) != nullptr; });
}

std::int64_t emulation_of(const GeneratedInput& in) {
  std::int64_t most = 0;
  for (const auto* p : in.points) most = std::max(most, emulation_bytes(*p));
  return most;
}

std::string npu_memory_c(Style style) {
  const bool is_static = style == Style::statically;
  return fmt::format(
      "{}#ifndef DSE_NPU_MEMORY\n#define DSE_NPU_MEMORY\n#endif\n{}"
      "DSE_NPU_MEMORY DSE_ALIGNED(8) {}uint8_t dse_npu_memory[DSE_NPU_MEMORY_BYTES];\n{}",
      "/* Generated. */\n#include \"dse.h\"\n\n", is_static ? "extern uint8_t dse_npu_memory[];\n" : "",
      is_static ? "" : "static ",
      is_static ? "" : "const dse_npu_emulation dse_npu = {dse_npu_memory, DSE_NPU_MEMORY_BYTES};\n");
}

}  // namespace dse::deploy
