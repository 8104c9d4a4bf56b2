// Whole plans as a composition makes them, and what it takes and gives.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/question/costs.h"
#include "plan/layer/layer.h"

namespace dse::explore {

struct Composition {
  std::vector<plan::LayerChoice> choices;  // per operator of the network; empty: a bound, not a plan
  std::vector<int> order;                  // of the layers, as they run; empty: as in the file
  std::vector<std::int64_t> values;        // per objective of the goal: bytes, ticks, femtojoules
  std::int64_t memory = 0;                 // bytes: sum over on-chip memories of the load
  Costs costs{};                           // of a bound: only those that are objectives
};

struct Run;

struct CompositionOptions {
  /// A lower bound instead of plans: where labels would become too many they are merged into their least values, which
  /// no plan behind them is better than. Never exact, always admissible, and fast.
  bool relaxed = false;
  bool file_order = false;                 // no other order than the file's, whatever the space allows
  const std::vector<Run>* runs = nullptr;  // by phases, in the file's order
  /// When to stop. A relaxed composition solves its first box even after it, so that there is always a bound.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* interrupted = nullptr;
  std::size_t max_labels = 20000;  // per state; relaxed: at most 64
  /// After so many steps of the solver and options of boxes, some ten seconds, what would be better than a plan in hand
  /// by less than one part in `tolerance` is not looked for any more, and of plans so close to each other one is kept.
  /// Both stay in the bound, and the front is not exact.
  std::int64_t exact_steps = 600'000'000;
  std::int64_t tolerance = 400;
  /// After so many no box is looked at any more, and what they may still hold stays in the bound. Where that, or the
  /// deadline, ends the search, a beam of few labels looks for plans once more, so that there are some.
  std::int64_t most_steps = 2 * exact_steps;
  std::int64_t memory = std::int64_t{512} << 20;  // bytes that labels and boxes may take, roughly
};

struct CompositionFront {
  std::vector<Composition> points;  // Pareto-optimal in the objectives, by values. One objective: one point
  /// Every plan is at least as large as one of these in every objective. The values of `points` when exact; of what
  /// was left open too when stopped; empty when nothing is known (labels were dropped, or it was stopped at once).
  std::vector<std::vector<std::int64_t>> bound;
  std::int64_t runs = 0;    // by phases, each at its homes and as it may be run, that were composed
  std::int64_t boxes = 0;   // cap boxes looked at
  std::int64_t labels = 0;  // labels made: partial plans
  bool exact = true;        // false: the label limit, a deadline or an interruption cut the search, or it was relaxed
  std::string infeasible_reason;
  struct Dot {
    std::int64_t memory, ticks;
  };
  /// Complete plans that were found on the way and are dominated by `points` (at most 4,000), when the objectives are
  /// memory and latency.
  std::vector<Dot> beaten;
};

}  // namespace dse::explore
