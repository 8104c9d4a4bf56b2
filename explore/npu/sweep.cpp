#include "explore/npu/sweep.h"

#include <algorithm>

#include "base/diagnostics.h"

namespace dse::explore::npu {
namespace {

/// The fastest point within `bytes`, or else within the system's own limit.
int fastest_within(const SweepCell& cell, std::int64_t bytes) {
  const std::int64_t limit = bytes > 0 ? bytes : cell.npu.arena_limit;
  int best = -1;
  for (int i = 0; i < static_cast<int>(cell.points.size()); ++i)
    if (cell.points[static_cast<std::size_t>(i)].bytes() <= limit) best = i;
  return best;
}

}  // namespace

std::vector<SweepCell> sweep(const SweepAxes& axes, const std::function<void(const SweepCell&)>& done) {
  ensure(axes.cpu != nullptr, "a sweep needs a CPU");
  FrontEffort effort = axes.effort;
  for (const std::int64_t a : axes.arenas)
    if (a > 0) effort.arenas.push_back(a);
  std::vector<SweepCell> out;
  for (const auto& network : axes.networks)
    for (hw::ethos_u::Npu npu : axes.npus) {
      // What is asked for goes before what the system has.
      if (!axes.arenas.empty() && *std::min_element(axes.arenas.begin(), axes.arenas.end()) > 0)
        npu.arena_limit = *std::max_element(axes.arenas.begin(), axes.arenas.end());
      SweepCell cell{
          .network = network, .npu = npu, .points = front(network, npu, effort), .times = {}, .fits = {}, .reason = {}};
      if (effort.stop && effort.stop()) return out;
      for (const Point& p : cell.points) {
        cell.times.push_back(time_of(p.compiled, p.simulated, *axes.cpu, axes.hand_over));
        if (cell.reason.empty()) cell.reason = cell.times.back().error;
      }
      if (!cell.reason.empty()) cell.points.clear(), cell.times.clear();
      for (const std::int64_t a : axes.arenas) cell.fits.push_back(fastest_within(cell, a));
      if (done) done(cell);
      out.push_back(std::move(cell));
    }
  return out;
}

}  // namespace dse::explore::npu
