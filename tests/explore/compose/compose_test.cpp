// The composition against every combination of schedules and homes, each made into a plan.
#include "explore/compose/compose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plan/document/document.h"
#include "plan/make/make_plan.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "sim/platform.h"
#include "tests/support/all_orders.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::compose_test {
namespace {

const plan::ChoiceRegistry& registry() {
  static const auto r = plan::ChoiceRegistry::standard();
  return r;
}

/// At most `n` entries, evenly picked: small enough to try all combinations.
LayerFront thinned(const LayerFront& front, std::size_t n) {
  LayerFront out = front;
  out.entries.clear();
  const auto all = front.entries.size();
  for (std::size_t i = 0; i < std::min(n, all); ++i)
    out.entries.push_back(front.entries[all <= n ? i : i * (all - 1) / (n - 1)]);
  return out;
}

/// Every complete assignment of entries, layer by layer, with the ticks it adds up to.
class BruteForce {
 public:
  BruteForce(const Space& space, const std::vector<LayerFront>& layers, const std::vector<std::int64_t>& limits)
      : space_(space), layers_(layers), limits_(limits), choices_(space.network->operators.size()) {
    const auto& n = *space.network;
    for (const int t : n.inputs) home_[space.root[t]] = space.homes[space.root[t]][0];
    for (const auto& order : test::all_orders(n)) order_ = order, ++orders, extend(0, sim::start_ticks(*space.device));
  }
  int orders = 0;
  std::map<std::int64_t, std::int64_t> front;  // memory -> ticks, a staircase
  std::map<std::int64_t, std::string> plans;   // memory -> document of the latest plan there
  std::int64_t tried = 0, fitting = 0;

 private:
  void extend(std::size_t section, std::int64_t ticks) {
    if (section == space_.layers.size()) {
      if (wanted_ < 0) finish(ticks);
      return;
    }
    const auto& n = *space_.network;
    const int op = order_[section];
    const auto inputs = plan::activations(n, n.operators[op]);
    plan::LayerContext context;
    context.network = &n, context.device = space_.device, context.op = op;
    context.input_count = static_cast<int>(std::min<std::size_t>(2, inputs.size()));
    for (int k = 0; k < context.input_count; ++k) context.inputs[k] = home_.at(space_.root[inputs[k]]);
    const int out = space_.root[n.operators[op].outputs[0]];
    for (const auto& home : space_.homes[out]) {
      const int task = space_.task_of(op, context, home);
      ASSERT_GE(task, 0);
      home_[out] = home;
      const bool fetched = wanted_ == op;
      if (wanted_ >= 0 && !fetched) continue;  // its filters are fetched for the layer that runs next
      for (const auto& e : layers_[task].entries) {
        if (e.choice.prefetch != fetched) continue;
        choices_[op] = e.choice;
        wanted_ = e.fetches ? space_.fetches_for(op) : -1;
        extend(section + 1, ticks + e.costs[kTicks]);
        if (!plan::inputs_to_overwrite(n, op, space_.root).empty()) {
          choices_[op].in_place = true;  // where it cannot be, there is no plan
          extend(section + 1, ticks + e.costs[kTicks]);
        }
        wanted_ = fetched ? op : -1;
      }
    }
  }
  void finish(std::int64_t ticks) {
    ++tried;
    const auto made = plan::make_plan(*space_.network, *space_.device, choices_, {.order = order_});
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (!plan) return;
    for (std::size_t m = 0; m < limits_.size(); ++m)
      if (space_.device->memories[m].on_chip && plan->loads[m] > limits_[m]) return;
    ++fitting;
    const auto memory = plan::on_chip_memory(*space_.device, plan->loads);
    const auto it = front.upper_bound(memory);
    if (it != front.begin() && std::prev(it)->second <= ticks) return;
    auto worse = front.lower_bound(memory);
    while (worse != front.end() && worse->second >= ticks) worse = front.erase(worse);
    front[memory] = ticks;
    plans[memory] = plan::write_plan(*plan, *space_.network, *space_.device);
  }

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const std::vector<std::int64_t>& limits_;
  std::vector<int> order_;
  int wanted_ = -1;  // the layer whose filters are fetched
  std::vector<plan::LayerChoice> choices_;
  std::map<int, plan::Placement> home_;
};

/// How many assignments BruteForce would try, at most.
double combinations(const Space& space, const std::vector<LayerFront>& layers) {
  std::map<int, double> most;  // per operator: entries over all output homes, for the worst input homes
  for (std::size_t t = 0; t < layers.size(); ++t)
    most[space.tasks[t].op] += static_cast<double>(layers[t].entries.size());
  double n = 1;
  for (const int op : space.layers) n *= std::max(1.0, most[op]);
  return n;
}

TEST(Compose, EqualsEveryCombinationTried) {
  int cases = 0, tight = 0, chains = 0, branched = 0;
  std::int64_t tried = 0, points = 0;
  for (std::uint64_t seed = 0; cases < test::of_share(24) && seed < 400; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    if (plan::layers_of(*network, true).size() > 5) continue;
    const Space space(*network, *device, SweepSpec());
    if (space.tasks.size() > 60) continue;
    std::vector<LayerFront> layers;
    for (const auto& task : space.tasks)
      layers.push_back(thinned(search_layer(task, registry(), {{"buffering", {"single"}}},
                                            default_goal(*task.context.device), LayerBudget{40, {}}),
                               2 + seed % 3));
    if (combinations(space, layers) > 60'000) continue;
    std::vector<std::int64_t> limits;
    for (const auto& m : device->memories) limits.push_back(m.free());
    const BruteForce free(space, layers, limits);
    if (seed % 2 && !free.front.empty())  // half of what the largest plan needs
      for (std::size_t m = 0; m < limits.size(); ++m)
        if (device->memories[m].on_chip) limits[m] = std::max<std::int64_t>(1, free.front.rbegin()->first / 2);
    const BruteForce brute(space, layers, limits);
    const auto composed = compose(space, layers, limits);
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& p : composed.points) found[p.memory] = p.costs[kTicks];
    ASSERT_TRUE(composed.exact);
    for (const auto& [memory, ticks] : brute.front)
      ASSERT_TRUE(found.count(memory) && found[memory] == ticks)
          << "seed " << seed << ": " << memory << " bytes, " << ticks << " ticks is missing\n"
          << brute.plans.at(memory);
    ASSERT_EQ(found, brute.front) << "seed " << seed << ", " << brute.tried << " combinations";
    ASSERT_EQ(composed.points.empty(), !composed.infeasible_reason.empty());
    for (const auto& p : composed.points) {
      const auto made = plan::make_plan(*network, *device, p.choices, {.order = p.order});
      const auto* plan = std::get_if<plan::Plan>(&made);
      ASSERT_TRUE(plan) << "seed " << seed;
      ASSERT_EQ(plan::on_chip_memory(*device, plan->loads), p.memory) << "seed " << seed;
    }
    for (const auto& b : composed.beaten)
      ASSERT_TRUE(std::any_of(composed.points.begin(), composed.points.end(),
                              [&](const auto& p) { return p.memory <= b.memory && p.costs[kTicks] <= b.ticks; }));
    ++cases, tried += brute.tried, points += static_cast<std::int64_t>(found.size());
    tight += brute.fitting < brute.tried;
    chains += space.layers.size() >= 3, branched += brute.orders > 1;
  }
  std::printf(
      "%d networks, %d of them of three layers or more, %d with several orders, %d with limits that bind; %lld "
      "combinations tried, fronts of "
      "%lld points in all, all equal\n",
      cases, chains, branched, tight, static_cast<long long>(tried), static_cast<long long>(points));
  EXPECT_GE(cases, test::of_share(12));
  EXPECT_GE(tight, test::of_share(4));
  EXPECT_GE(chains, test::of_share(4));
  EXPECT_GT(points, 2 * cases);
}

TEST(Compose, AnInterruptionIsNotCalledExact) {
  test::Random random(1);
  const auto network = test::random_network(random);
  const auto device = test::random_device(random);
  const Space space(*network, *device, SweepSpec());
  std::vector<LayerFront> layers;
  for (const auto& task : space.tasks)
    layers.push_back(search_layer(task, registry(), {}, default_goal(*task.context.device), LayerBudget{5, {}}));
  std::vector<std::int64_t> limits;
  for (const auto& m : device->memories) limits.push_back(m.free());
  const std::atomic<bool> interrupted = true;
  EXPECT_FALSE(compose(space, layers, limits, &interrupted).exact);
}

}  // namespace
}  // namespace dse::explore::compose_test
