// Eager, lazy and random ports give the same bytes for a program whose dependencies are right, and betray one whose are
// not.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "deploy/host/runner.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/support/random_cases.h"

namespace dse::ports_test {
namespace {

using namespace program;
using deploy::ByteVectors;
using deploy::PortKind;

constexpr int kH = 13, kW = 6, kC = 3, kM = 5, kRows = 2, kRing = 2 * kRows + 2, kTaps = 9;

dse_op conv() {
  dse_op o{};
  o.kind = DSE_CONV_2D;
  o.in_h = o.out_h = kH, o.in_w = o.out_w = kW, o.in_c = kC, o.out_c = kM;
  o.kernel_h = o.kernel_w = 3, o.stride_h = o.stride_w = o.dilation_h = o.dilation_w = 1, o.pad_top = o.pad_left = 1;
  o.in_zero = 4, o.out_zero = -7, o.act_min = -128, o.act_max = 127, o.multiplier = 1;
  return o;
}
View view(int arena, std::int64_t offset, int w, int c, int ring = 0, int elem = 1) {
  View v;
  v.arena = arena, v.offset = offset;
  v.shape = dse_view{nullptr, w * c * elem, c * elem, elem, 0, 0, ring, 0, 0, 0, elem};
  return v;
}
std::vector<std::uint8_t> image(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(kH * kW * kC);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  return bytes;
}
/// Weights [m][tap][c], then {bias, multiplier, shift} per output channel.
std::vector<std::uint8_t> constants() {
  std::mt19937_64 random(99);
  std::vector<std::uint8_t> bytes(kM * kTaps * kC + 1);  // + 1: parameters at a multiple of 4
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  for (int m = 0; m < kM; ++m)
    for (const std::int32_t v : {m * 100 - 200, 1 << 30, -6})
      for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(v) >> (8 * i)));
  return bytes;
}
constexpr int kQ = kM * kTaps * kC + 1;

enum class Flaw { none, call_before_rows, ring_overrun, result_not_waited_for };

/// Input in l2 -> ring of rows in l1 -> convolution by tiles of two rows, the next rows prefetched -> l2. Weights from
/// l3.
Program tiled(Flaw flaw) {
  Program p;
  p.arenas = {
      {"l1", 400 + kRing * kW * kC + 2 * kRows * kW * kM, 4}, {"l2", kH * kW * (kC + kM), 4}, {"l3", kQ + 12 * kM, 4}};
  p.constants_arena = 2, p.constants_size = kQ + 12 * kM;
  p.queues = {{"cluster", 0, 0}, {"dma", 1, 0}, {"dma.1", 1, 1}};
  p.preloads.push_back({0, 0, kQ + 12 * kM, 0});
  p.inputs.push_back({"in", 0, 1, 0, kH * kW * kC});
  p.outputs.push_back({"out", 1, 1, kH * kW * kC, kH * kW * kM});
  p.operators.push_back(conv());
  const View in = view(1, 0, kW, kC), out = view(1, kH * kW * kC, kW, kM), ring = view(0, 400, kW, kC, kRing),
             tile = view(0, 400 + kRing * kW * kC, kW, kM, 2 * kRows);
  const auto copy = [&](int queue, int slot, std::vector<Dependency> after, View from, View to, Range y, int c) {
    auto payload = std::make_shared<CopyPayload>();
    payload->from = from, payload->to = to, payload->y = y, payload->x = Range::whole(kW), payload->c = Range::whole(c);
    p.task({&copy_kind(), queue, slot, std::move(after), payload});
  };
  constexpr std::uint8_t kRowsSlot = 0, kCallSlot = 1, kOutSlot = 2;
  p.section({"conv"});
  copy(1, kRowsSlot, {}, in, ring, {0, kRows + 1, kH, 0, -1}, kC);
  p.loop((kH + kRows - 1) / kRows);
  // Prefetch for the next tile: overwrites rows that the call before the last one has read.
  copy(1, kRowsSlot, flaw == Flaw::ring_overrun ? std::vector<Dependency>{} : std::vector<Dependency>{{kCallSlot, 0}},
       in, ring, {kRows + 1, 2 * kRows + 1, kH, kRows, 0}, kC);
  auto call = std::make_shared<CallPayload>();
  call->op = 0, call->parameters = &p.operators[0];
  call->views[DSE_IN0] = ring, call->views[DSE_OUT] = tile, call->views[DSE_WEIGHTS] = view(0, 0, kTaps, kC);
  call->views[DSE_QPARAMS] = view(0, kQ, 1, 1, 0, 12);
  call->y = Range::tiles(0, kRows, kH), call->x = Range::whole(kW), call->c = Range::whole(kM),
  call->k = Range::whole(kC);
  std::vector<Dependency> after{{kRowsSlot, 1}, {kOutSlot, 1}};
  if (flaw == Flaw::call_before_rows) after.erase(after.begin());
  p.task({&call_kind(), 0, kCallSlot, after, call});
  copy(2, kOutSlot,
       flaw == Flaw::result_not_waited_for ? std::vector<Dependency>{} : std::vector<Dependency>{{kCallSlot, 0}}, tile,
       out, Range::tiles(0, kRows, kH), kM);
  p.end();
  p.task({&wait_kind(), kControl, kNoSlot, {}, std::make_shared<WaitPayload>()});
  return p;
}

std::vector<std::uint8_t> whole(const std::vector<std::uint8_t>& in, std::vector<std::uint8_t> weights) {
  const dse_op op = conv();
  std::vector<std::uint8_t> bytes = in, out(kH * kW * kM);
  dse_call call{};
  call.op = &op;
  call.tile = {{0, kH}, {0, kW}, {0, kM}, {0, kC}, DSE_FIRST | DSE_LAST};
  const auto bind = [&](int role, View v, std::uint8_t* base) {
    call.view[role] = v.shape, call.view[role].base = base;
  };
  bind(DSE_IN0, view(0, 0, kW, kC), bytes.data());
  bind(DSE_OUT, view(0, 0, kW, kM), out.data());
  bind(DSE_WEIGHTS, view(0, 0, kTaps, kC), weights.data());
  bind(DSE_QPARAMS, view(0, 0, 1, 1, 0, 12), weights.data() + kQ);
  EXPECT_EQ(dse_run_call(&call), 0);
  return out;
}

/// Runs of `program` whose outputs are not those of the whole convolution.
int wrong(const Program& program, int interleavings) {
  const auto plan = encode(program);
  const auto weights = constants();
  const auto in = image(1);
  const auto want = whole(in, weights);
  EXPECT_GT(std::set<std::uint8_t>(want.begin(), want.end()).size(), 20u) << "saturated: would hide errors";
  int n = 0;
  const auto run = [&](PortKind kind, std::uint64_t seed) {
    Diagnostics diags;
    const auto out = deploy::run_package(plan, weights, {in}, kind, seed, diags);
    EXPECT_TRUE(out) << diags.text();
    n += !out || (*out)[0] != want;
  };
  run(PortKind::eager, 0);
  run(PortKind::lazy, 0);
  for (int i = 0; i < interleavings; ++i) run(PortKind::dma, static_cast<std::uint64_t>(i));
  for (int i = 0; i < interleavings; ++i) run(PortKind::random, static_cast<std::uint64_t>(i));
  return n;
}

TEST(Ports, ATiledConvolutionIsTheWholeOneInEveryOrder) { EXPECT_EQ(wrong(tiled(Flaw::none), 300), 0); }
TEST(Ports, AMissingDependencyOnRowsShows) { EXPECT_GT(wrong(tiled(Flaw::call_before_rows), 50), 5); }
TEST(Ports, AnOverrunRingShows) { EXPECT_GT(wrong(tiled(Flaw::ring_overrun), 50), 5); }
TEST(Ports, AResultTakenTooEarlyShows) { EXPECT_GT(wrong(tiled(Flaw::result_not_waited_for), 50), 5); }

TEST(Ports, WrongInputsAreReported) {
  const auto plan = encode(tiled(Flaw::none));
  Diagnostics diags;
  EXPECT_FALSE(deploy::run_package(plan, constants(), {}, PortKind::eager, 0, diags));
  EXPECT_FALSE(deploy::run_package(plan, constants(), {std::vector<std::uint8_t>(5)}, PortKind::eager, 0, diags));
  EXPECT_FALSE(deploy::run_package(plan, {}, {image(1)}, PortKind::eager, 0, diags));
  EXPECT_EQ(diags.list().size(), 3u);
}

TEST(Ports, LoweredPlansComputeTheInterpretersBytes) {
  int run = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device));
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (!plan) continue;
    deploy::PackageFiles files;
    files.plan = encode(plan::lower(*network, *device, *plan));
    files.constants = plan::constants_image(*network, *device, *plan);
    for (std::size_t i = 0; i < network->inputs.size(); ++i)
      files.inputs.push_back(
          nn::seeded_input(network->tensors[static_cast<std::size_t>(network->inputs[i])], static_cast<int>(i), seed));
    const auto truth = nn::interpret(*network, files.inputs);
    for (const int t : network->outputs) files.outputs.push_back(truth[static_cast<std::size_t>(t)]);
    Diagnostics diags;
    ASSERT_TRUE(deploy::verify_package(files, 6, seed, "plan", diags)) << "seed " << seed << "\n" << diags.text();
    ++run;
  }
  EXPECT_GT(run, 80);
}

}  // namespace
}  // namespace dse::ports_test
