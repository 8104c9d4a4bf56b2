// The one rounding of energies: everything that counts them counts in whole femtojoules, so that parts add up exactly.
#pragma once
#include <cmath>
#include <cstdint>

namespace dse::sim {

/// An energy per byte or per MAC, in picojoules, as whole femtojoules (to the nearest).
inline std::int64_t femtojoules(double picojoules) { return std::llround(picojoules * 1000); }

}  // namespace dse::sim
