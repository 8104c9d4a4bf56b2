// Plans by phases of networks whose rows are not those of the layer before: multipliers, odd strides, explicit padding,
// reshapes that share bytes. The bytes are the interpreter's in every legal order, and the checker finds nothing.
#include <gtest/gtest.h>

#include <map>

#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "plan/rules/phased_front.h"
#include "plan/rules/rules.h"
#include "plan/segment/phased.h"
#include "tests/plan/segment/segments.h"
#include "tests/support/inputs.h"
#include "tests/support/random_rows.h"

namespace dse::phased_rows_test {
namespace {

hw::DevicePtr shipped(const std::string& name) {
  Diagnostics diags;
  auto d = hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + name + ".yaml", {}, diags);
  EXPECT_NE(d, nullptr) << diags.text();
  return d;
}

/// What the plans that were tried had in their phased segments.
struct Seen {
  std::map<int, int> multipliers;  // of depthwise layers
  int plans = 0, strips = 0, reshaped = 0, after_pad = 0, odd = 0, infeasible = 0;

  void add(const nn::Network& n, const plan::Plan& plan) {
    ++plans;
    const auto root = plan::alias_roots(n, plan.alias_reshapes);
    for (const auto& s : plan.segments) {
      if (s.kind != plan::SegmentKind::phased) continue;
      if (plan.choices[s.operators.back()].strips > 1) ++strips;
      for (const int i : s.operators) {
        const auto& op = n.operators[i];
        if (op.kind == nn::OperatorKind::depthwise_conv_2d) ++multipliers[op.options.depth_multiplier];
        odd += op.options.stride_h == 3;
        const int in = op.inputs[0], maker = n.producer(root[in]);
        reshaped += !plan::rows_as(n, in, root[in]);
        after_pad += maker >= 0 && n.operators[maker].kind == nn::OperatorKind::pad;
      }
    }
  }
};

void expect_bytes(const nn::Network& n, const hw::Device& d, const plan::Plan& plan, std::uint64_t seed) {
  const auto program = plan::lower(n, d, plan);
  ASSERT_EQ(plan::to_string(plan::check(program, d)), "");
  ASSERT_EQ(test::wrong_bytes(n, program, plan::constants_image(n, d, plan), seed), "");
}

TEST(PhasedRows, RandomSegmentsComputeTheInterpretersBytes) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto n = test::random_row_network(random);
    auto d = seed % 2 ? shipped("cortex-m7-class") : test::random_device(random);
    auto choices = test::random_choices(random, *n, *d);
    test::draw_segments(random, *n, *d, choices);
    plan::NetworkChoice whole;
    whole.alias_reshapes = test::pick(random, 0, 5) > 0;
    for (std::size_t op = 0; op < choices.size() && !whole.alias_reshapes; ++op)  // reshapes are layers, too
      if (plan::renames(*n, n->operators[op])) choices[op].output_memory = d->io;
    whole.input = std::array{plan::shared::Input::released, plan::shared::Input::kept,
                             plan::shared::Input::streamed}[test::pick(random, 0, 2)];
    if (whole.input == plan::shared::Input::streamed) d = test::with_camera(*d);
    auto made = plan::make_plan(*n, *d, choices, whole);
    if (const auto* bad = std::get_if<plan::Infeasible>(&made); bad && bad->hint == "strips: 1") {
      for (auto& c : choices) c.strips = 1;
      made = plan::make_plan(*n, *d, choices, whole);
    }
    if (const auto* plan = std::get_if<plan::Plan>(&made)) {
      seen.add(*n, *plan);
      expect_bytes(*n, *d, *plan, seed);
    } else {
      ++seen.infeasible;
    }
  }
  std::printf("%d plans, %d infeasible, in phases: %d strips, %d reshaped, %d after PAD, %d with a stride of 3\n",
              seen.plans, seen.infeasible, seen.strips, seen.reshaped, seen.after_pad, seen.odd);
  EXPECT_GT(seen.plans, 350);
  EXPECT_GT(seen.strips, 30);
  EXPECT_GT(seen.reshaped, 40);
  EXPECT_GT(seen.after_pad, 50);
  EXPECT_GT(seen.odd, 100);
  for (int m = 1; m <= 8; ++m) EXPECT_GT(seen.multipliers[m], 20) << "multiplier " << m;
}

TEST(PhasedRows, WhatThePlannerFindsComputesTheInterpretersBytes) {
  Seen seen;
  for (std::uint64_t seed = 1000; seed < 1060 && !HasFailure(); ++seed) {
    test::Random random(seed);
    const auto n = test::random_row_network(random);
    const auto d = shipped(std::array{"cortex-m7-class", "gap8-class", "dsp-l1-l2-l3"}[seed % 3]);
    const auto base = plan::plain_choices(*n, *d, d->io);
    for (const auto& point : plan::phased_points(*n, *d, {}, 24)) {
      auto made = plan::make_plan(*n, *d, plan::phased_choices(*n, *d, base, true, point));
      const auto* plan = std::get_if<plan::Plan>(&made);
      if (!plan) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + " on " + d->name);
      seen.add(*n, *plan);
      expect_bytes(*n, *d, *plan, seed);
    }
  }
  std::printf("%d plans: %d strips, %d reshaped\n", seen.plans, seen.strips, seen.reshaped);
  EXPECT_GT(seen.plans, 200);
  EXPECT_GT(seen.reshaped, 8);
}

}  // namespace
}  // namespace dse::phased_rows_test
