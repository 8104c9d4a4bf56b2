// Odd graphs through everything, from the file's bytes to simulated ones: each is planned and gives the interpreter's
// bytes, or is refused by the reader with one diagnostic. Nothing is a defect of ours, nothing is said twice.
#include "tests/verify/odd_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/nn/dsenet.h"
#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/phased_front.h"
#include "plan/rules/rules.h"
#include "plan/segment/phased.h"
#include "tests/verify/simulated.h"

namespace dse::verify_odd_graphs_test {
namespace {

using test::fault_of;
using test::shipped_device;

bool has_state(const nn::Network& n) {
  return std::any_of(n.tensors.begin(), n.tensors.end(),
                     [](const auto& t) { return t.kind == nn::TensorKind::variable; });
}

/// The writer takes operators that are whole; ports may be what they want.
bool writable(const nn::Network& n) {
  const auto whole = [](const nn::Operator& op) {
    return !op.inputs.empty() && op.inputs[0] >= 0 && !op.outputs.empty();
  };
  return std::all_of(n.operators.begin(), n.operators.end(), whole);
}

struct Tally {
  int planned = 0, refused = 0, plans = 0;
};

/// Plans by rule, and one by phases, each simulated.
void plan_all(const nn::Network& n, const hw::DevicePtr& d, const std::string& what, Tally& tally) {
  std::vector<plan::Plan> plans;
  const auto take = [&](auto&& made) {
    if (const auto* p = std::get_if<plan::Plan>(&made))
      plans.push_back(*p);
    else
      EXPECT_FALSE(std::get<plan::Infeasible>(made).what.empty()) << what;
  };
  take(plan::rule_based_plan(n, *d, false));
  take(plan::rule_based_plan(n, *d, true, plan::shared::Input::kept));
  if (d->input_from >= 0) take(plan::rule_based_plan(n, *d, true, plan::shared::Input::streamed));
  take(plan::tflm_plan(n, *d));
  for (const auto& p : plan::phased_points(n, *d, {}, 2))
    take(plan::make_plan(n, *d, plan::phased_choices(n, *d, plan::plain_choices(n, *d, d->io), true, p), {}));
  EXPECT_FALSE(plans.empty()) << what << " on " << d->name << ": no plan";
  for (const auto& p : plans) {
    ++tally.plans;
    EXPECT_EQ(fault_of(n, d, p), "") << what << " on " << d->name;
  }
}

void one_answer(const nn::NetworkPtr& n, const Diagnostics& diags, const std::string& what,
                const std::vector<hw::DevicePtr>& devices, Tally& tally) {
  if (!n) {
    ++tally.refused;
    EXPECT_TRUE(diags.has_errors()) << what << ": refused without a word";
    for (const auto& d : diags.list()) EXPECT_FALSE(d.what.empty()) << what;
    return;
  }
  ++tally.planned;
  EXPECT_TRUE(diags.empty()) << what << "\n" << diags.text();
  if (has_state(*n)) return;  // plans with state have tests of their own
  for (const auto& d : devices) {
    try {
      plan_all(*n, d, what, tally);
    } catch (const InvariantError& e) {
      ADD_FAILURE() << what << " on " << d->name << ": a defect of ours: " << e.what();
    }
  }
}

/// Of one bent port there is one thing to say; a wire that hangs loose may leave several operators without what they
/// read, each of which is named once.
void one_diagnostic(std::uint64_t seed, const nn::NetworkPtr& n, const Diagnostics& diags, const std::string& what) {
  if (n || seed >= 4u * static_cast<std::uint64_t>(test::odd_ways())) return;
  std::set<std::string> said;
  for (const auto& d : diags.list()) EXPECT_TRUE(said.insert(d.what).second) << what << "\n" << diags.text();
  if (test::bends_wires(static_cast<int>(seed) % test::odd_ways())) return;
  EXPECT_EQ(diags.list().size(), 1u) << what << "\n" << diags.text();
}

constexpr std::uint64_t kSeeds = 240;

TEST(OddGraphs, ArePlannedOrRefusedInOneWord) {
  const std::vector<hw::DevicePtr> devices = {shipped_device("gap8-class"), shipped_device("cortex-m7-class"),
                                              shipped_device("cortex-m7-camera")};
  Tally own, tflite;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto g = test::odd_graph(seed);
    SCOPED_TRACE(seed);
    {
      Diagnostics diags;
      const auto n = nn::import_dsenet(nn::write_dsenet(g.network), "odd.dsenet", diags);
      const auto what = "seed " + std::to_string(seed) + ", dsenet: " + g.what;
      one_diagnostic(seed, n, diags, what);
      one_answer(n, diags, what, devices, own);
    }
    Diagnostics unwritable, diags;
    const auto bytes = writable(g.network) ? nn::write_tflite(g.network, unwritable) : std::vector<std::uint8_t>();
    if (bytes.empty()) continue;
    const auto n = nn::import_tflite(bytes, "odd.tflite", diags);
    const auto what = "seed " + std::to_string(seed) + ", tflite: " + g.what;
    one_diagnostic(seed, n, diags, what);
    one_answer(n, diags, what, {devices[seed % 3]}, tflite);
  }
  EXPECT_GE(own.planned, 60);
  EXPECT_GE(own.refused, 60);
  EXPECT_GE(tflite.planned, 60);
  EXPECT_GE(tflite.refused, 40);
  std::printf("dsenet: %d planned (%d plans), %d refused; tflite: %d planned (%d plans), %d refused\n", own.planned,
              own.plans, own.refused, tflite.planned, tflite.plans, tflite.refused);
}

}  // namespace
}  // namespace dse::verify_odd_graphs_test
