// Operators that no scheme tiles, on tensors of two to six times the memory that the engine reads: in pieces, they have
// a plan wherever they can be cut, and its bytes are the interpreter's.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "deploy/host/runner.h"
#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/network/layers.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/plan/reference_executor.h"
#include "tests/support/large/large_operators.h"

namespace dse::plan::pieces_test {
namespace {

/// All of their input for any part of their output.
const std::set<std::string> kNeverCut = {"mean of channels", "mirror pad"};

class Pieces : public testing::TestWithParam<std::string> {};

struct Question {
  nn::NetworkPtr network;
  hw::DevicePtr device;
};

Question drawn(const std::string& device, const std::string& op, std::uint64_t seed) {
  constexpr std::int64_t kNear = 5 << 10;
  Diagnostics d;
  test::Random random(seed);
  const auto whole = hw::read_device(device, {}, d);
  ensure(whole != nullptr, d.text());
  const std::int64_t bytes = kNear * test::pick(random, 4, 12) / 2;
  return {test::large_operator(random, op, bytes, seed % 2 == 1), test::with_near_bytes(*whole, kNear)};
}

bool in_pieces(const nn::Network& n, const Plan& plan) {
  for (std::size_t op = 0; op < n.operators.size(); ++op)
    if (is_whole(n, n.operators[op]) && !renames(n, n.operators[op]) && plan.choices[op].tile > 0) return true;
  return false;
}

void expect_bytes(const Question& q, const Plan& plan, std::uint64_t seed) {
  const auto program = lower(*q.network, *q.device, plan);
  const auto findings = check(program, *q.device);
  EXPECT_TRUE(findings.empty()) << to_string(findings).substr(0, 2000);
  const auto inputs = nn::seeded_inputs(*q.network, seed);
  const auto truth = nn::interpret(*q.network, inputs);
  std::vector<std::vector<std::uint8_t>> outputs;
  for (const int t : q.network->outputs) outputs.push_back(truth[static_cast<std::size_t>(t)]);
  const auto order =
      std::array{test::Interleaving::eager, test::Interleaving::lazy, test::Interleaving::random}[seed % 3];
  const auto result = test::execute(program, constants_image(*q.network, *q.device, plan), inputs, order, seed);
  ASSERT_TRUE(result.ok()) << *result.failure;
  EXPECT_TRUE(result.outputs == outputs);
  deploy::PackageFiles files;
  files.plan = encode(program);
  files.constants = constants_image(*q.network, *q.device, plan);
  files.inputs = inputs, files.outputs = outputs;
  Diagnostics diags;
  EXPECT_TRUE(deploy::verify_package(files, 1, seed, "plan", diags)) << diags.text();
}

TEST_P(Pieces, GiveEveryLargeOperatorAPlanByRuleAndTheInterpretersBytes) {
  int all = 0, whole = 0, cut = 0;
  std::map<std::string, std::string> none;
  for (const auto& op : test::large_operators())
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(op + ", seed " + std::to_string(seed));
      const auto q = drawn(GetParam(), op, seed);
      const auto made = rule_based_plan(*q.network, *q.device, false);
      ++all;
      if (const auto* bad = std::get_if<Infeasible>(&made)) {
        none[op] = bad->what;
        continue;
      }
      const auto& plan = std::get<Plan>(made);
      ++(in_pieces(*q.network, plan) ? cut : whole);
      expect_bytes(q, plan, seed);
    }
  std::printf("%s: %d networks, %d plans, %d of them in pieces\n", GetParam().c_str(), all, whole + cut, cut);
  for (const auto& [op, why] : none) {
    std::printf("  no plan: %s: %s\n", op.c_str(), why.c_str());
    EXPECT_TRUE(kNeverCut.contains(op)) << op << ": " << why;
  }
  EXPECT_GT(cut, all / 2);
}

INSTANTIATE_TEST_SUITE_P(Devices, Pieces,
                         testing::Values("gap8-class", "gap8", "gap9", "dsp-l1-l2-l3", "array-45nm", "os-array-16x16"),
                         [](const auto& info) {
                           auto name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dse::plan::pieces_test
