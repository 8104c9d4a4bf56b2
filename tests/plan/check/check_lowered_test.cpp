// What lowering makes is valid, and what is not valid is noticed.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "tests/plan/check/mutation.h"
#include "tests/plan/platform_executor.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::test::check_lowered_test {
namespace {

struct Case {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  plan::Plan plan;
};

/// Of `seed`; nothing when its plan is infeasible.
std::optional<Case> random_case(std::uint64_t seed, bool tight) {
  Random random(seed);
  Case c;
  c.network = random_network(random);
  c.device = random_device(random, tight);
  auto made = plan::make_plan(*c.network, *c.device, random_choices(random, *c.network, *c.device));
  if (std::holds_alternative<plan::Infeasible>(made)) return {};
  c.plan = std::get<plan::Plan>(made);
  return c;
}

MutationSubject subject_of(const Case& c, std::uint64_t seed) {
  MutationSubject s;
  s.make = [c] { return plan::lower(*c.network, *c.device, c.plan); };
  s.device = *c.device;
  s.constants = plan::constants_image(*c.network, *c.device, c.plan);
  for (std::size_t i = 0; i < c.network->inputs.size(); ++i)
    s.inputs.push_back(nn::seeded_input(c.network->tensors[c.network->inputs[i]], static_cast<int>(i), seed));
  const auto truth = nn::interpret(*c.network, s.inputs);
  for (int t : c.network->outputs) s.expected.push_back(truth[t]);
  return s;
}

TEST(CheckLowered, RandomPlansAreValid) {
  int valid = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto c = random_case(seed, seed % 3 == 0);
    if (!c) continue;
    const auto findings = plan::check(plan::lower(*c->network, *c->device, c->plan), *c->device);
    ASSERT_TRUE(findings.empty()) << "seed " << seed << "\n" << plan::to_string(findings);
    ++valid;
  }
  EXPECT_GT(valid, 250);
}

TEST(CheckLowered, PlansByRuleAreValid) {
  int valid = 0;
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    Random random(seed);
    const auto network = random_network(random);
    const auto device = random_device(random, seed % 2);
    for (auto&& made : {plan::rule_based_plan(*network, *device, false), plan::rule_based_plan(*network, *device, true),
                        plan::tflm_plan(*network, *device)}) {
      const auto* p = std::get_if<plan::Plan>(&made);
      if (!p) continue;
      const auto findings = plan::check(plan::lower(*network, *device, *p), *device);
      ASSERT_TRUE(findings.empty()) << p->origin << " seed " << seed << "\n" << plan::to_string(findings);
      ++valid;
    }
  }
  EXPECT_GT(valid, 120);
}

TEST(CheckLowered, ShippedNetworksAreValidOnTheDeviceLibrary) {
  const std::filesystem::path configs = DSE_SOURCE_DIR "/configs";
  int pairs = 0, valid = 0;
  for (const auto& n : std::filesystem::directory_iterator(configs / "networks")) {
    if (!n.is_regular_file()) continue;
    for (const auto& d : std::filesystem::recursive_directory_iterator(configs / "devices")) {
      if (d.path().extension() != ".yaml") continue;  // a folder, or a table
      if (!test::in_share(pairs++)) continue;
      Diagnostics diags;
      const auto network = nn::load_network(n.path().string(), diags);
      const auto device = hw::read_device(d.path().string(), {}, diags);
      ASSERT_TRUE(network && device) << diags.text();
      for (auto&& made : {plan::rule_based_plan(*network, *device, false),
                          plan::rule_based_plan(*network, *device, true), plan::tflm_plan(*network, *device)}) {
        const auto* p = std::get_if<plan::Plan>(&made);
        if (!p) continue;
        const auto findings = plan::check(plan::lower(*network, *device, *p), *device);
        EXPECT_TRUE(findings.empty()) << n.path() << " on " << d.path() << ", " << p->origin << "\n"
                                      << plan::to_string(findings);
        ++valid;
      }
    }
  }
  EXPECT_GT(valid, 20);
}

/// At least `mutants` broken programs, 30 of each random plan.
MutationReport judge_random_plans(const Executor& executor, std::uint64_t seed, int mutants) {
  MutationReport report;
  for (; report.total() < mutants; ++seed) {
    const auto c = random_case(seed, false);
    if (c) report.add(judge_mutants(subject_of(*c, seed), executor, 30, seed));
  }
  std::cout << report.table();
  return report;
}

TEST(MutationLowered, NoFaultInALoweredProgramGoesUnnoticed) {
  const auto report = judge_random_plans(reference(Interleaving::eager), 5000, 1500);
  for (const auto& m : report.missed) ADD_FAILURE() << m;
  for (const auto& c : report.counts) EXPECT_GT(c.total(), 50);
}

TEST(MutationLowered, NoFaultGoesUnnoticedOnThePlatform) {
  const auto report = judge_random_plans(on_platform(), 9000, 1200);
  for (const auto& m : report.missed) ADD_FAILURE() << m;
  for (const auto& c : report.counts) EXPECT_GT(c.total(), 50);
}

}  // namespace
}  // namespace dse::test::check_lowered_test
