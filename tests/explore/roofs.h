// What holds for the roofline of every point.
#pragma once
#include <gtest/gtest.h>

#include "explore/measure/results.h"

namespace dse::explore {

/// Reached <= roof <= peak, in whole ticks; bytes and ticks add up to the run's, and products to no more.
inline void expect_under_the_roof(const Point& p) {
  std::int64_t ticks = 0, macs = 0, bytes = 0;
  ASSERT_EQ(p.rooflines.size(), p.sections.size());
  for (std::size_t s = 0; s < p.rooflines.size(); ++s) {
    const auto& r = p.rooflines[s];
    EXPECT_LE(r.arithmetic, r.roof()) << p.sections[s];
    EXPECT_LE(r.roof(), r.ticks) << p.sections[s];
    ticks += r.ticks, macs += r.macs;
    for (const auto& m : r.memories) bytes += m.bytes;
  }
  for (const auto& m : p.run.memories) bytes -= m.read + m.written;
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(ticks, p.latency_ticks);
  EXPECT_LE(macs, p.run.macs);
  if (p.sections.size() == p.layers.size()) {
    EXPECT_EQ(macs, p.run.macs);  // nothing is computed twice
  }
}

}  // namespace dse::explore
