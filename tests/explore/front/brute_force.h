// The front of a case by brute force, and what explore() says about the same case.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/engine/exhaustive.h"
#include "explore/explore.h"

namespace dse::explore::test_support {

/// Memory -> ticks, falling: a Pareto front.
using Staircase = std::map<std::int64_t, std::int64_t>;

void enter(Staircase& front, std::int64_t memory, std::int64_t ticks);

struct BruteForce {
  Staircase front;
  std::int64_t candidates = 0, infeasible = 0, beyond = 0;  // beyond: a constraint of the sweep is not met
  std::int64_t loose = 0;                                   // addresses cost more than the load
  std::vector<std::string> invalid;                         // findings of the check: must be empty
};

/// Every candidate evaluated; those that break a constraint on memory, latency or a memory's peak are left out.
BruteForce brute_force(const Case& c, const SweepSpec& spec);

struct Explored {
  Staircase front;
  bool complete = false;
  Front whole;
};

/// explore() in one process, all points reported, without output folder.
Explored explored(const Case& c, const SweepSpec& spec);

/// The brute-force front together with the plans that were made by rule or by the user, as fronts show them: these do
/// not make a front where the search has no point.
Staircase with_marked(Staircase front, const Case& c, const SweepSpec& spec, const Front& explored);

/// The search's account of its layer candidates against a count of its own. Empty if it adds up.
std::string account_of_layers(const Case& c, const SweepSpec& spec, const Front& front);

std::string to_string(const Staircase& front);

struct Compared {
  BruteForce brute;
  Explored found;
  Staircase expected;
};
/// Expects that every candidate passes the check, and that front and certificate are those of brute force.
Compared expect_brute_force(const Case& c, const SweepSpec& spec, const std::string& name);

}  // namespace dse::explore::test_support
