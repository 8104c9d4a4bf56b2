// Plans whose checksum is right and whose contents are not: an error or an end, never more tasks than they say, and
// nothing undefined (under the asan preset).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "deploy/host/runner.h"
#include "dse_port_eager.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "tests/deploy/damaged_plan.h"
#include "tests/deploy/random_program.h"
#include "tests/support/random_state.h"
#include "tests/support/random_wide.h"

namespace dse::damaged_test {
namespace {

using test::Fate;
using test::PlanBytes;

struct Subject {
  program::Program program;
  std::vector<std::uint8_t> constants;
};

std::optional<Subject> subject_of(const nn::NetworkPtr& network, test::Random& random) {
  if (!network) return {};
  const auto device = test::random_device(random);
  auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device));
  const auto* p = std::get_if<plan::Plan>(&made);
  if (!p) return {};
  return Subject{plan::lower(*network, *device, *p), plan::constants_image(*network, *device, *p)};
}

/// Plans with all kinds of operators.
std::vector<PlanBytes> plans() {
  std::vector<PlanBytes> out;
  for (std::uint64_t seed = 0; seed < 8; ++seed) out.push_back(program::encode(test::random_program(seed, true)));
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    test::Random random(seed);
    const auto arithmetic = static_cast<test::Arithmetic>(seed % 5);
    for (const auto& n : {test::random_wide_network(random, arithmetic), test::random_stateful_network(random)})
      if (const auto s = subject_of(n, random)) out.push_back(program::encode(s->program));
  }
  return out;
}

PlanBytes mutate(PlanBytes b, test::Random& random) {
  for (int i = test::pick(random, 1, 3); i > 0; --i) {
    const auto at = static_cast<std::size_t>(test::pick(random, 12, static_cast<int>(b.size()) - 5));
    const auto value = static_cast<std::uint8_t>(test::pick(random, 0, 3) ? random() : 0x7f);
    const auto place = b.begin() + static_cast<std::ptrdiff_t>(at);
    switch (test::pick(random, 0, 7)) {
      case 0:
        b.insert(place, value);
        break;
      case 1:
        b.erase(place);
        break;
      case 2:
        b[at] ^= static_cast<std::uint8_t>(1 << test::pick(random, 0, 7));
        break;
      default:
        b[at] = value;
    }
  }
  test::seal_plan(b);
  return b;
}

TEST(DamagedPlans, EndOrAreRefused) {
  const auto seeds = plans();
  std::map<Fate, int> fates;
  test::Random random(3);
  for (std::uint64_t i = 0; i < 30000; ++i) ++fates[test::run_damaged(mutate(seeds[i % seeds.size()], random), i)];
  std::printf("%zu plans: %d refused, %d stopped, %d ran to their end, %d skipped\n", seeds.size(),
              fates[Fate::refused], fates[Fate::stopped], fates[Fate::finished], fates[Fate::skipped]);
  EXPECT_GT(fates[Fate::refused], 10000);
  EXPECT_GT(fates[Fate::stopped], 200);
  EXPECT_GT(fates[Fate::finished], 1000);
  EXPECT_LT(fates[Fate::skipped], 1000);
}

/// An operator of a kind that is sane as it is.
dse_op sane(int kind) {
  dse_op o{};
  o.kind = kind;
  o.in_h = o.in_w = o.out_h = o.out_w = 4, o.in_c = o.out_c = 6;
  o.kernel_h = o.kernel_w = o.stride_h = o.stride_w = o.dilation_h = o.dilation_w = o.multiplier = 1;
  return o;
}

TEST(DamagedPlans, InputsOfFlatOperatorsHaveARow) {
  dse_op o = sane(DSE_GATHER);
  o.in_h = o.in_w = 1;
  o.arg[0] = 1, o.arg[1] = o.out_c, o.arg[7] = 1;  // one dimension, element by element
  EXPECT_TRUE(dse_op_is_sane(&o));
  o.in_h = 0;
  EXPECT_FALSE(dse_op_is_sane(&o));
  o.in_h = 1, o.in_w = 0;
  EXPECT_FALSE(dse_op_is_sane(&o));
}

TEST(DamagedPlans, WhatIsReadOfChannelsIsInTheBox) {
  dse_op o = sane(DSE_L2_NORMALIZATION);
  const dse_tile tile{{0, 1}, {0, 1}, {0, 9}, {0, 6}, DSE_FIRST | DSE_LAST};  // of six channels
  EXPECT_EQ(dse_operand_box(&o, &tile, DSE_IN0).c.hi, 9);
}

TEST(DamagedPlans, ParametersThatKernelsCannotComputeWithAreNotSane) {
  using Spoil = void (*)(dse_op&);
  const std::pair<int, Spoil> cases[] = {
      {DSE_CONV_2D, [](dse_op& o) { o.out_c = 0; }},                 // filters of a group: divided by
      {DSE_CONV_2D, [](dse_op& o) { o.groups = 12, o.out_c = 0; }},  // 0 % 12 = 0
      {DSE_CONV_2D, [](dse_op& o) { o.groups = 3, o.in_c = 0; }},    // channels of a group
      {DSE_CONV_2D, [](dse_op& o) { o.in_c = 1 << 20, o.kernel_h = o.kernel_w = 1 << 10; }},  // elements of a filter
      {DSE_CONV_2D, [](dse_op& o) { o.in_zero = INT32_MIN; }},                                // differences overflow
      {DSE_CONV_2D, [](dse_op& o) { o.act_min = INT32_MIN; }},
      {DSE_CONV_2D, [](dse_op& o) { o.in_type = DSE_I32; }},
      {DSE_CONV_2D, [](dse_op& o) { o.in_type = o.weight_type = DSE_I16; }},  // in sums of 32 bits
      {DSE_MATMUL, [](dse_op& o) { o.in_type = o.in2_type = DSE_I16, o.acc_bytes = 4; }},
      {DSE_FULLY_CONNECTED, [](dse_op& o) { o.groups = 2; }},
      {DSE_FULLY_CONNECTED, [](dse_op& o) { o.out_c = 0; }},
      {DSE_MATMUL, [](dse_op& o) { o.out_c = 0; }},
      {DSE_TRANSPOSE_CONV, [](dse_op& o) { o.stride_w = 0; }},
      {DSE_TRANSPOSE_CONV, [](dse_op& o) { o.groups = 2; }},
      {DSE_DEPTHWISE_CONV_2D, [](dse_op& o) { o.multiplier = 0; }},
      {DSE_SOFTMAX, [](dse_op& o) { o.in_c = 0; }},
      {DSE_SOFTMAX, [](dse_op& o) { o.in_type = DSE_I32; }},
      {DSE_LOG_SOFTMAX, [](dse_op& o) { o.in_c = 0; }},
      {DSE_L2_NORMALIZATION, [](dse_op& o) { o.in_c = 0; }},
      {DSE_AVERAGE_POOL_2D, [](dse_op& o) { o.rounding = DSE_ROUND_ONNX, o.s1 = 31; }},
      {DSE_ADD, [](dse_op& o) { o.rounding = DSE_ROUND_SINGLE, o.s1 = 31; }}};
  int i = 0;
  for (const auto& [kind, spoil] : cases) {
    dse_op o = sane(kind);
    EXPECT_TRUE(dse_op_is_sane(&o)) << "case " << i;
    spoil(o);
    EXPECT_FALSE(dse_op_is_sane(&o)) << "case " << i++;
  }
}

TEST(DamagedPlans, UnharmedOnesRun) {
  int finished = 0;
  for (const auto& p : plans()) finished += test::run_damaged(p, 1) == Fate::finished;
  EXPECT_GT(finished, 60);
}

/// A plan of one loop around a task that does nothing (its range is empty) or something.
program::Program looping(int count, bool empty) {
  program::Program p;
  p.arenas = {{"l1", 64, 4}};
  p.queues = {{"dma", 0, 0}};
  p.section({"s"});
  auto fill = std::make_shared<program::CopyPayload>();
  fill->fill = true;
  fill->to.arena = 0;
  fill->to.shape = dse_view{nullptr, 8, 8, 1, 0, 0, 0, 0, 0, 0, 1};
  fill->y = fill->x = program::Range::whole(1);
  fill->c = program::Range::whole(empty ? 0 : 8);
  p.loop(count);
  p.task({&program::copy_kind(), 0, program::kNoSlot, {}, fill});
  p.end();
  return p;
}

TEST(DamagedPlans, SayHowManyTasksAndInstructionsARunTakes) {
  for (const bool empty : {false, true}) {
    auto bytes = program::encode(looping(20, empty));
    dse_runtime rt;
    ASSERT_EQ(dse_open(&rt, bytes.data(), static_cast<std::uint32_t>(bytes.size())), DSE_OK);
    EXPECT_EQ(dse_task_count(&rt), empty ? 0u : 20u);
    EXPECT_EQ(dse_instruction_count(&rt), 42u);  // section, loop, 20 times a task and the loop's end
    const auto longer = program::encode(looping(21, empty));
    ASSERT_EQ(longer.size(), bytes.size());
    std::size_t differences = 0;
    for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
      if (bytes[i] == longer[i]) continue;
      ++differences;
      auto bad = bytes;
      bad[i] = longer[i];
      test::seal_plan(bad);
      const int status = dse_open(&rt, bad.data(), static_cast<std::uint32_t>(bad.size()));
      if (status == DSE_OK) {  // the number of tasks is known when the run ends
        std::vector<std::uint8_t> arena(64);
        const dse_arena base{arena.data(), 64};
        dse_port_eager eager;
        const dse_port port = dse_make_port_eager(&eager);
        ASSERT_EQ(dse_bind(&rt, &base, 1, nullptr), DSE_OK);
        EXPECT_EQ(dse_run(&rt, &port), DSE_ERR_TASKS) << i;
      } else {
        EXPECT_EQ(status, DSE_ERR_TASKS) << i;
      }
    }
    EXPECT_EQ(differences, empty ? 2u : 3u);  // the loop's count, the instructions, the tasks
  }
}

}  // namespace
}  // namespace dse::damaged_test
