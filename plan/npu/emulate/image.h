// The bytes that lie among the constants: scales and coded weights of every operation, tables, constant operands.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/npu/stream/places.h"

namespace dse::plan::npu {

std::vector<std::uint8_t> constants_image(const nn::Network& network, const Costs& costs, const Schedule& schedule,
                                          const Places& places);

}  // namespace dse::plan::npu
