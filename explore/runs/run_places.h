// What a run of layers may place: the tensors that cross its ends, the rows between its layers, its filters.
#pragma once
#include <utility>
#include <vector>

#include "explore/question/case.h"
#include "explore/question/sweep.h"
#include "explore/runs/run.h"
#include "explore/runs/ways.h"
#include "explore/space/space.h"

namespace dse::explore {

struct Homes {
  std::vector<std::vector<std::pair<int, int>>> list;  // as in Run::from, then Run::to
  bool all = true;                                     // false: there are more than are tried
};

class RunPlaces {
 public:
  RunPlaces(const Case& c, const SweepSpec& spec, const Space& space);

  /// A run of these layers with the tensors that cross its ends, their homes open, and without options.
  Run open_run(int first, int last) const;
  bool contains(const Run& run, int op) const;
  /// Homes for the tensors of `from` and then `to`: channels last, and within the engine's reach what the run itself
  /// goes on with.
  Homes homes_of(const Run& run) const;
  /// Of each layer of the run where its output lies if nobody outside wants it, then of each where its filters do
  /// (a memory, or plan::kStreamed), as far as the sweep allows it; at most as many ways as are tried at one of
  /// `homes`.
  Ways ways_of(const Run& run, std::size_t homes) const;

 private:
  std::vector<int> memories_inside() const;
  std::vector<int> memories_of_filters(int op) const;

  const nn::Network& network_;
  const hw::Device& device_;
  const SweepSpec& spec_;
  const Space& space_;
};

}  // namespace dse::explore
