// Spaces that are small enough to try every candidate of: networks x devices x restrictions x limits, written down
// before any result was looked at (only the number of candidates was).
#pragma once
#include <string>
#include <vector>

#include "explore/explore.h"

namespace dse::explore::test_support {

struct SmallSpace {
  std::string name;
  Case c;
  SweepSpec spec;
};

/// At most 10^4 candidates each.
std::vector<SmallSpace> small_spaces();
/// Likewise, where the highest sum of live bytes that the composition adds up is less than what addresses need.
std::vector<SmallSpace> loose_spaces();
/// From 10^5 candidates.
std::vector<SmallSpace> large_spaces();

}  // namespace dse::explore::test_support
