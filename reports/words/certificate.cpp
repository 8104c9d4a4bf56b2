#include "reports/words/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "reports/words/format.h"

namespace dse::reports {

using explore::Front;

namespace {

/// Of the front as a whole, then of each point: where one corner is far behind, the whole may look near.
std::string within_text(double gap, double pointwise) {
  auto text = fmt::format("proven within {:.2g} %", 100 * gap);
  if (std::isfinite(pointwise) && pointwise > 0)
    text += fmt::format(" (each point within {} %)", pointwise < 1 ? fmt::format("{:.2g}", 100 * pointwise)
                                                                   : fmt::format("{:.0f}", 100 * pointwise));
  return text;
}

}  // namespace

const char* none_text(const Front& front) {
  if (front.out_of_memory()) return "no plan";
  return front.undecided ? "no plan found within the budget" : "no feasible plan";
}

std::map<std::string, std::int64_t> outside_points(const Front& front) {
  std::map<std::string, std::int64_t> out;
  for (const auto& p : front.points)
    if (!p.outside.empty()) ++out[p.outside];
  return out;
}

bool covers_runs(const Front& front) { return front.runs_gap >= 0 && front.runs_gap < 1; }

std::string completeness_text(const Front& front) {
  const std::string of = outside_points(front).empty() || front.on_npu ? "" : "layer by layer ";
  if (front.complete) return of + "complete";
  if (front.gap < 0 || front.gap >= 1) return of + "not complete";
  return of + "not complete, " + within_text(front.gap, front.pointwise_gap);
}

std::string certified_text(const Front& front) {
  if (front.on_npu) return "rules, limits, blocks and places of weights of the NPU";
  return std::string("orders, homes, in place, tiles, filters, buffers") + (front.by_techniques ? ", techniques" : "") +
         (front.by_batches ? ", output batches" : "") + (front.fetches_ahead ? ", prefetch" : "");
}

std::string runs_text(const Front& front) {
  if (!covers_runs(front)) return {};
  const auto how = front.runs_gap > 0 ? within_text(front.runs_gap, front.runs_pointwise_gap) : "complete";
  return fmt::format("with {} run{} of layers by phases, in the file's order, {}", grouped(front.runs),
                     front.runs == 1 ? "" : "s", how);
}

bool all_complete(const Front& front) {
  return front.complete && (outside_points(front).empty() || (front.runs_gap == 0 && outside_text(front).empty()));
}

std::string outside_text(const Front& front) {
  std::string text;
  std::int64_t all = 0;
  for (const auto& [why, count] : outside_points(front)) {
    if (why == "by phases" && covers_runs(front)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", count,
                        why == "given" ? fmt::format("given point{}", count == 1 ? "" : "s")
                                       : fmt::format("point{} {}", count == 1 ? "" : "s", why));
    all += count;
  }
  return text.empty() ? text : text + (all == 1 ? " stands" : " stand") + " outside the certificate";
}

namespace {

constexpr auto kNone = std::numeric_limits<std::int64_t>::max();

/// The fewest ticks within so much memory.
std::int64_t within(const std::vector<Front::Dot>& dots, std::int64_t memory) {
  std::int64_t least = kNone;
  for (const auto& d : dots)
    if (d.memory_bytes <= memory) least = std::min(least, d.latency_ticks);
  return least;
}

}  // namespace

std::vector<BoundPart> bound_parts(const Front& front) {
  std::vector<Front::Dot> outside;
  std::int64_t first = kNone, last = -1;  // memory of the points inside
  for (const auto* list : {&front.points, &front.marked})
    for (const auto& p : *list) {
      if (p.run.failure || p.latency_ticks <= 0) continue;
      if (list == &front.marked || !p.outside.empty())
        outside.push_back({p.memory_bytes, p.latency_ticks});
      else
        first = std::min(first, p.memory_bytes), last = std::max(last, p.memory_bytes);
    }
  const bool all = outside_text(front).empty();
  std::vector<BoundPart> parts;
  if (last < 0 && !all) return parts;
  std::set<std::int64_t> at;
  for (const auto& d : front.bound) at.insert(d.memory_bytes);
  for (const auto& d : outside) at.insert(d.memory_bytes);
  if (!all) at.insert({first, last});
  bool drawn = false;
  for (const auto memory : at) {
    if (!all && (memory < first || memory > last)) continue;
    const auto bound = within(front.bound, memory), beside = within(outside, memory);
    const bool holds = bound != kNone && bound <= beside;
    if (drawn && (!holds || (!all && memory == last))) {
      auto& part = parts.back();
      part.steps.push_back({memory, holds ? bound : part.steps.back().latency_ticks});
      part.open = drawn = false;
      continue;
    }
    if (!holds || (!all && memory == last)) continue;
    if (!drawn) parts.emplace_back();
    drawn = true;
    auto& steps = parts.back().steps;
    if (steps.empty() || steps.back().latency_ticks != bound) steps.push_back({memory, bound});
  }
  return parts;
}

}  // namespace dse::reports
