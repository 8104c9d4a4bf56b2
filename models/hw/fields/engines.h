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
/// Drawn all the time, in microwatts: up to 10 W.
constexpr double most_leakage_uw = 1e7;
yaml::Type<double> leakage_type();
/// Up to 1 uJ per unit of it. Below 0, which nobody can write, it is as another figure.
yaml::Type<double> energy_type(const Unit& unit);
yaml::Tagged<EngineText> engine_kinds();

}  // namespace dse::hw
