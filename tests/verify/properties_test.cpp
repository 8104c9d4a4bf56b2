// Properties of random networks on random devices under random plans, each checked on every one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/layer/bound.h"
#include "explore/layer/layer_search.h"
#include "models/hw/cost_model.h"
#include "plan/layer/prefetch.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "sim/platform.h"
#include "tests/plan/check/clone.h"
#include "tests/support/random_cases.h"

namespace dse::properties_test {
namespace {

constexpr int kCases = 520;
constexpr int kTries = 6;  // draws of choices for one network and device

struct RandomCase {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  plan::Plan plan;
  int arranged = 0;          // layers by a technique
  int batched = 0;           // in several output batches
  int tiled = 0, split = 0;  // layers of two row (or pixel) tiles and more; of two kernel calls and more
};

struct Counts {
  int infeasible_draws = 0, given_up = 0, trivial = 0, tiled = 0, cases = 0, arranged = 0, batched = 0;
  std::int64_t tasks = 0;
};

std::optional<RandomCase> random_case(std::uint64_t seed, Counts& counts) {
  test::Random random(seed);
  RandomCase c;
  c.network = test::random_network(random);
  c.device = test::random_device(random, seed % 4 == 0);
  if (seed % 3 == 0) {
    c.network = test::with_separable_filters(*c.network, random);
    c.device = test::with_techniques(*c.device, random);
  }
  if (seed % 5 == 0) c.device = test::with_batches(*c.device, random);
  for (int i = 0; i < kTries; ++i) {
    auto made = plan::make_plan(*c.network, *c.device, test::random_choices(random, *c.network, *c.device, true));
    if (std::holds_alternative<plan::Infeasible>(made)) {
      ++counts.infeasible_draws;
      continue;
    }
    c.plan = std::get<plan::Plan>(std::move(made));
    const auto geometries = plan::geometries(*c.network, *c.device, c.plan.choices, true);
    for (const int op : plan::layers_of(*c.network, true)) {
      c.tiled += geometries[op].tiles >= 2;
      c.arranged += c.plan.choices[op].technique != 0;
      c.batched += c.plan.choices[op].batches > 1;
      c.split += geometries[op].tiles * geometries[op].sets * geometries[op].steps >= 2;
    }
    ++counts.cases;
    counts.arranged += c.arranged > 0;
    counts.batched += c.batched > 0;
    counts.tiled += c.tiled >= 2;
    counts.trivial += c.split == 0;
    return c;
  }
  ++counts.given_up;
  return {};
}

sim::RunResult run(const program::Program& program, const hw::DevicePtr& device, sim::RunOptions options,
                   const std::vector<sim::RunData>& data = {}) {
  auto& platform = sim::Platform::instance();
  platform.configure(device);
  return platform.run({sim::whole_program(program, *device)}, options, data);
}

/// The memories that each task of a program moves bytes in, in issue order.
std::vector<std::pair<int, std::uint64_t>> memories_touched(const program::Program& program,
                                                            const hw::DevicePtr& device) {
  const hw::DeviceTiming timing(device);
  const auto binding = sim::whole_program(program, *device).binding;
  const hw::DeviceCostModel model(timing, program, binding);
  std::vector<std::pair<int, std::uint64_t>> out;  // queue, bit per memory
  program::Walker walker(program);
  program::TaskInstance t;
  while (walker.next(t)) {
    if (t.queue == program::kControl) continue;
    const auto cost = t.task->kind->time(t, model);
    std::uint64_t touched = 0;
    for (int i = 0; i < cost.flow_count; ++i) touched |= std::uint64_t{1} << cost.flows[i].memory;
    out.emplace_back(t.queue, touched);
  }
  return out;
}

/// No two tasks that move bytes in one memory run at the same time.
bool contention_free(const program::Program& program, const hw::DevicePtr& device, const sim::RunResult& run) {
  const auto touched = memories_touched(program, device);
  EXPECT_EQ(touched.size(), run.trace.size());
  std::vector<std::size_t> order(touched.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    EXPECT_EQ(touched[i].first, run.trace[i].queue) << "the trace is not in issue order";
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return run.trace[a].start < run.trace[b].start; });
  std::vector<std::int64_t> busy_until(device->memories.size(), 0);
  for (const std::size_t i : order)
    for (std::size_t m = 0; m < busy_until.size(); ++m) {
      if (!(touched[i].second >> m & 1)) continue;
      if (run.trace[i].start < busy_until[m]) return false;
      busy_until[m] = std::max(busy_until[m], run.trace[i].end);
    }
  return true;
}

hw::DevicePtr twice_as_wide(const hw::Device& device) {
  auto wide = std::make_shared<hw::Device>(device);
  for (auto& m : wide->memories) m.width.num *= 2;
  return wide;
}

/// The same tasks one after the other: control waits for each. No contention by construction.
program::Program one_by_one(const program::Program& program) {
  auto p = test::clone(program);
  const auto code = std::move(p.code);
  p.code.clear();
  for (const auto& i : code) {
    p.code.push_back(i);
    if (i.op == program::Instruction::Op::task && !p.templates[i.arg].kind->is_wait())
      p.task(
          {&program::wait_kind(), program::kControl, program::kNoSlot, {}, std::make_shared<program::WaitPayload>()});
  }
  return p;
}

std::int64_t sum_of_layers_alone(const RandomCase& c) {
  const auto geometries = plan::geometries(*c.network, *c.device, c.plan.choices, true);
  const auto layers = plan::layers_of(*c.network, true);
  auto& platform = sim::Platform::instance();
  platform.configure(c.device);
  std::int64_t sum = sim::start_ticks(*c.device);
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const int op = layers[k];
    const auto& choice = c.plan.choices[op];
    explore::LayerTask task{op,
                            plan::context_of(*c.network, *c.device, c.plan.choices, op, true),
                            {choice.output_memory, choice.output_layout}};
    const bool fetches = k + 1 < layers.size() && geometries[layers[k + 1]].prefetched;
    if (fetches) task.next = plan::prefetch_of(geometries[layers[k + 1]]);
    const auto layer = explore::layer_program(task, geometries[op], fetches);
    sum += platform.run({sim::program_part(layer, *c.device)}, {.data = false, .accounts = false}).ticks;
  }
  return sum;
}

void expect_accounts_add_up(const sim::RunResult& run, std::uint64_t seed) {
  std::int64_t sum = 0;
  for (const auto& layer : run.layers) {
    for (const auto t : layer.ticks) ASSERT_GE(t, 0) << "seed " << seed;
    sum += layer.total();
  }
  ASSERT_EQ(sum, run.ticks) << "seed " << seed;
}

TEST(Properties, OfRandomNetworksDevicesAndPlans) {
  Counts counts;
  std::vector<double> tightness;
  int quiet = 0, contended = 0;
  for (std::uint64_t seed = 0; counts.cases < kCases; ++seed) {
    const auto c = random_case(seed, counts);
    if (!c) continue;
    const auto program = plan::lower(*c->network, *c->device, c->plan);
    const auto job = sim::whole_program(program, *c->device);

    // Bytes: the platform computes what the interpreter does, and moving them changes no time.
    const auto constants = plan::constants_image(*c->network, *c->device, c->plan);
    std::vector<std::vector<std::uint8_t>> inputs;
    for (std::size_t i = 0; i < c->network->inputs.size(); ++i)
      inputs.push_back(nn::seeded_input(c->network->tensors[c->network->inputs[i]], static_cast<int>(i), seed));
    sim::RunData data{constants, {inputs.begin(), inputs.end()}};
    const auto with_data = run(program, c->device, {.data = true, .accounts = true, .trace = true}, {data});
    ASSERT_FALSE(with_data.failure) << "seed " << seed << ": " << with_data.failure->what;
    const auto truth = nn::interpret(*c->network, inputs);
    for (std::size_t o = 0; o < c->network->outputs.size(); ++o)
      ASSERT_EQ(with_data.outputs[o], truth[c->network->outputs[o]]) << "seed " << seed;
    const auto timed = run(program, c->device, {.data = false, .accounts = true, .trace = true});
    ASSERT_EQ(timed.ticks, with_data.ticks) << "seed " << seed;
    counts.tasks += timed.tasks;
    expect_accounts_add_up(with_data, seed);
    expect_accounts_add_up(timed, seed);

    // The bound is admissible, and the layers' times compose.
    const auto bound = explore::cost_bound(program, job.binding, hw::DeviceTiming(c->device))[explore::kTicks];
    ASSERT_LE(bound, timed.ticks) << "seed " << seed;
    tightness.push_back(static_cast<double>(bound) / static_cast<double>(timed.ticks));
    ASSERT_EQ(sum_of_layers_alone(*c), timed.ticks) << "seed " << seed;

    // Twice the bandwidth is never slower where nothing shares it: in plans whose traces show no two transfers in one
    // memory at once ...
    const auto wide = twice_as_wide(*c->device);
    const auto faster = run(program, wide, {.data = false, .accounts = false, .trace = true});
    if (contention_free(program, c->device, timed) && contention_free(program, wide, faster)) {
      ++quiet;
      ASSERT_LE(faster.ticks, timed.ticks) << "seed " << seed;
    } else {
      ++contended;
    }
    // ... and in every plan when its tasks run one by one.
    const auto serial = one_by_one(program);
    const auto slow = run(serial, c->device, {.data = false, .accounts = false, .trace = true});
    ASSERT_TRUE(contention_free(serial, c->device, slow)) << "seed " << seed;
    ASSERT_LE(run(serial, wide, {.data = false, .accounts = false}).ticks, slow.ticks) << "seed " << seed;
  }
  std::sort(tightness.begin(), tightness.end());
  const double median = tightness[tightness.size() / 2];
  const double share = static_cast<double>(counts.tiled) / counts.cases;
  std::printf(
      "%d cases, %lld tasks; %.1f %% run two layers or more in two tiles or more; %d are trivial (every layer one "
      "call)\n",
      counts.cases, static_cast<long long>(counts.tasks), 100 * share, counts.trivial);
  std::printf("%d draws of choices were infeasible; %d networks given up after %d draws\n", counts.infeasible_draws,
              counts.given_up, kTries);
  std::printf("bound / simulation: median %.3f, least %.3f; %d plans free of contention, %d not\n", median,
              tightness.front(), quiet, contended);
  std::printf("%d plans compute layers by a technique\n", counts.arranged);
  EXPECT_GE(counts.arranged, 80);
  std::printf("%d plans compute layers in several output batches\n", counts.batched);
  EXPECT_GE(counts.batched, 30);
  EXPECT_GE(counts.cases, 500);
  EXPECT_GE(share, 0.7);
  EXPECT_GE(median, 0.7);
  EXPECT_GE(quiet, 100);
}

}  // namespace
}  // namespace dse::properties_test
