// That a search has plans of its own.
#pragma once
#include <gtest/gtest.h>

#include "explore/explore.h"

namespace dse::explore::test_support {

inline Front front_with(const Case& c, const SweepSpec& spec) {
  ExploreOptions options;
  options.jobs = 2;
  Diagnostics d;
  auto sweep = explore(spec, {c}, options, d);
  ensure(!d.has_errors(), d.text());
  return sweep.fronts.at(0);
}

/// Some plan of the search itself, in real bytes.
inline void expect_searched(const Case& c) {
  SCOPED_TRACE(c.network->name + " on " + c.device_label);
  SweepSpec spec;
  spec.simulations = 24;
  spec.front_points = 3;
  const auto front = front_with(c, spec);
  EXPECT_EQ(front.infeasible_reason, "");
  int searched = 0;
  for (const auto& p : front.points) {
    EXPECT_TRUE(p.verified) << p.id;
    searched += p.origin == "front";
  }
  EXPECT_GT(searched, 0);
}

}  // namespace dse::explore::test_support
