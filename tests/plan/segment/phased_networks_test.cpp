// What the planner of shared phases finds for real networks, at several memory caps: simulated with data, the bytes are
// the interpreter's; the checker finds nothing; phases are told in time.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/hw/device_reader.h"
#include "models/nn/import.h"
#include "plan/check/check.h"
#include "plan/choices/homes.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "plan/rules/phased_front.h"
#include "plan/rules/rules.h"
#include "plan/segment/phased.h"
#include "sim/platform.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"

namespace dse::phased_networks_test {
namespace {

hw::DevicePtr shipped_device(const std::string& name) {
  Diagnostics diags;
  auto d = hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + name + ".yaml", {}, diags);
  EXPECT_NE(d, nullptr) << diags.text();
  return d;
}

nn::NetworkPtr shipped_network(const std::string& name) {
  Diagnostics diags;
  auto n = nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + name + ".yaml", diags);
  EXPECT_NE(n, nullptr) << diags.text();
  return n;
}

struct Tried {
  plan::Plan plan;
  std::int64_t memory = 0;
};

/// Plans by phases that fit, by memory.
std::vector<Tried> plans_of(const nn::Network& n, const hw::Device& d, const plan::NetworkChoice& whole = {}) {
  std::vector<Tried> out;
  std::vector<std::vector<plan::LayerChoice>> all;
  std::vector<std::vector<plan::LayerChoice>> bases;
  for (const int m : plan::home_memories(d)) bases.push_back(plan::plain_choices(n, d, m));
  const auto by_rule = plan::rule_based_plan(n, d, false, whole.input);
  if (const auto* p = std::get_if<plan::Plan>(&by_rule)) bases.push_back(p->choices);
  const auto points = plan::phased_points(n, d, whole, 24);
  for (const auto& base : bases)
    for (const auto& p : points) all.push_back(plan::phased_choices(n, d, base, whole.alias_reshapes, p));
  for (auto& c : all) {
    auto made = plan::make_plan(n, d, std::move(c), whole);
    if (auto* p = std::get_if<plan::Plan>(&made)) {
      const auto memory = plan::on_chip_memory(d, p->heights);
      out.push_back({std::move(*p), memory});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Tried& a, const Tried& b) { return a.memory < b.memory; });
  return out;
}

/// Ticks of the run; -1 and a failure where the bytes are not the interpreter's.
std::int64_t run(const nn::Network& n, const hw::DevicePtr& d, const plan::Plan& plan) {
  const auto program = plan::lower(n, *d, plan);
  EXPECT_EQ(plan::to_string(plan::check(program, *d)), "");
  auto& platform = sim::Platform::instance();
  platform.configure(d);
  sim::RunData data;
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    inputs.push_back(nn::seeded_input(n.tensors[n.inputs[i]], static_cast<int>(i), 7));
  for (const auto& i : inputs) data.inputs.emplace_back(i);
  const auto constants = plan::constants_image(n, *d, plan);
  data.constants = constants;
  const auto truth = nn::interpret(n, inputs);
  sim::RunOptions options;
  options.data = true;
  const auto result = platform.run({sim::whole_program(program, *d)}, options, {data});
  if (result.failure) {
    ADD_FAILURE() << result.failure->what;
    return -1;
  }
  for (std::size_t o = 0; o < n.outputs.size(); ++o)
    if (result.outputs[o] != truth[n.outputs[o]]) {
      ADD_FAILURE() << "output " << o << " of " << n.name << " differs";
      return -1;
    }
  return result.ticks;
}

/// Five caps between the least memory and that of whole layers: at each the plan that just keeps it.
void five_caps(const nn::NetworkPtr& n, const hw::DevicePtr& d) {
  const auto all = plans_of(*n, *d);
  std::printf("%s on %s: %zu plans\n", n->name.c_str(), d->name.c_str(), all.size());
  ASSERT_GE(all.size(), 5U) << n->name << " on " << d->name;
  const auto least = all.front().memory, most = all.back().memory;
  ASSERT_LT(least, most);
  std::int64_t before = -1;
  int ran = 0;
  for (int cap = 0; cap < 5; ++cap) {
    const auto limit = least + (most - least) * cap / 4;
    const Tried* best = nullptr;
    for (const auto& t : all)
      if (t.memory <= limit && t.memory > before) best = &t;
    if (!best) continue;  // no plan lies between this cap and the one before
    before = best->memory;
    EXPECT_GT(run(*n, d, best->plan), 0) << n->name << " at " << best->memory;
    ++ran;
  }
  EXPECT_GE(ran, 1);
  // And the five smallest, however close they lie.
  for (std::size_t i = 0; i < 5; ++i) EXPECT_GT(run(*n, d, all[i].plan), 0) << n->name << " at " << all[i].memory;
}

class PhasedNetworks : public ::testing::TestWithParam<const char*> {};

TEST_P(PhasedNetworks, FiveCapsOnEveryDevice) {
  const std::string name = GetParam();
  const auto n = name == "residual"    ? test::residual_network()
                 : name == "inception" ? test::inception_network()
                 : name == "dense"     ? test::dense_network()
                                       : shipped_network(name);
  for (const char* device : {"cortex-m7-class", "gap8-class", "dsp-l1-l2-l3"}) five_caps(n, shipped_device(device));
}

INSTANTIATE_TEST_SUITE_P(Real, PhasedNetworks,
                         ::testing::Values("mobilenet-v1-0.25-96", "ds-cnn", "resnet8", "residual", "inception",
                                           "dense"),
                         [](const auto& info) {
                           std::string s = info.param;
                           std::replace_if(
                               s.begin(), s.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return s;
                         });

/// One segment of the whole chain of layers that can run by rows, in phases of `rows` rows of the last.
plan::Plan in_phases(const nn::Network& n, const hw::Device& d, int rows) {
  auto choices = plan::plain_choices(n, d, d.io);
  std::vector<int> run;
  for (const int op : plan::layers_of(n, true)) {
    if (!plan::by_rows(n, n.operators[op])) break;
    run.push_back(op);
  }
  for (const int op : run) choices[op].phases = plan::Phases::with_next;
  choices[run.back()].phases = plan::Phases::yes;
  choices[run.back()].tile = rows;
  auto made = plan::make_plan(n, d, choices);
  return std::get<plan::Plan>(std::move(made));
}

TEST(PhasedTime, MorePhasesNeverRaiseThroughputWhereDispatchCosts) {
  const auto d = shipped_device("cortex-m7-class");
  for (const auto& n : {test::residual_network(), test::inception_network(), test::dense_network()}) {
    std::int64_t before = 0;
    for (const int rows : {0, 16, 8, 4, 2, 1}) {
      const auto ticks = run(*n, d, in_phases(*n, *d, rows));
      EXPECT_GE(ticks, before) << n->name << " in phases of " << rows;
      before = std::max(before, ticks);
    }
  }
}

TEST(PhasedNetworks, WordsSayHowManyRowsEachLayerMakes) {
  const auto n = shipped_network("resnet8");
  const auto d = shipped_device("cortex-m7-class");
  auto choices = plan::plain_choices(*n, *d, d->io);
  const auto layers = plan::layers_of(*n, true);
  for (int i = 0; i < 3; ++i) choices[layers[i]].phases = i < 2 ? plan::Phases::with_next : plan::Phases::yes;
  choices[layers[0]].tile = 1, choices[layers[1]].tile = 0, choices[layers[2]].tile = 2;
  const auto made = plan::make_plan(*n, *d, std::move(choices), {});
  ASSERT_TRUE(std::holds_alternative<plan::Plan>(made)) << std::get<plan::Infeasible>(made).what;
  const auto words = plan::in_words(std::get<plan::Plan>(made), *n, *d);
  const auto starts = [&](int i, const std::string& with) { EXPECT_EQ(words[i].rfind(with, 0), 0u) << words[i]; };
  const auto& last = n->operators[layers[2]].name;
  starts(0, n->operators[layers[0]].name + ": by phases, a row at a time for " + last + ";");
  starts(1, n->operators[layers[1]].name + ": by phases, what " + last + " asks for;");
  starts(2, last + ": by phases, 2 rows at a time;");
  starts(3, n->operators[layers[3]].name + ": whole, where it lies;");
}

}  // namespace
}  // namespace dse::phased_networks_test
