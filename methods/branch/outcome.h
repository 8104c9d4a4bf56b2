// What a search for an order may spend, and what it found.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "methods/branch/model.h"

namespace dse::plan::branch {

/// How hard the search tries, all counted: without `stop` the result never depends on the speed of the machine.
struct Effort {
  std::int64_t labels = 200000;  // states that the exact search may keep
  int beam = 0;  // states per step of the beam search that starts it; 0: 16 to 256, more for small graphs
  std::function<bool()> stop = {};  // asked now and then; true = the best so far, of narrow beams alone
};

/// A candidate and what is proven about it.
struct Outcome {
  Candidate best;
  std::int64_t lower_bound = 0;  // bytes: no order costs less, under the rules
  bool optimal = false;          // best costs the lower bound
  std::string origin;            // what found it: "search", "beam search", "freed-memory rule", "file order" or
                                 // "sorted file" (its operators could not run in its order)
};

}  // namespace dse::plan::branch
