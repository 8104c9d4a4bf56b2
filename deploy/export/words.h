// What README.md and manifest.json say alike.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "deploy/emulate/check.h"
#include "deploy/export/shipment.h"

namespace dse::deploy {

/// Memory of an arena, null if the device has none of that name.
const hw::Memory* memory_of(const hw::Device& device, const std::string& arena);
/// "released", "kept", "streamed".
const char* mode_of(const program::Port& input);
double microseconds(const hw::Device& device, std::int64_t ticks);
/// "timed as X, ships reference kernels", or plainly the library where it is these; how much is CMSIS-NN's.
std::string kernel_note(const hw::Device& device, const Shipment& shipment);

/// README.md. `program_bytes`: of the runtime's data for each point; `package_bytes`: of what a target holds.
struct ReadmeFacts {
  std::size_t package_bytes = 0;
  std::vector<std::size_t> program_bytes;
  std::vector<Checked> checked;
  std::int64_t promised_objects = -1;  // Promise::objects
};
std::string readme(const nn::Network& network, const hw::Device& device, const Shipment& shipment,
                   const ReadmeFacts& facts);

}  // namespace dse::deploy
