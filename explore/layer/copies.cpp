#include "explore/layer/copies.h"

#include <algorithm>

namespace dse::explore {

std::int64_t least_ticks(const hw::DeviceTiming& timing, int from, int to, const Copies& c) {
  const auto& device = timing.device();
  const int engine = device.copy_engine(from, to);
  const auto& e = timing.engine(engine);
  const auto& d = device.engines[static_cast<std::size_t>(engine)];
  std::int64_t longest = 0;
  for (const int m : {from, to}) {
    Ratio rate = timing.rate(m);
    rate.num *= std::max(1, device.memories[static_cast<std::size_t>(m)].ports);
    longest = std::max(longest, c.bytes * rate.den / rate.num - c.times);  // each is rounded down
  }
  if (e.kind != hw::EngineKind::dma)
    return c.times * e.dispatch + std::max(longest, e.clock.ticks(e.compute.copy_cycles(c.bytes)));
  const std::int64_t runs = std::max(c.runs, c.times), latency = timing.latency(from);
  const std::int64_t bursts = c.bytes / std::max<std::int64_t>(d.burst, 1) - c.times;
  const std::int64_t trips = std::max<std::int64_t>(0, bursts / std::max(d.outstanding, 1) - c.times);
  // A further run costs a descriptor, or stepping to a row of the one before: at least the cheaper of the two.
  const std::int64_t further = e.dma.further_setup();
  const std::int64_t each = d.dimensions <= 1 ? further : std::min<std::int64_t>(further, d.per_row);
  std::int64_t stepping = e.clock.ticks(each * (runs - c.times));
  // What each copy costs by itself is rounded up once with its first descriptor, not twice.
  if (e.clock.tick_hz % e.clock.hz != 0) stepping = std::max<std::int64_t>(0, stepping - 1 - c.times);
  return c.times * (e.clock.ticks(d.setup) + latency) +
         (d.dimensions <= 1 ? stepping + std::max(longest, latency * trips)
                            : std::max(longest, (further < d.per_row ? 0 : stepping) + latency * trips));
}

std::int64_t least_runs(plan::TensorLayout from, plan::TensorLayout to, std::int64_t rows, std::int64_t width,
                        std::int64_t channels, std::int64_t slices, std::int64_t parts) {
  if (channels == 1 || width == 1) return 0;
  if (from != to) return rows * width * channels;
  if (from != plan::TensorLayout::hwc) return parts > 1 ? parts * channels : 0;
  return slices > 1 ? rows * width * slices : 0;
}

}  // namespace dse::explore
