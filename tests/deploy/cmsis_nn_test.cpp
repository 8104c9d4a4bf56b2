// Packages that call CMSIS-NN: what the library takes gives the reference kernels' bytes, writes nothing else, and is
// what the exporter said. The library is the stand-in of cmsis_nn/, or itself (-DDSE_CMSIS_NN=<folder>).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "deploy/export/package.h"
#include "deploy/size/library_use.h"
#include "dse_batches.h"
#include "dse_cmsis_nn.h"
#include "dse_factors.h"
#include "dse_technique.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "program/kinds.h"
#include "tests/deploy/shipment.h"
#include "tests/nn/random_ops/one_operator.h"
#include "tests/support/random_cases.h"
#include "tests/support/shell.h"

extern "C" void set_cmsis_memory(std::uint32_t bytes);  // cmsis_nn/memory.c

namespace dse::cmsis_nn_test {
namespace {

using test::fresh_folder;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Bytes final : public program::ByteSpace {
 public:
  explicit Bytes(const program::Program& p) {
    for (const auto& a : p.arenas) arenas_.emplace_back(static_cast<std::size_t>(a.size) + 16, std::uint8_t{0xA5});
  }
  std::uint8_t* base(int arena) const override {
    return const_cast<std::uint8_t*>(arenas_[static_cast<std::size_t>(arena)].data());
  }
  bool operator==(const Bytes& o) const { return arenas_ == o.arenas_; }
  void put(int arena, std::int64_t offset, const std::uint8_t* from, std::int64_t n) {
    std::copy(from, from + n, base(arena) + offset);
  }

 private:
  std::vector<std::vector<std::uint8_t>> arenas_;
};

using Kernel = void (*)(const dse_call*);
const std::map<int, Kernel> kAdapters = {{DSE_CONV_2D, dse_cmsis_conv},
                                         {DSE_FULLY_CONNECTED, dse_cmsis_conv},
                                         {DSE_DEPTHWISE_CONV_2D, dse_cmsis_depthwise},
                                         {DSE_ADD, dse_cmsis_binary},
                                         {DSE_MUL, dse_cmsis_binary},
                                         {DSE_AVERAGE_POOL_2D, dse_cmsis_average_pool},
                                         {DSE_MAX_POOL_2D, dse_cmsis_max_pool},
                                         {DSE_SOFTMAX, dse_cmsis_softmax}};

/// Runs a program twice, call by call: with reference kernels, and through the adapters. `taken`: calls by kind.
void run_twice(const nn::Network& n, const program::Program& p, const std::vector<std::uint8_t>& image,
               std::uint64_t seed, std::map<int, int>& taken) {
  Bytes reference(p), library(p);
  const auto inputs = nn::seeded_inputs(n, seed);
  for (Bytes* b : {&reference, &library}) {
    if (p.constants_arena >= 0 && p.constants_size > 0)
      b->put(p.constants_arena, 0, image.data(), static_cast<std::int64_t>(image.size()));
    for (const auto& l : p.preloads) b->put(l.arena, l.offset, image.data() + l.image_offset, l.size);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      b->put(p.inputs[i].arena, p.inputs[i].offset, inputs[i].data(), p.inputs[i].size);
  }
  const auto use = deploy::cmsis_use(p);
  set_cmsis_memory(static_cast<std::uint32_t>(use.memory));
  dse_cmsis_calls = 0;
  program::Walker walker(p);
  program::TaskInstance task;
  while (walker.next(task)) {
    if (task.queue < 0) continue;
    ASSERT_TRUE(task.task->kind->execute(task, reference));
    auto call = program::call_of(task);
    const auto adapter = call ? kAdapters.find(call->op->kind) : kAdapters.end();
    const bool plain = call && dse_batch_outputs(call->op, &call->tile) == 0 && dse_in_factors(call->op) == 0 &&
                       dse_technique_of(call->op) == DSE_DIRECT;
    if (adapter == kAdapters.end() || !plain) {
      ASSERT_TRUE(task.task->kind->execute(task, library));
      continue;
    }
    const auto& payload = static_cast<const program::CallPayload&>(*task.task->payload);
    for (int role = 0; role < DSE_ROLES; ++role)
      if (const auto& v = payload.views[static_cast<std::size_t>(role)]; v.present())
        call->view[role].base = library.base(v.arena) + v.offset;
    if (call->tile.y.lo >= call->tile.y.hi || call->tile.x.lo >= call->tile.x.hi || call->tile.c.lo >= call->tile.c.hi)
      continue;
    const std::uint32_t before = dse_cmsis_calls;
    adapter->second(&*call);
    const bool is_taken = dse_cmsis_takes(&*call) != 0;
    ASSERT_EQ(dse_cmsis_calls - before, is_taken ? 1u : 0u) << "the library refused what the exporter promised";
    ASSERT_TRUE(library == reference) << n.operators[0].type;
    taken[call->op->kind] += is_taken;
  }
  EXPECT_EQ(dse_cmsis_calls, use.calls.taken);
}

/// A drawn network with a plan of random choices, lowered. Null program: these choices make no plan.
struct Drawn {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::shared_ptr<const program::Program> program;
  std::vector<std::uint8_t> constants;
};

Drawn planned(nn::NetworkPtr n, test::Random& random, bool every_choice) {
  Drawn out{std::move(n), test::random_device(random), nullptr, {}};
  const auto made =
      plan::make_plan(*out.network, *out.device, test::random_choices(random, *out.network, *out.device, every_choice));
  if (const auto* plan = std::get_if<plan::Plan>(&made)) {
    out.program = std::make_shared<program::Program>(plan::lower(*out.network, *out.device, *plan));
    out.constants = plan::constants_image(*out.network, *out.device, *plan);
  }
  return out;
}

Drawn drawn(std::uint64_t seed) {
  test::Random random(seed);
  auto network = test::random_network(random);
  return planned(std::move(network), random, false);
}

TEST(CmsisNn, GivesTheReferenceKernelsBytes) {
  std::map<int, int> taken;
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed)
    for (const char* kind : {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD", "MUL", "AVERAGE_POOL_2D",
                             "MAX_POOL_2D", "SOFTMAX"}) {
      SCOPED_TRACE(std::string(kind) + ", seed " + std::to_string(seed));
      Diagnostics diags;
      const auto n = nn::finish_network(
          nn::random_ops::network_of(nn::random_ops::draw(kind, nn::random_ops::Mode::tflite, seed)), diags, kind);
      if (!n) continue;
      test::Random random(seed);
      const Drawn c = planned(n, random, true);
      if (!c.program) continue;
      ++plans;
      run_twice(*c.network, *c.program, c.constants, seed, taken);
    }
  EXPECT_GT(plans, 4000);
  for (const auto& [kind, adapter] : kAdapters) EXPECT_GT(taken[kind], 100) << kind;
}

TEST(CmsisNn, AndOfWholeNetworks) {
  std::map<int, int> taken;
  int plans = 0;
  for (std::uint64_t seed = 0; plans < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Drawn c = drawn(seed);
    if (!c.program) continue;
    ++plans;
    run_twice(*c.network, *c.program, c.constants, seed, taken);
  }
  EXPECT_GT(taken[DSE_CONV_2D] + taken[DSE_DEPTHWISE_CONV_2D], 50);
}

TEST(CmsisNn, LeavesToTheReferenceWhatItDoesNotKnow) {
  dse_op op{};
  op.kind = DSE_CONV_2D, op.rounding = DSE_ROUND_TFLITE;
  op.in_h = op.in_w = op.out_h = op.out_w = 4, op.in_c = op.out_c = 8, op.kernel_h = op.kernel_w = 1;
  op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1, op.acc_bytes = 4;
  dse_call call{};
  call.op = &op;
  call.tile = {{0, 4}, {0, 4}, {0, 8}, {0, 8}, DSE_FIRST | DSE_LAST};
  call.view[DSE_IN0] = call.view[DSE_OUT] = dse_view{nullptr, 32, 8, 1, 0, 0, 0, 0, 0, 0, 1};
  call.view[DSE_WEIGHTS] = dse_view{nullptr, 8, 8, 1, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(dse_cmsis_takes(&call), 1);
  const auto changed = [&](auto&& change) {
    dse_op other = op;
    dse_call c = call;
    c.op = &other;
    change(other, c);
    return dse_cmsis_takes(&c);
  };
  EXPECT_EQ(changed([](dse_op& o, dse_call&) { o.in_type = DSE_I16; }), 0);
  EXPECT_EQ(changed([](dse_op& o, dse_call&) { o.rounding = DSE_ROUND_SINGLE; }), 0);
  EXPECT_EQ(changed([](dse_op& o, dse_call&) { o.weights_zero = 3; }), 0);
  EXPECT_EQ(changed([](dse_op& o, dse_call&) { o.groups = 2; }), 0);
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.tile.k.hi = 4, c.tile.flags = DSE_FIRST; }), 0) << "a partial sum";
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.tile.c.hi = 4; }), 0) << "channels of a larger tensor";
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.tile.y.hi = 2; }), 1) << "rows";
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.tile.x.hi = 2; }), 0) << "columns of a larger tensor";
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.view[DSE_IN0].ring_h = 3; }), 0) << "rows that wrap";
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.view[DSE_OUT].block_c = 4; }), 0) << "bricks";
  EXPECT_EQ(changed([](dse_op&, dse_call& c) { c.view[DSE_WEIGHTS].stride_c = 2; }), 0);
}

/// A network whose layers the library takes, and one layer that it does not.
struct Shipped {
  Drawn of;
  deploy::Shipment shipment;
};

Shipped shipped(std::uint64_t from) {
  for (std::uint64_t seed = from;; ++seed) {
    const Drawn c = drawn(seed);
    if (!c.program) continue;
    const auto use = deploy::cmsis_use(*c.program).calls;
    if (use.taken < 2 || use.taken == use.all) continue;
    const auto inputs = nn::seeded_inputs(*c.network, seed);
    const auto truth = nn::interpret(*c.network, inputs);
    deploy::ByteVectors outputs;
    for (const int t : c.network->outputs) outputs.push_back(truth[static_cast<std::size_t>(t)]);
    auto s = test::shipment_of(*c.program, c.constants, inputs, outputs);
    s.kernels = deploy::KernelSet::cmsis_nn;
    s.library = DSE_CMSIS_NN;
    return {c, s};
  }
}

TEST(CmsisNnPackages, CallItInBothStylesOnHostAndTarget) {
  for (const auto style : {deploy::Style::interpreted, deploy::Style::statically}) {
    Shipped s = shipped(style == deploy::Style::statically ? 500 : 1);
    s.shipment.style = style;
    s.shipment.prefix = style == deploy::Style::statically ? "kws" : "dse";
    s.shipment.check = {"host", "cortex-m4"};
    const fs::path folder = fresh_folder("cmsis");
    Diagnostics d;
    ASSERT_TRUE(deploy::write_package(*s.of.network, *s.of.device, s.shipment, folder.string(), d)) << d.text();
    const auto m = nlohmann::json::parse(test::text_of(folder / "manifest.json"));
    const auto use = deploy::cmsis_use(*s.shipment.points[0].program);
    EXPECT_EQ(m["kernels"]["ships"], "cmsis-nn");
    EXPECT_EQ(m["points"][0]["kernel_calls"]["library"], use.calls.taken);
    EXPECT_EQ(m["points"][0]["kernel_calls"]["all"], use.calls.all);
    ASSERT_EQ(m["checked"].size(), 2u);
    EXPECT_THAT(test::text_of(folder / "README.md"), HasSubstr("none: reference"));
    // As a project of its own, with the folder of the library.
    EXPECT_EQ(test::shell(folder, "cmake -S . -B build -D" + deploy::capitals_of(s.shipment.prefix) + "_CMSIS_NN='" +
                                      DSE_CMSIS_NN + "' && cmake --build build && cd build && ctest"),
              0)
        << test::text_of(folder / "log.txt");
    EXPECT_NE(test::shell(folder, "cmake -S . -B other"), 0) << "without the library";
    EXPECT_THAT(test::text_of(folder / "log.txt"), HasSubstr("is not the folder of CMSIS-NN"));
    fs::remove_all(folder);
  }
}

TEST(CmsisNnPackages, AFolderWithoutItIsSaid) {
  Shipped s = shipped(1);
  s.shipment.check = {"host"}, s.shipment.library = DSE_BINARY_DIR "/nowhere";
  Diagnostics d;
  EXPECT_FALSE(deploy::write_package(*s.of.network, *s.of.device, s.shipment, fresh_folder("cmsis-none").string(), d));
  EXPECT_THAT(d.text(), HasSubstr("no kernels in"));
}

TEST(OwnKernels, ReplaceTheReferenceOnesByMacros) {
  Shipped s = shipped(1);
  const fs::path mine = fresh_folder("mine"), folder = fresh_folder("own");
  fs::create_directories(mine);
  std::ofstream(mine / "own_kernels.h") << "void my_conv(const dse_call* call);\n#define DSE_OWN_CONV my_conv\n";
  // Its first output is wrong: the package has to notice.
  const std::string right =
      "#include \"dse_internal.h\"\n#include \"own_kernels.h\"\n"
      "void my_conv(const dse_call* call) {\n  dse_conv(call);\n";
  s.shipment.kernels = deploy::KernelSet::own, s.shipment.library = mine.string(), s.shipment.check = {"host"};
  for (const bool wrong : {false, true}) {
    std::ofstream(mine / "conv.c") << right
                                   << (wrong ? "  *dse_at(&call->view[DSE_OUT], call->tile.y.lo, call->tile.x.lo, "
                                               "call->tile.c.lo) ^= 0x55;\n}\n"
                                             : "}\n");
    Diagnostics d;
    EXPECT_EQ(deploy::write_package(*s.of.network, *s.of.device, s.shipment, folder.string(), d), !wrong) << d.text();
    if (wrong) EXPECT_THAT(d.text(), HasSubstr("outputs differ"));
  }
  fs::remove_all(mine), fs::remove_all(folder);
}

}  // namespace
}  // namespace dse::cmsis_nn_test
