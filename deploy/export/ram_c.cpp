// What a package says of a target's RAM.
#include <fmt/format.h>

#include "deploy/export/generate_c.h"
#include "deploy/size/ram.h"

namespace dse::deploy {

std::string target_ram_macros(const GeneratedInput& in, Style style, const program::Program& point) {
  if (style == Style::statically || in.unsealed > 0 || !why_no_ram(in.network, in.device).empty()) return {};
  const TargetRam target = target_ram(in.network, in.device, point, in.kernels);
  return fmt::format(
      "/* Of a 32-bit target: what `dse run --limit ram=...` keeps, the stack that is counted in it, and the arenas "
      "off\n"
      " * the chip, which are not. */\n#define DSE_TARGET_RAM_BYTES {}\n#define DSE_STACK_BYTES {}\n"
      "#define DSE_OFF_CHIP_BYTES {}\n",
      target.total(), target.stack, ram_of(point, point.constants_size).all_arenas - target.arenas);
}

const char* const kTargetRamCheck =
    "#if defined(DSE_TARGET_RAM_BYTES) && defined(__arm__)\n"
    "typedef char dse_ram_is_as_promised[DSE_RAM_BYTES - DSE_OFF_CHIP_BYTES + DSE_STACK_BYTES == "
    "DSE_TARGET_RAM_BYTES ? 1 : -1];\n#endif\n";

}  // namespace dse::deploy
