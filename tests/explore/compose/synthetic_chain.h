// Random compositions small enough to try every combination: networks and devices as they are, schedules made up.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "explore/compose/compose.h"
#include "tests/support/random_cases.h"

namespace dse::test {

/// A complete combination, measured without any of the composition's code.
struct Combination {
  std::vector<std::int64_t> peaks;  // per memory of the device, with what stays resident
  std::int64_t memory = 0;
  explore::Costs costs{};
};

struct SyntheticChain {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::unique_ptr<explore::Space> space;
  std::vector<explore::LayerFront> layers;
  std::vector<Combination> all;  // every combination of orders, homes and schedules, whatever the limits
  bool joins = false;            // some layer has two inputs
  bool orders = false;           // there is another order than the file's
};

/// Two on-chip memories, at most `most` combinations; nothing when the draw is too large or too small. `entries`: most
/// per layer.
std::unique_ptr<SyntheticChain> synthetic_chain(std::uint64_t seed, int entries, std::size_t most);

/// The combination that these choices of synthetic schedules mean, with the layers in this order (empty: the file's).
Combination combination_of(const SyntheticChain& chain, const std::vector<plan::LayerChoice>& choices,
                           std::vector<int> order = {});

std::vector<std::int64_t> values_of(const Combination& c, const explore::Goal& goal);
bool keeps_limits(const Combination& c, const explore::Goal& goal);
/// The Pareto-optimal values of all combinations that keep the limits, in ascending order.
std::vector<std::vector<std::int64_t>> brute_front(const SyntheticChain& chain, const explore::Goal& goal);

/// One to four objectives; limits at values that some combination has, half of the time.
explore::Goal random_goal(Random& random, const SyntheticChain& chain, int objectives);

}  // namespace dse::test
