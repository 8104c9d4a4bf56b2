#include "plan/segment/roll.h"

#include <algorithm>

namespace dse::plan {
namespace {

constexpr std::size_t kLongestBody = 512;

/// Turns of the body tasks[at, at + period), 1 where it does not repeat.
std::int32_t turns(std::span<const RowTask> tasks, std::size_t at, std::size_t period) {
  std::int32_t count = 1;
  for (std::size_t turn = at + period; turn + period <= tasks.size(); turn += period, ++count)
    for (std::size_t k = 0; k < period; ++k) {
      const auto &first = tasks[at + k], &second = tasks[at + period + k], &now = tasks[turn + k];
      if (now.kind != first.kind || now.hi - now.lo != first.hi - first.lo ||
          now.lo - first.lo != count * (second.lo - first.lo))
        return count;
    }
  return count;
}

}  // namespace

std::vector<RowLoop> roll(std::span<const RowTask> tasks) {
  std::vector<RowLoop> out;
  for (std::size_t at = 0; at < tasks.size();) {
    std::size_t period = 1;
    std::int64_t best = 0, count = 1;
    for (std::size_t p = 1; p <= kLongestBody && at + 2 * p <= tasks.size(); ++p) {
      if (tasks[at].kind != tasks[at + p].kind) continue;
      const std::int64_t n = turns(tasks, at, p), saved = (n - 1) * static_cast<std::int64_t>(p);
      if (n > 1 && saved > best) best = saved, period = p, count = n;
    }
    if (best > 0) {
      RowLoop loop;
      loop.count = static_cast<std::int32_t>(count);
      for (std::size_t k = 0; k < period; ++k) {
        loop.body.push_back(tasks[at + k]);
        loop.body.back().step = tasks[at + period + k].lo - tasks[at + k].lo;
      }
      out.push_back(std::move(loop));
    } else {
      if (out.empty() || out.back().count > 1) out.emplace_back();
      out.back().body.push_back(tasks[at]);
    }
    at += period * static_cast<std::size_t>(count);
  }
  return out;
}

}  // namespace dse::plan
