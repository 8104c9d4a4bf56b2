// Networks that remember, on every device and with every kind of choice: state, resident weights, rings and tensors
// have their own bytes, and several runs in a row give the interpreter's bytes.
#include <gtest/gtest.h>

#include <array>

#include "deploy/host/runner.h"
#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/phased_front.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/plan/segment/segments.h"
#include "tests/support/random_state.h"

namespace dse::stateful_test {
namespace {

hw::DevicePtr shipped(const std::string& name) {
  Diagnostics diags;
  auto d = hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + name + ".yaml", {}, diags);
  EXPECT_NE(d, nullptr) << diags.text();
  return d;
}

struct Seen {
  int plans = 0, resident = 0, phased = 0;
};

/// What several runs must give.
struct Truth {
  std::vector<deploy::ByteVectors> inputs, outputs;
};

Truth truth_of(const nn::Network& n, std::uint64_t seed) {
  Truth t;
  auto state = nn::initial_state(n);
  for (std::uint64_t step = 0; step < 4; ++step) {
    t.inputs.emplace_back();
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      t.inputs.back().push_back(nn::seeded_input(n.tensors[n.inputs[i]], static_cast<int>(i), seed, step));
    const auto values = nn::interpret(n, t.inputs.back(), state);
    t.outputs.emplace_back();
    for (const int o : n.outputs) t.outputs.back().push_back(values[o]);
  }
  return t;
}

void expect_runs(const nn::Network& n, const hw::Device& d, const plan::Plan& plan, const Truth& truth,
                 std::uint64_t seed, Seen& seen) {
  ++seen.plans;
  for (const auto& s : plan.segments) seen.phased += s.kind == plan::SegmentKind::phased;
  for (const auto& b : plan.buffers) seen.resident += b.name.ends_with(".resident");
  const auto program = plan::lower(n, d, plan);
  ASSERT_EQ(plan::to_string(plan::check(program, d)), "");
  const auto bytes = program::encode(program);
  const auto constants = plan::constants_image(n, d, plan);
  for (const auto port : {deploy::PortKind::eager, deploy::PortKind::lazy, deploy::PortKind::random}) {
    Diagnostics diags;
    const auto outputs = deploy::run_package_steps(bytes, constants, truth.inputs, port, seed, diags);
    ASSERT_TRUE(outputs) << diags.text();
    ASSERT_EQ(*outputs, truth.outputs) << deploy::name_of(port);
  }
}

TEST(Stateful, RandomPlansRememberOnEveryDevice) {
  Seen seen;
  int changing = 0;
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto n = test::random_stateful_network(random);
    const auto truth = truth_of(*n, seed);
    changing += truth.outputs[0] != truth.outputs[1];
    const std::array<hw::DevicePtr, 5> devices = {shipped("cortex-m7-class"), shipped("cortex-m7-camera"),
                                                  shipped("gap8-class"), shipped("dsp-l1-l2-l3"),
                                                  test::random_device(random)};
    const auto& d = *devices[seed % 5];
    SCOPED_TRACE(d.name);
    auto choices = test::random_choices(random, *n, d);
    for (auto& c : choices)  // more weights that stay
      if (c.weights_memory == plan::kStreamed && test::pick(random, 0, 2) == 0) c.weights_memory = d.io;
    auto phases = choices;
    test::draw_segments(random, *n, d, phases);
    for (auto& c : phases) c.strips = 1;
    std::vector<std::variant<plan::Plan, plan::Infeasible>> plans;
    plans.push_back(plan::make_plan(*n, d, choices));
    plans.push_back(plan::make_plan(*n, d, phases));
    plans.push_back(plan::rule_based_plan(*n, d, true));
    plans.push_back(plan::tflm_plan(*n, d));
    for (const auto& p : plans)
      if (const auto* plan = std::get_if<plan::Plan>(&p)) expect_runs(*n, d, *plan, truth, seed, seen);
  }
  std::printf("%d plans, %d resident weights, %d segments by phases; in %d networks outputs change\n", seen.plans,
              seen.resident, seen.phased, changing);
  EXPECT_GT(seen.plans, 350);
  EXPECT_GT(seen.resident, 100);
  EXPECT_GT(seen.phased, 100);
  EXPECT_GT(changing, 150);
}

TEST(Stateful, ReferenceNetworksRememberOnEveryDevice) {
  const char* shared = std::getenv("DSE_SHARED");
  const std::string folder = shared ? shared : DSE_SOURCE_DIR "/../shared";
  Seen seen;
  for (const char* file : {"tflm_mnist_lstm_int8", "tflm_keyword_scrambled_8bit"}) {
    Diagnostics diags;
    const auto n = nn::load_network(folder + "/models/tflite/" + file + ".tflite", diags);
    if (!n) GTEST_SKIP() << "no reference files in " << folder;
    const auto truth = truth_of(*n, 1);
    for (const char* name : {"cortex-m7-class", "cortex-m7-camera", "gap8-class", "dsp-l1-l2-l3"}) {
      const auto d = shipped(name);
      SCOPED_TRACE(std::string(file) + " on " + name);
      std::vector<std::variant<plan::Plan, plan::Infeasible>> plans = {
          plan::rule_based_plan(*n, *d, false), plan::rule_based_plan(*n, *d, true), plan::tflm_plan(*n, *d)};
      for (const auto& point : plan::phased_points(*n, *d, {}, 6))
        plans.push_back(
            plan::make_plan(*n, *d, plan::phased_choices(*n, *d, plan::plain_choices(*n, *d, d->io), true, point)));
      for (const auto& p : plans)
        if (const auto* plan = std::get_if<plan::Plan>(&p)) expect_runs(*n, *d, *plan, truth, 1, seen);
    }
  }
  EXPECT_GT(seen.plans, 12);
}

/// A plan whose state lies where the choice of another buffer is: noticed.
TEST(Stateful, TheCheckerFindsAStateThatIsNotKept) {
  test::Random random(1);
  const auto n = test::random_stateful_network(random);
  const auto d = shipped("cortex-m7-class");
  const auto made = plan::rule_based_plan(*n, *d, true);
  ASSERT_TRUE(std::holds_alternative<plan::Plan>(made));
  auto program = plan::lower(*n, *d, std::get<plan::Plan>(made));
  ASSERT_EQ(plan::to_string(plan::check(program, *d)), "");
  const auto state = std::find_if(program.buffers.begin(), program.buffers.end(),
                                  [](const auto& b) { return b.role == program::BufferRole::state; });
  ASSERT_NE(state, program.buffers.end());
  state->first_section = 1;
  EXPECT_NE(plan::to_string(plan::check(program, *d)).find("does not live from the first section"), std::string::npos);
  state->first_section = 0;
  for (auto& l : program.preloads)  // other bytes than its own: those are constants, then
    if (l.arena == state->arena && l.offset == state->offset) l.offset += 4;
  EXPECT_NE(plan::to_string(plan::check(program, *d)).find("shares bytes with resident weights"), std::string::npos);
}

}  // namespace
}  // namespace dse::stateful_test
