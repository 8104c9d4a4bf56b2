// A made-up sweep that obeys the rules of a real one: accounts add up, tasks of a queue do not overlap, buffers that
// share bytes do not share time, the front descends.
#pragma once
#include "explore/measure/results.h"

namespace dse::reports::testing {

struct SyntheticOptions {
  int fronts = 2;            // besides one infeasible front if `infeasible`
  int points = 30;           // per front
  int tiles_per_layer = 22;  // on average; three tasks each
  int dominated = 3000;      // dots per front
  bool infeasible = true;
  bool marked_alone = false;  // the infeasible front comes first, is of another device, and has a plan that was given
  bool variants = false;      // fronts of a network are of variants of it, not of points of a device
};

/// The same options give the same sweep on every machine (its own generator, integer arithmetic where it matters).
explore::Sweep synthetic_sweep(const SyntheticOptions& options = {});

}  // namespace dse::reports::testing
