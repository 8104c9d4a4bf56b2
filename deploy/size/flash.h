// What a package takes of a target's flash, to the byte.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "deploy/export/kernels.h"
#include "deploy/export/shipment.h"
#include "program/program.h"

namespace dse::deploy {

/// Cores that the code of a package is known for, by name: "cortex-m0plus", "cortex-m33", "cortex-m4", "cortex-m55",
/// "cortex-m7" (flash_table.h, made by scripts/flash_table).
std::vector<std::string> flash_cores();
/// The compiler that they were measured with.
const char* flash_compiler();

/// Bytes of code and constants of an interpreted package of these points, of one device, in a firmware that uses it as
/// its README says and links without what it does not use: of the runtime, the eager port, the kernels that the points
/// call and whatever those call, the tables of kernels and of arenas. Of a kernel library it is what calls it, of
/// kernels of the user's own the reference ones in whose place they stand. Not counted are the libraries of C, of the
/// compiler (memcpy, division of 64 bits) and of kernels, and what a linker leaves free to align.
/// @param core one of flash_cores().
std::int64_t text_bytes(const std::vector<const program::Program*>& points, KernelSet kernels, const std::string& core);

/// What an interpreted package takes of flash: its data, which dse_data.c holds, and its code.
struct TargetFlash {
  std::int64_t constants = 0, program = 0;   // images of weights, encoded programs
  std::int64_t frame = 0;                    // of plan.dse beside them: header, table of sections, INFO, sums
  std::map<std::string, std::int64_t> text;  // text_bytes() by core
  std::int64_t data() const { return constants + program + frame; }
};
/// @param program_bytes of each point; package_bytes: of the target's plan.dse.
TargetFlash target_flash(const Shipment& shipment, const std::vector<std::size_t>& program_bytes,
                         std::size_t package_bytes);

}  // namespace dse::deploy
