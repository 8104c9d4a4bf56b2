// Schedules of an NPU as whole plans: on the platform with the CPU, as documents, in sweeps.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "explore/explore.h"
#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "explore/npu/whole_system.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/npu/block_choices.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/npu/schedule/least.h"
#include "sim/platform.h"
#include "tests/explore/npu/networks.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::npu::plan_test {
namespace {

using dse::test::Random;
using hw::ethos_u::MemoryMode;
using plan::npu::Decisions;
using testing::HasSubstr;

Case case_of(nn::NetworkPtr n, hw::DevicePtr d) {
  Case c;
  c.network = std::move(n), c.device = std::move(d), c.device_label = c.device->name;
  return c;
}

plan::Plan plan_of(const Case& c, const Decisions& decided) {
  auto made = plan::npu::npu_plan(c.network, *c.device, decided);
  if (const auto* no = std::get_if<plan::Infeasible>(&made)) throw std::runtime_error(no->what);
  return std::get<plan::Plan>(std::move(made));
}

/// By the rule, or with other blocks that fit, and weights where they lie.
Decisions drawn(const Case& c, Random& random) {
  const auto npu = hw::ethos_u::npu_of(*c.device);
  Decisions out{.rule = random() % 2 ? plan::npu::Optimise::size : plan::npu::Optimise::performance,
                .limit = npu->npu.arena_limit,
                .formats = random() % 4 ? plan::npu::Formats::in_place : plan::npu::Formats::bricks,
                .blocks = {},
                .unstaged = {}};
  if (random() % 3 == 0) return out;
  const auto made = plan::npu::decided_schedule(c.network, npu->npu, out);
  const auto& compiled = std::get<Compiled>(made);
  for (int i = 0; i < compiled.costs->count(); ++i) {
    if (random() % 3 || compiled.costs->op(i).function == plan::npu::Function::copy) continue;
    const auto blocks =
        plan::npu::quick_blocks(*compiled.costs, i, compiled.schedule.operations[static_cast<std::size_t>(i)], 50);
    if (!blocks.empty()) out.blocks[i] = blocks[random() % blocks.size()].ofm;
    if (compiled.costs->op(i).weights && random() % 2 &&
        compiled.schedule.operations[static_cast<std::size_t>(i)].staging != plan::npu::WeightStaging::none)
      out.unstaged.insert(i);
  }
  return out;
}

std::int64_t sum_of(const sim::RunResult& run) {
  std::int64_t out = 0;
  for (const auto& l : run.layers) out += l.total();
  return out;
}

/// Checked, equal to the interpreter, accounted for to the tick, and not below its bounds.
void expect_sound(const Case& c, const Decisions& decided, const std::string& where) {
  const auto plan = plan_of(c, decided);
  EXPECT_EQ(refusal(c, plan), "") << where;
  const Point p = simulate_point(c, plan, true, true);
  ASSERT_FALSE(p.run.failure) << where << ": " << p.run.failure->what;
  EXPECT_TRUE(p.verified) << where;
  EXPECT_EQ(sum_of(p.run), p.run.ticks) << where;
  EXPECT_LE(p.bound_ticks, p.run.ticks) << where;
  // Each invocation takes what the NPU alone takes.
  const Simulated alone = simulate(*plan.npu);
  std::vector<std::int64_t> taken;
  for (std::size_t i = 0; i < p.run.trace.size(); ++i)
    if (p.run.trace[i].queue == 1) taken.push_back(p.run.trace[i].end - p.run.trace[i].start - p.run.details[i].fixed);
  EXPECT_EQ(taken, alone.invocations) << where;
  EXPECT_LE(plan::npu::least_of(*plan.npu->costs).cycles, alone.pmu.active) << where;
  EXPECT_LE(plan::npu::least_of(*plan.npu->costs).bytes, plan.npu->places.fast_bytes) << where;
}

TEST(NpuPlans, OfDrawnNetworksAreSound) {
  Random random(21);
  const auto all = hw::ethos_u::accelerators();
  for (int i = 0; i < dse::test::of_cases(150); ++i) {
    const auto& a = all[random() % all.size()];
    const auto mode = static_cast<MemoryMode>(random() % 3);
    const auto c = case_of(dse::test::random_network(random), test::device_with_npu(std::string(a.name), mode));
    expect_sound(c, drawn(c, random),
                 "network " + std::to_string(i) + " on " + std::string(a.name) + ", " + hw::ethos_u::name_of(mode));
    if (HasFatalFailure()) return;
  }
}

TEST(NpuPlans, RunWithTheCpuBetween) {
  const auto n = test::with_between(nn::OperatorKind::elu, false);
  for (const auto mode : {MemoryMode::shared_sram, MemoryMode::sram_only, MemoryMode::dedicated_sram}) {
    const auto c = case_of(n, test::device_with_npu("ethos-u55-64", mode));
    const Decisions decided{.rule = plan::npu::Optimise::performance, .limit = 1 << 22, .blocks = {}, .unstaged = {}};
    const auto plan = plan_of(c, decided);
    ASSERT_EQ(plan.segments.size(), 3u);
    EXPECT_EQ(plan.segments[1].kind, plan::SegmentKind::layerwise);
    expect_sound(c, decided, hw::ethos_u::name_of(mode));
  }
}

TEST(NpuPlans, DocumentsGiveThePlanBack) {
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    const auto c =
        case_of(dse::test::random_network(random), test::device_with_npu(i % 2 ? "ethos-u85-512" : "ethos-u55-128"));
    const auto plan = plan_of(c, drawn(c, random));
    const auto text = plan::write_plan(plan, *c.network, *c.device);
    Diagnostics d;
    const auto read = plan::read_plan_text(text, "plan.yaml", *c.network, *c.device, d);
    ASSERT_TRUE(read) << d.text() << text;
    EXPECT_EQ(read->id(), plan.id());
    EXPECT_EQ(read->npu->decided, plan.npu->decided);
    EXPECT_EQ(plan::write_plan(*read, *c.network, *c.device), text);
  }
}

TEST(NpuPlans, DocumentsSayWhatIsWrong) {
  const auto c = case_of(test::thesis_network(4, 8), test::device_with_npu("ethos-u55-128"));
  const std::string head = "format: 1\nnetwork: {name: thesis-4-8}\ndevice: {name: core-with-npu}\n";
  const auto said = [&](const std::string& rest, const hw::Device& device) {
    Diagnostics d;
    EXPECT_FALSE(plan::read_plan_text(head + rest, "plan.yaml", *c.network, device, d)) << rest;
    return d.text();
  };
  EXPECT_THAT(said("npu: {rule: fast}\n", *c.device), HasSubstr("rule"));
  EXPECT_THAT(said("npu: {formats: stones}\n", *c.device), HasSubstr("in-place or bricks"));
  EXPECT_THAT(said("npu: {limit: lots}\n", *c.device), HasSubstr("bytes of SRAM"));
  EXPECT_THAT(said("npu: {operations: {conv0: {block: 3x3}}}\n", *c.device), HasSubstr("rows x columns x channels"));
  EXPECT_THAT(said("npu: {operations: {conv0: {block: 512x512x128}}}\n", *c.device), HasSubstr("conv0"));
  EXPECT_THAT(said("npu: {operations: {conv7: {block: 2x2x8}}}\n", *c.device), HasSubstr("did you mean conv"));
  EXPECT_THAT(said("npu: {}\nlayers: {}\n", *c.device), HasSubstr("exclude each other"));
  EXPECT_THAT(said("buffers: []\n", *c.device), HasSubstr("neither layers nor npu"));
  EXPECT_THAT(said("npu: {}\nbuffers: []\n", *c.device), HasSubstr("missing"));
  EXPECT_THAT(said("npu: {}\n", test::cpu()), HasSubstr("no NPU"));
  EXPECT_THAT(said("npu: {}\n", *test::device_with_npu("ethos-u55-128", MemoryMode::shared_sram, 64)),
              HasSubstr("bytes are missing"));
}

TEST(NpuPlans, AStreamThatIsWrongStopsTheRunAndNotTheTool) {
  const auto c = case_of(test::thesis_network(4, 8), test::device_with_npu("ethos-u55-32"));
  const auto plan =
      plan_of(c, {.rule = plan::npu::Optimise::performance, .limit = 1 << 22, .blocks = {}, .unstaged = {}});
  auto program = plan::lower(*c.network, *c.device, plan);
  for (auto& t : program.templates)
    if (const auto* stream = program::stream_of(t)) {
      auto damaged = std::make_shared<program::StreamPayload>(*stream);
      damaged->commands.resize(damaged->commands.size() / 2);
      t.payload = damaged;
    }
  auto& platform = sim::Platform::instance();
  platform.configure(c.device);
  const auto run = platform.run({sim::whole_program(program, *c.device)}, {});
  ASSERT_TRUE(run.failure);
  EXPECT_THAT(run.failure->what, HasSubstr("NPU stopped"));
  // and the next run is none the wiser
  EXPECT_FALSE(platform.run({sim::whole_program(plan::lower(*c.network, *c.device, plan), *c.device)}, {}).failure);
}

TEST(NpuPlans, ADeviceThatPlacesThingsElsewhereHasNone) {
  auto device = *test::device_with_npu("ethos-u55-128");
  device.constants = 0;
  const auto n = test::thesis_network(4, 8);
  const auto made =
      plan::npu::npu_plan(n, device, Decisions{.rule = {}, .limit = 1 << 22, .blocks = {}, .unstaged = {}});
  ASSERT_TRUE(std::holds_alternative<plan::Infeasible>(made));
  EXPECT_THAT(std::get<plan::Infeasible>(made).what, HasSubstr("constants lie in sram"));
}

class NpuSweeps : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("dse-npu-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Sweep run(const std::vector<Case>& cases, const std::string& out, int jobs) const {
    SweepSpec spec;
    spec.objectives = {"memory", "latency"};
    ExploreOptions options;
    options.jobs = jobs, options.out = (folder_ / out).string();
    Diagnostics d;
    auto sweep = explore(spec, cases, options, d);
    EXPECT_FALSE(d.has_errors()) << d.text();
    return sweep;
  }
  std::filesystem::path folder_;
};

TEST_F(NpuSweeps, FrontsAreWholePlansBetweenABoundAndTheRules) {
  std::vector<Case> cases;
  for (const char* a : {"ethos-u55-32", "ethos-u55-256"})
    cases.push_back(case_of(test::thesis_network(8, 16), test::device_with_npu(a)));
  cases.push_back(
      case_of(test::thesis_network(8, 16), test::device_with_npu("ethos-u55-32", MemoryMode::shared_sram, 512)));
  const auto sweep = run(cases, "one", 2);
  ASSERT_EQ(sweep.fronts.size(), 3u);
  EXPECT_TRUE(sweep.fronts[2].points.empty());
  EXPECT_THAT(sweep.fronts[2].infeasible_reason, HasSubstr("bytes are missing"));
  for (int i = 0; i < 2; ++i) {
    const Front& f = sweep.fronts[static_cast<std::size_t>(i)];
    ASSERT_FALSE(f.points.empty());
    EXPECT_TRUE(f.on_npu);
    ASSERT_EQ(f.bound.size(), 1u);
    EXPECT_GE(f.gap, 0);
    EXPECT_LT(f.gap, 1);
    EXPECT_TRUE(
        std::any_of(f.points.begin(), f.points.end(), [](const Point& p) { return p.on_npu && p.outside.empty(); }));
    for (const auto& p : f.points) {
      EXPECT_TRUE(p.verified);
      EXPECT_EQ(sum_of(p.run), p.run.ticks);
      EXPECT_EQ(p.on_npu, p.outside.empty());
      if (!p.on_npu) continue;  // a given plan, on the CPU
      EXPECT_GE(p.run.ticks, f.bound[0].latency_ticks);
      EXPECT_GE(p.memory_bytes, f.bound[0].memory_bytes);
    }
    for (const auto rule : {plan::npu::Optimise::performance, plan::npu::Optimise::size}) {
      const Case& c = cases[static_cast<std::size_t>(i)];
      const auto by_rule =
          simulate_point(c, plan_of(c, {.rule = rule, .limit = 1 << 22, .blocks = {}, .unstaged = {}}), false, false);
      EXPECT_TRUE(std::any_of(f.points.begin(), f.points.end(), [&](const Point& p) {
        return p.memory_bytes <= by_rule.memory_bytes && p.run.ticks <= by_rule.run.ticks;
      }));
    }
  }
}

TEST_F(NpuSweeps, AreTheSameForOneWorkerAndTwoAndTakenFromTheStudy) {
  std::vector<Case> cases;
  for (const char* a : {"ethos-u55-64", "ethos-u65-256"})
    cases.push_back(case_of(test::thesis_network(4, 8), test::device_with_npu(a)));
  const auto points = [](const Sweep& s) {
    std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> out;
    for (const auto& f : s.fronts)
      for (const auto& p : f.points) out.emplace_back(p.id, p.memory_bytes, p.run.ticks);
    return out;
  };
  const auto one = run(cases, "one", 1), two = run(cases, "two", 2), again = run(cases, "one", 2);
  EXPECT_EQ(points(one), points(two));
  EXPECT_EQ(points(one), points(again));
  EXPECT_LT(again.fronts[0].simulated, one.fronts[0].simulated / 4);
}

}  // namespace
}  // namespace dse::explore::npu::plan_test
