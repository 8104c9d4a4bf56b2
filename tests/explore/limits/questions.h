// Random questions (network, device, limits), asked as a user asks them, and what has to be true of the answers.
#pragma once
#include <string>
#include <vector>

#include "explore/explore.h"
#include "models/hw/device_reader.h"

namespace dse::explore::test_support {

struct Question {
  Case c;
  std::vector<Constraint> limits;  // one to three, between far too tight and just enough
};

/// A small random network on one of the shipped devices.
Question random_question(std::uint64_t seed);
/// One of the shipped networks.
Question shipped_question(std::uint64_t seed);

/// A run with these limits.
Front ask(const Case& c, const std::vector<Constraint>& limits, int front_points = 4);

struct Tally {
  int infeasible = 0, alone = 0, together = 0, found = 0, outside = 0;
};

/// Asks. Of an answer without a plan: with each least a run finds a plan, with less none does.
void check_question(const Question& question, Tally& tally);

}  // namespace dse::explore::test_support
