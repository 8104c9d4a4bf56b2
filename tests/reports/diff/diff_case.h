// Points to compare: simulated ones of random networks, and a small one written by hand.
#pragma once
#include "explore/explore.h"
#include "plan/plan.h"
#include "reports/diff/point_diff.h"
#include "tests/support/random_cases.h"

namespace dse::reports::testing {

/// A plan of random choices that fits; up to 50 draws, else the test's own bad luck: throws.
plan::Plan random_plan(test::Random& random, const explore::Case& c);

/// A point and its front as results.json has them, read wherever a comparison takes a recorded point.
struct Written {
  std::string label;
  nlohmann::json front, point;
  operator RecordedPoint() const { return read_point(label, front, point); }  // NOLINT(google-explicit-constructor)
};

/// Simulated with real bytes. @throws std::runtime_error when it fails.
Written measure(const std::string& label, const explore::Case& c, const plan::Plan& plan);

/// Two layers on two memories, 100 MHz: every field that a comparison reads, by hand.
Written by_hand(const std::string& label);

}  // namespace dse::reports::testing
