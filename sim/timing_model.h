// The number of the timing model, so that measurements that were kept are not taken for those of another one.
#pragma once

namespace dse::sim {

/// Raised by every change after which some program on some device takes other ticks, energy or bytes than before, and
/// by every change of what a layer's measurement means. A study keeps the measurements of all models apart.
inline constexpr int kTimingModel = 5;

}  // namespace dse::sim
