// When a search over boxes ends, and the searches with few labels before and after it.
#include <algorithm>

#include "explore/compose/box_search.h"

namespace dse::explore {
namespace {

constexpr std::size_t kTails = 48, kWarmBoxes = 100;
/// Where a search with few labels comes after one that was ended: a fraction of a second.
constexpr std::int64_t kFewSteps = 5'000'000;

}  // namespace

/// With three sums and more labels are many before there is a plan to judge them by: a search that keeps only a few
/// finds good ones first.
void BoxSearch::warm_up() {
  if (asked_.relaxed || problem_.sums.size() < 3) return;
  problem_.tails = kTails;
  search_few();
  left_ = judges_ = Incumbents(static_cast<int>(goal_.objectives.size()));
  bounded_ = result_.exact = true, tolerant_ = ended_ = false;
}

/// Some boxes with few labels in each state.
void BoxSearch::search_few() {
  const auto most = problem_.max_labels;
  problem_.max_labels = std::min(most, kFewLabels);
  solver_ = LabelSolver::make(problem_);
  box_limit_ = kWarmBoxes;
  search();
  result_.labels += solver_->labels();
  problem_.max_labels = most;
  box_limit_ = 0;
  queue_.clear();
}

/// A search that was ended may have found little, or nothing: what few labels find joins it. What it left open still
/// is.
void BoxSearch::look_again() {
  if (asked_.relaxed || problem_.sums.size() >= 3 || (asked_.interrupted && asked_.interrupted->load())) return;
  const auto left = left_;
  const bool bounded = bounded_;
  auto before = std::move(solver_);
  queue_.clear();
  search_few();
  solver_ = std::move(before);
  left_ = left, bounded_ = bounded, result_.exact = false;
}

bool BoxSearch::stopped() const {
  if (asked_.interrupted && asked_.interrupted->load()) return true;
  const bool first = result_.boxes <= first_box_ + 1;
  if (asked_.relaxed && first) return false;  // quick, and without it there is no bound at all
  const bool few = box_limit_ > 0;
  if (few && first) return false;  // quick, too, and without it there may be no plan
  if (few && ended_) return solver_->steps() >= kFewSteps;
  if (problem_.sums.size() >= 3 && solver_->steps() >= kMostSteps) return true;
  if (steps() >= asked_.most_steps || (asked_.deadline && std::chrono::steady_clock::now() >= *asked_.deadline))
    ended_ = true;
  return ended_;
}

}  // namespace dse::explore
