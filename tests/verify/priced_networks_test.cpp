// Operators that nobody can compute, priced: networks with such operators are planned whole, make the interpreter's
// bytes in the simulation, and take exactly the cycles that were stated.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/hw/clocking.h"
#include "models/nn/dsenet.h"
#include "models/nn/graph/price.h"
#include "models/nn/import.h"
#include "models/nn/passes/passes.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "sim/platform.h"
#include "tests/support/random_cases.h"
#include "tests/verify/detector.h"
#include "tests/verify/simulated.h"

namespace dse::priced_networks_test {
namespace {

using nn::DataType;
using nn::OperatorKind;
using nn::TensorKind;
using test::pick;

/// A random network with unknown operators that read up to five tensors (constants too) and make up to three, of any
/// type, some of which only another unknown operator reads.
class Holed {
 public:
  explicit Holed(std::uint64_t seed) : random_(seed), n_(nn::unfinished(*test::random_network(random_))) {
    const int most = pick(random_, 1, 3);
    for (int i = 0; i < most; ++i) add();
  }
  const nn::Network& network() const { return n_; }
  int holes() const { return holes_; }

 private:
  std::size_t maker_of(int t) const {
    for (std::size_t o = n_.operators.size(); o-- > 0;)
      if (std::count(n_.operators[o].outputs.begin(), n_.operators[o].outputs.end(), t)) return o + 1;
    return 0;
  }
  int tensor(DataType type, std::vector<std::int64_t> shape, TensorKind kind) {
    nn::Tensor t;
    t.name = "hole" + std::to_string(n_.tensors.size()), t.type = type, t.shape = std::move(shape), t.kind = kind;
    if (type == DataType::int8 && pick(random_, 0, 1)) t.quantization = {{0.5f}, {pick(random_, -128, 127)}, 0};
    if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.bytes()), 7);
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  int any_tensor() {
    constexpr DataType types[] = {DataType::int8,  DataType::uint8,   DataType::int16,  DataType::int32,
                                  DataType::int64, DataType::float32, DataType::boolean};
    return tensor(types[pick(random_, 0, 6)], {1, pick(random_, 1, 9), pick(random_, 1, 5)}, TensorKind::activation);
  }
  std::size_t insert(std::vector<int> from, std::vector<int> made) {
    std::size_t at = 0;
    for (const int t : from) at = std::max(at, maker_of(t));
    nn::Operator hole;
    hole.kind = OperatorKind::other, hole.type = "CUSTOM 'hole'", hole.name = "hole" + std::to_string(holes_++);
    hole.inputs = std::move(from), hole.outputs = std::move(made);
    n_.operators.insert(n_.operators.begin() + static_cast<std::ptrdiff_t>(at), hole);
    return at + 1;
  }
  void add() {
    std::vector<int> known, from;
    for (std::size_t t = 0; t < n_.tensors.size(); ++t)
      if (n_.tensors[t].kind == TensorKind::activation || n_.tensors[t].kind == TensorKind::input)
        known.push_back(static_cast<int>(t));
    const int reads = pick(random_, 1, 5);
    for (int i = 0; i < reads; ++i)
      from.push_back(known[static_cast<std::size_t>(pick(random_, 0, static_cast<int>(known.size()) - 1))]);
    if (pick(random_, 0, 2) == 0)
      from.push_back(tensor(DataType::float32, {pick(random_, 1, 40)}, TensorKind::constant));
    if (pick(random_, 0, 3) == 0) from.push_back(-1);
    nn::Tensor like = n_.tensors[static_cast<std::size_t>(from[0])];
    like.kind = TensorKind::activation, like.name = "like" + std::to_string(n_.tensors.size());
    n_.tensors.push_back(like);
    std::vector<int> made = {static_cast<int>(n_.tensors.size()) - 1};
    while (made.size() < 3 && pick(random_, 0, 1)) made.push_back(any_tensor());
    const std::size_t at = insert(from, made);
    int readers = 0;
    for (std::size_t o = at; o < n_.operators.size(); ++o)
      if (n_.operators[o].inputs[0] == from[0] && pick(random_, 0, 3) > 0)
        n_.operators[o].inputs[0] = made[0], ++readers;
    if (readers == 0) n_.outputs.push_back(made[0]);
    for (std::size_t i = 1; i < made.size(); ++i) {
      if (pick(random_, 0, 1)) {
        const int next = any_tensor();
        insert({made[i]}, {next});
        n_.outputs.push_back(next);
      } else if (pick(random_, 0, 1)) {
        n_.outputs.push_back(made[i]);
      }
    }
  }

  test::Random random_;
  nn::Network n_;
  int holes_ = 0;
};

nn::NetworkPtr priced(const nn::Network& n, std::map<std::string, std::int64_t> costs, Diagnostics& diags) {
  nn::LoadOptions options;
  options.costs = std::move(costs);
  return nn::import_dsenet(nn::write_dsenet(n), "holed.dsenet", diags, options);
}

std::int64_t ticks_of(const nn::Network& n, const hw::DevicePtr& d, const plan::Plan& plan) {
  const auto program = plan::lower(n, *d, plan);
  auto& platform = sim::Platform::instance();
  platform.configure(d);
  const auto result = platform.run({sim::whole_program(program, *d)}, {});
  EXPECT_FALSE(result.failure) << result.failure->what;
  return result.ticks;
}

TEST(PricedNetworks, ArePlannedWholeAndTakeTheirPrice) {
  const auto gap8 = test::shipped_device("gap8-class"), m7 = test::shipped_device("cortex-m7-class");
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Holed h(seed);
    Diagnostics refused, diags;
    ASSERT_FALSE(priced(h.network(), {}, refused)) << "seed " << seed;
    // Dear enough that whatever goes on beside it has ended.
    constexpr std::int64_t dear = 10'000'000, more = 1234;
    const auto n = priced(h.network(), {{"hole", dear}}, diags);
    const auto dearer = priced(h.network(), {{"CUSTOM 'hole'", dear + more}}, diags);
    const auto one = priced(h.network(), {{"hole", dear}, {"hole0", dear + more}}, diags);
    ASSERT_TRUE(n && dearer && one) << "seed " << seed << ": " << diags.text();
    EXPECT_NE(n->structure_hash(), dearer->structure_hash());
    EXPECT_EQ(n->operators.size(), h.network().operators.size());
    EXPECT_TRUE(nn::priced_text(*n).starts_with(std::to_string(h.holes()) + " operator")) << nn::priced_text(*n);
    const auto& device = seed % 2 ? gap8 : m7;
    const auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    std::int64_t ticks[3];
    const nn::NetworkPtr all[3] = {n, dearer, one};
    for (int i = 0; i < 3; ++i) {
      const auto made = plan::rule_based_plan(*all[i], *device, true);
      const auto* plan = std::get_if<plan::Plan>(&made);
      ASSERT_TRUE(plan) << "seed " << seed << ": " << std::get<plan::Infeasible>(made).what;
      if (i == 0) {
        EXPECT_EQ(test::fault_of(*n, device, *plan), "") << "seed " << seed;
      }
      ticks[i] = ticks_of(*all[i], device, *plan);
    }
    const hw::Clock clock(*device, engine.clock_hz);
    const std::int64_t step = clock.ticks(dear + more) - clock.ticks(dear);
    EXPECT_GE(ticks[0], dear * h.holes());
    EXPECT_EQ(ticks[1] - ticks[0], step * h.holes()) << "seed " << seed;
    EXPECT_EQ(ticks[2] - ticks[0], step) << "seed " << seed;
  }
}

TEST(PricedNetworks, MakeZeroPoints) {
  const Holed h(3);
  Diagnostics diags;
  const auto n = priced(h.network(), {{"hole", 1}}, diags);
  ASSERT_TRUE(n) << diags.text();
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const int t : n->inputs) inputs.push_back(nn::seeded_input(n->tensors[static_cast<std::size_t>(t)], 0, 1));
  const auto bytes = nn::interpret(*n, inputs);
  int looked = 0;
  for (const auto& op : n->operators)
    for (const int t : op.cycles < 0 ? std::vector<int>() : op.outputs) {
      const auto& made = n->tensors[static_cast<std::size_t>(t)];
      const bool narrow = made.type == DataType::int8 || made.type == DataType::uint8;
      const auto& zeros = made.quantization.zero_point;
      const auto value = static_cast<std::uint8_t>(narrow && !zeros.empty() ? zeros[0] : 0);
      EXPECT_EQ(bytes[static_cast<std::size_t>(t)],
                std::vector<std::uint8_t>(static_cast<std::size_t>(made.bytes()), value));
      ++looked;
    }
  EXPECT_GE(looked, 1);
}

TEST(PricedNetworks, TheDetectorRunsToItsEnd) {
  const auto bytes = test::detector_file();
  nn::LoadOptions options;
  options.costs = {{"MUL", 500}, {"TFLite_Detection_PostProcess", 40000}};
  Diagnostics diags;
  const auto n = nn::import_tflite(bytes, "detector.tflite", diags, options);
  ASSERT_TRUE(n) << diags.text();
  EXPECT_EQ(nn::priced_text(*n),
            "2 operators are priced, not computed: mul0 (MUL) 500 cycles, other0 (CUSTOM "
            "'TFLite_Detection_PostProcess') 40000 cycles");
  for (const auto* name : {"gap8-class", "cortex-m7-class"}) {
    const auto device = test::shipped_device(name);
    const auto plan = plan::rule_based_plan(*n, *device, true);
    ASSERT_TRUE(std::holds_alternative<plan::Plan>(plan)) << std::get<plan::Infeasible>(plan).what;
    EXPECT_EQ(test::fault_of(*n, device, std::get<plan::Plan>(plan)), "");
  }
}

TEST(PricedNetworks, CostsNameWhatCannotBeRun) {
  const auto bytes = test::detector_file();
  const auto said = [&](std::map<std::string, std::int64_t> costs, bool cut = false) {
    nn::LoadOptions options;
    options.costs = std::move(costs), options.cut = cut;
    Diagnostics diags;
    EXPECT_FALSE(nn::import_tflite(bytes, "detector.tflite", diags, options));
    return diags.text();
  };
  EXPECT_NE(said({{"TFLite_Detection_PostProces", 1}}).find("did you mean TFLite_Detection_PostProcess?"),
            std::string::npos);
  EXPECT_NE(said({{"CONV_2D", 1}}, true).find("has a kernel"), std::string::npos);
  EXPECT_NE(said({{"MUL", 1}}).find("TFLite_Detection_PostProcess"), std::string::npos);  // the other has no price
  // Priced in front, cut off behind.
  nn::LoadOptions both;
  both.costs = {{"mul0", 9}}, both.cut = true;
  Diagnostics diags;
  const auto n = nn::import_tflite(bytes, "detector.tflite", diags, both);
  ASSERT_TRUE(n) << diags.text();
  EXPECT_EQ(n->host.size(), 1u);
  EXPECT_EQ(nn::priced_text(*n), "1 operator is priced, not computed: mul0 (MUL) 9 cycles");
}

TEST(PricedNetworks, TextsOfCosts) {
  nn::LoadOptions options;
  EXPECT_EQ(nn::add_cost("a=b=12", options), "");
  EXPECT_EQ(options.costs.at("a=b"), 12);
  for (const auto* bad : {"=1", "X", "X=", "X=1.5", "X=-1", "X=2147483648", "X=99999999999", "a=b=13"})
    EXPECT_NE(nn::add_cost(bad, options), "") << bad;
  EXPECT_EQ(options.costs.size(), 1u);
}

}  // namespace
}  // namespace dse::priced_networks_test
