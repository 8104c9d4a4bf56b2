// The dry run's count of candidates with runs, against every way to put layers and runs together.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "explore/dry_run.h"
#include "explore/layer/layer_search.h"
#include "explore/question/goal.h"
#include "explore/runs/runs.h"
#include "tests/support/random_cases.h"

namespace dse::explore::runs_count_test {
namespace {

/// With a home of every tensor written down, one after the other.
class ByHand {
 public:
  ByHand(const Case& c, const SweepSpec& spec, int simulations) : n_(*c.network), c_(c), space_(n_, *c.device, spec) {
    for (const auto& task : space_.tasks)
      fronts_.push_back(
          search_layer(task, plan::ChoiceRegistry::standard(), {}, goal_of(spec, *c.device), {simulations, {}}));
    runs_ = undominated(runs_of(c, spec, space_).list);
    for (int t = 0; t < static_cast<int>(space_.homes.size()); ++t)
      if (n_.producer(t) >= 0 && !space_.homes[t].empty()) made_.push_back(t);
  }
  int layers() const { return static_cast<int>(space_.layers.size()); }
  double count() { return placed(0); }

 private:
  double placed(std::size_t k) {
    if (k == made_.size()) return ways(0, false, {});
    double sum = 0;
    for (std::size_t h = 0; h < space_.homes[made_[k]].size(); ++h) {
      home_[made_[k]] = static_cast<int>(h);
      sum += placed(k + 1);
    }
    return sum;
  }

  /// To run the layers from `position` on. Tensors inside of runs have no home: they count once, at the first one.
  double ways(int position, bool any, const std::set<int>& inside, bool behind_layer = false) {
    if (position == layers())
      return any && std::all_of(inside.begin(), inside.end(), [&](int t) { return home_[t] == 0; }) ? 1 : 0;
    double sum = schedules(space_.layers[position], behind_layer) * ways(position + 1, any, inside, true);
    const auto there = [&](const auto& f) { return home_[f.first] == f.second; };
    for (const auto& run : runs_) {
      if (run.first != position || !std::all_of(run.from.begin(), run.from.end(), there) ||
          !std::all_of(run.to.begin(), run.to.end(), there))
        continue;
      auto more = inside;
      for (int k = run.first; k <= run.last; ++k)
        for (const int o : n_.operators[space_.layers[k]].outputs)
          if (const int t = space_.root[o];
              std::none_of(run.to.begin(), run.to.end(), [&](const auto& f) { return f.first == t; }))
            more.insert(t);
      sum += static_cast<double>(run.options.size()) * ways(run.last + 1, true, more);
    }
    return sum;
  }

  /// `behind_layer`: one that runs by itself, and so may fetch the filters.
  double schedules(int op, bool behind_layer) {
    const auto at = [&](int tensor) {
      const int t = space_.root[tensor];
      return space_.homes[t][home_[t]];
    };
    plan::LayerContext context;
    context.network = &n_, context.device = c_.device.get(), context.op = op;
    const auto inputs = plan::activations(n_, n_.operators[op]);
    context.input_count = static_cast<int>(inputs.size());
    context.inputs.assign(std::max<std::size_t>(2, inputs.size()), plan::Placement{});
    for (std::size_t i = 0; i < inputs.size(); ++i) context.inputs[i] = at(inputs[i]);
    const int task = space_.task_of(op, context, at(n_.operators[op].outputs[0]));
    if (task < 0 || fronts_[task].entries.empty()) return 0;
    return static_cast<double>(fronts_[task].own + (behind_layer ? fronts_[task].fetched : 0));
  }

  const nn::Network& n_;
  const Case& c_;
  Space space_;
  std::vector<LayerFront> fronts_;
  std::vector<Run> runs_;
  std::vector<int> made_;  // root tensors that layers make
  std::map<int, int> home_;
};

TEST(Runs, AreCountedWithEveryWayToPutThemTogether) {
  constexpr int kSimulations = 2;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60 && compared < 8; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random);
    SweepSpec spec;
    spec.choices["network.order"] = {"file"};
    const auto d = dry_run(c, spec, {1, kSimulations, nullptr});
    if (d.runs == 0 || d.layers.size() > 4) continue;
    ++compared;
    const auto sum = ByHand(c, spec, kSimulations).count();
    EXPECT_GT(sum, 0) << seed;
    EXPECT_NEAR(d.whole_with_runs, sum, sum * 1e-12) << seed;
  }
  EXPECT_EQ(compared, 8);
}

}  // namespace
}  // namespace dse::explore::runs_count_test
