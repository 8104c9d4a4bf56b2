// What there is to explore, before it is explored: sizes, what pruning leaves, and an estimate of the time.
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "explore/question/case.h"
#include "explore/question/sweep.h"
#include "plan/choices/choice.h"

namespace dse::explore {

/// One layer over all homes that its tensors may have.
struct LayerOptions {
  std::string layer, kind;
  std::string same_as;          // an earlier layer with exactly these searches: they are run once, for both
  int searches = 0;             // combinations of homes
  std::int64_t options = 0;     // schedules that fit by themselves, over all searches
  std::int64_t impossible = 0;  // infeasible, or of more calls than the space holds
  std::int64_t left = 0;        // at most that many are to be simulated; the others are proven dominated
};

struct DryRun {
  std::string network, device;
  bool on_npu = false;  // `layers` are operations of the NPU: their blocks and places of weights
  std::vector<LayerOptions> layers;
  int searches = 0;          // distinct ones
  std::int64_t options = 0;  // of the distinct searches
  std::int64_t impossible = 0;
  std::int64_t simulated = 0;              // while looking
  std::int64_t left = 0;                   // of the distinct searches: at most that many simulations
  double whole = 0;                        // whole-network candidates: all combinations of schedules whose homes agree
  std::int64_t runs = 0;                   // of layers by phases, each at its homes and as it may be run
  double whole_with_runs = 0;              // candidates that have some of these, in the file's order
  std::string infeasible;                  // not empty: there is no plan, and why
  std::int64_t plans = 0;                  // whole plans that a run simulates after the layers, about
  std::int64_t estimated_simulations = 0;  // of the whole run: layers, as far as the budget goes, and plans
  double looked_seconds = 0;               // wall clock of this look
  double estimated_seconds = 0;            // the whole run at the rates that were measured, with `jobs` workers
  bool complete = true;                    // false: interrupted
};

struct DryRunOptions {
  int jobs = 1;          // for the estimate; the look itself runs in this process
  int simulations = 24;  // per layer search: those with the best bounds, and the smallest
  const std::atomic<bool>* interrupted = nullptr;
};

/// Counts the schedules of every layer, simulates a few of each, and counts what these prove dominated by admissible
/// bounds. Of a device with an NPU: the schedules that its search begins with, and what is tried of each operation on
/// the way from there. Everything but the seconds is the same in every run.
DryRun dry_run(const Case& c, const SweepSpec& spec, const DryRunOptions& options,
               const plan::ChoiceRegistry& registry = plan::ChoiceRegistry::standard());

}  // namespace dse::explore
