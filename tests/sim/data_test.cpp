// Programs run with real bytes.
#include <random>

#include "bench/synthetic.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::data_test {
namespace {

TEST(Data, BytesTravelThroughNearMemoryAndBack) {
  Program p = small_program();
  p.inputs = {{"in", 0, 1, 100, 64}};
  p.outputs = {{"out", 1, 1, 500, 64}};
  load(p, 0, 0, {}, 100, 32, 64);
  store(p, 1, 1, {{0, 0}}, 32, 500, 64);
  std::vector<std::uint8_t> input(64);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(3 * i + 1);
  const RunResult timed = run(p, small_device());
  const RunResult r = run(p, small_device(), {.data = true}, {{{}, {input}}});
  ASSERT_FALSE(r.failure) << r.failure->what;
  ASSERT_EQ(r.outputs.size(), 1u);
  EXPECT_EQ(r.outputs[0], input);
  EXPECT_EQ(r.ticks, timed.ticks);  // bytes change nothing about time
}

TEST(Data, PreloadsAreThereBeforeTheFirstTaskAndCostNoTime) {
  Program p = small_program();
  p.arenas.push_back({"far", 16, 4});  // the constants, in a region of their own
  p.constants_arena = 2;
  p.constants_size = 16;
  p.preloads = {{0, 64, 8, 4}};
  p.outputs = {{"out", 1, 1, 500, 8}};
  store(p, 1, 1, {}, 64, 500, 8);
  std::vector<std::uint8_t> constants(16);
  for (std::size_t i = 0; i < constants.size(); ++i) constants[i] = static_cast<std::uint8_t>(i);
  const hw::Device d = small_device();
  auto job = whole_program(p, d);
  job.binding[2].base = 7000;
  const auto device = std::make_shared<const hw::Device>(d);
  Platform::instance().configure(device);
  const RunResult r = Platform::instance().run({job}, {.data = true}, {{constants, {}}});
  ASSERT_FALSE(r.failure) << r.failure->what;
  EXPECT_EQ(r.outputs[0], (std::vector<std::uint8_t>{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(r.startup_bytes, 8);
  EXPECT_EQ(r.ticks, 5 + 2);
}

/// The whole chain of the synthetic network, against the same kernels called once per layer on whole tensors.
TEST(Data, ATiledNetworkComputesWhatItsLayersDo) {
  const synthetic::Shape shape{.layers = 5, .tiles = 4, .rows = 3, .width = 5, .channels = 8};
  const Program p = synthetic::program(shape);
  const auto constants = synthetic::constants(shape);
  std::vector<std::uint8_t> input(static_cast<std::size_t>(shape.plane()));
  std::mt19937 rng(2);
  for (auto& b : input) b = static_cast<std::uint8_t>(rng());
  const RunResult r = run(p, synthetic::device(), {.data = true}, {{constants, {input}}});
  ASSERT_FALSE(r.failure) << r.failure->what;

  std::vector<std::uint8_t> now = input, next(input.size());
  auto image = constants;
  for (int l = 0; l < shape.layers; ++l) {
    dse_call call{};
    call.op = &p.operators[static_cast<std::size_t>(l)];
    call.tile = {
        {0, call.op->out_h}, {0, call.op->out_w}, {0, call.op->out_c}, {0, call.op->in_c}, DSE_FIRST | DSE_LAST};
    call.view[DSE_IN0] = call.view[DSE_OUT] = synthetic::dense(shape.width, shape.channels);
    call.view[DSE_IN0].base = now.data();
    call.view[DSE_OUT].base = next.data();
    std::uint8_t* weights = image.data() + l * shape.constants_per_layer();
    call.view[DSE_WEIGHTS] = {weights, shape.channels, shape.channels, 1, 0, 0, 0, 0, 0, 0, 1};
    call.view[DSE_QPARAMS] = {weights + shape.weights(), 12, 12, 12, 0, 0, 0, 0, 0, 0, 12};
    ASSERT_EQ(dse_run_call(&call), 0);
    std::swap(now, next);
  }
  EXPECT_EQ(r.outputs.at(0), now);
  EXPECT_NE(now, input);
}

TEST(Data, AProgramCanBeSplitIntoJobs) {
  const synthetic::Shape shape{.layers = 4, .tiles = 3, .rows = 2, .width = 4, .channels = 8};
  const Program p = synthetic::program(shape);
  const auto constants = synthetic::constants(shape);
  const std::vector<std::uint8_t> input(static_cast<std::size_t>(shape.plane()), 5);
  const hw::Device d = synthetic::device();
  const RunResult whole = run(p, d, {.data = true}, {{constants, {input}}});
  program::Job first = whole_program(p, d), second = first;
  first.last_section = 1;
  second.first_section = 2;
  const RunResult split =
      Platform::instance().run({first, second}, {.data = true}, {{constants, {input}}, {constants, {input}}});
  ASSERT_FALSE(split.failure) << split.failure->what;
  EXPECT_EQ(split.outputs, whole.outputs);
  EXPECT_EQ(split.ticks, whole.ticks);  // layers end in barriers: splitting there costs nothing
  EXPECT_EQ(split.tasks, whole.tasks);
}

}  // namespace
}  // namespace dse::sim::testing::data_test
