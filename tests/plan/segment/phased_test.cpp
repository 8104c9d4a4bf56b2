// Plans whose layers run by phases: their bytes equal the interpreter's in every legal order, the checker finds
// nothing, and rings take less than whole tensors.
#include "plan/segment/phased.h"

#include <gtest/gtest.h>

#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "plan/segment/roll.h"
#include "tests/plan/platform_executor.h"
#include "tests/plan/reference_executor.h"
#include "tests/plan/segment/segments.h"
#include "tests/support/random_cases.h"

namespace dse::phased_test {
namespace {

/// A device whose engine reaches every memory.
hw::DevicePtr all_in_reach() {
  Diagnostics diags;
  auto d = hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-class.yaml", {}, diags);
  EXPECT_NE(d, nullptr) << diags.text();
  return d;
}

/// A memory that inputs come in from, and what copies from it.
void add_camera(hw::Device& d) {
  d.memories.push_back({.name = "camera", .size = 1'000'000, .width = {1, 1}, .latency = 4, .on_chip = false});
  d.input_from = static_cast<int>(d.memories.size()) - 1;
  auto& last = d.engines.back();
  if (last.kind == hw::EngineKind::dma)
    last.links.push_back({d.input_from, d.io});
  else
    last.memories.push_back(d.input_from);
}

/// Of a buffer with two windows at the same time: the second one gone, and over the first. @returns how many were
/// found.
int spoil_windows(program::Program& program, const hw::Device& d, int& noticed) {
  int found = 0;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const auto windows = program.buffers[i].windows;
    for (std::size_t k = 1; k < windows.size() && found < 3; ++k) {
      const auto &v = windows[k - 1], &w = windows[k];
      if (v.section != w.section || v.first_task != w.first_task || v.last_task != w.last_task) continue;
      ++found;
      auto& changed = program.buffers[i].windows;
      changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(k));
      noticed += !plan::to_string(plan::check(program, d)).empty();  // unless its bytes only lie there meanwhile
      changed = windows;
      changed[k].begin = v.begin, changed[k].end = v.end;
      EXPECT_NE(plan::to_string(plan::check(program, d)).find("windows that cannot be"), std::string::npos);
      changed = windows;
      break;
    }
  }
  return found;
}

TEST(Phased, RandomSegmentsComputeTheInterpretersBytesInEveryLegalOrder) {
  int infeasible = 0, several = 0, strips = 0, refused = 0, with_dma = 0, looped = 0, interleaved = 0, shifted = 0,
      spoiled = 0, noticed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = seed % 3 == 0 ? all_in_reach() : test::random_device(random);
    auto choices = test::random_choices(random, *network, *device);
    const int drawn = test::draw_segments(random, *network, *device, choices);
    plan::NetworkChoice whole;
    whole.input = std::array{plan::shared::Input::released, plan::shared::Input::kept,
                             plan::shared::Input::streamed}[test::pick(random, 0, 2)];
    auto with_stream = std::make_shared<hw::Device>(*device);
    if (whole.input == plan::shared::Input::streamed) add_camera(*with_stream);
    device = with_stream;
    auto made = plan::make_plan(*network, *device, choices, whole);
    if (std::holds_alternative<plan::Infeasible>(made) && std::get<plan::Infeasible>(made).hint == "strips: 1") {
      if (++refused < 4) std::printf("%s\n", std::get<plan::Infeasible>(made).what.c_str());
      for (auto& c : choices) c.strips = 1;
      made = plan::make_plan(*network, *device, choices, whole);
    }
    if (std::holds_alternative<plan::Infeasible>(made)) {
      ++infeasible;
      if (infeasible < 4) std::printf("%s\n", std::get<plan::Infeasible>(made).what.c_str());
      continue;
    }
    several += drawn;
    for (const auto& s : plan::shared_segments(std::get<plan::Plan>(made))) strips += s.strips > 1 && s.first < s.last;
    const auto& plan = std::get<plan::Plan>(made);
    auto program = plan::lower(*network, *device, plan);
    with_dma += device->engines.size() > 1 && drawn > 0;
    for (const auto& b : plan.buffers) interleaved += !b.taken.empty(), shifted += b.shift > 0;
    for (const auto& i : program.code) looped += i.op == program::Instruction::Op::loop;
    ASSERT_EQ(plan::to_string(plan::check(program, *device)), "") << "seed " << seed;
    Diagnostics diags;
    const auto again = plan::read_plan_text(plan::write_plan(plan, *network, *device), "p", *network, *device, diags);
    ASSERT_TRUE(again) << "seed " << seed << ": " << diags.text();
    ASSERT_EQ(again->id(), plan.id()) << "seed " << seed;
    ASSERT_EQ(again->heights, plan.heights) << "seed " << seed;
    spoiled += spoil_windows(program, *device, noticed);
    ASSERT_EQ(test::wrong_bytes(*network, program, plan::constants_image(*network, *device, plan), seed), "")
        << "seed " << seed;
  }
  std::printf("%d segments in strips, %d times refused\n", strips, refused);
  std::printf("infeasible %d of 400, %d segments of several layers, %d with DMA, %d loops, %d rings interleaved\n",
              infeasible, several, with_dma, looped, interleaved);
  EXPECT_LT(infeasible, 100);
  EXPECT_GT(several, 200);
  EXPECT_GT(strips, 20);
  EXPECT_GT(with_dma, 50);
  EXPECT_GT(looped, 100);
  EXPECT_GT(interleaved, 20);
  EXPECT_GT(shifted, 5);
  EXPECT_GT(spoiled, 10);
  EXPECT_GT(noticed, spoiled / 2);
}

TEST(Roll, LoopsExpandToTheSameTasks) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    std::vector<plan::RowTask> tasks;
    for (int part = 0; part < 4; ++part) {
      const int body = test::pick(random, 1, 5), turns = test::pick(random, 1, 6);
      std::vector<plan::RowTask> one;
      for (int k = 0; k < body; ++k) {
        const int lo = test::pick(random, 0, 9);
        one.push_back({test::pick(random, 0, 3), lo, lo + test::pick(random, 1, 3), test::pick(random, 0, 3)});
      }
      for (int t = 0; t < turns; ++t)
        for (const auto& o : one) tasks.push_back({o.kind, o.lo + t * o.step, o.hi + t * o.step, 0});
    }
    std::vector<plan::RowTask> expanded;
    std::size_t templates = 0;
    for (const auto& loop : plan::roll(tasks)) {
      templates += loop.body.size();
      for (int t = 0; t < loop.count; ++t)
        for (const auto& o : loop.body) expanded.push_back({o.kind, o.lo + t * o.step, o.hi + t * o.step, 0});
    }
    ASSERT_EQ(expanded, tasks) << "seed " << seed;
    EXPECT_LE(templates, tasks.size());
  }
}

TEST(Roll, ARepeatedBodyBecomesOneLoop) {
  std::vector<plan::RowTask> tasks;
  for (int t = 0; t < 10; ++t)
    for (int k = 0; k < 3; ++k) tasks.push_back({k, 2 * t + k, 2 * t + k + 1, 0});
  const auto loops = plan::roll(tasks);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].count, 10);
  EXPECT_EQ(loops[0].body.size(), 3U);
  EXPECT_EQ(loops[0].body[1].step, 2);
}

}  // namespace
}  // namespace dse::phased_test
