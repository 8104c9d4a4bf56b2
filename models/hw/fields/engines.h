// Fields of the engines of a device file, by kind; device_fields.cpp declares all others.
#pragma once
#include <cstdint>

#include "models/hw/fields/text.h"

namespace dse::hw {

/// Of memories and caches, bytes.
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

/// Shared by all blocks that may have a clock of their own.
yaml::Type<std::int64_t> clock_type();
/// Of a part of a device, in square micrometres: up to 10,000 mm2.
yaml::Type<double> area_type();
yaml::Tagged<EngineText> engine_kinds();

}  // namespace dse::hw
