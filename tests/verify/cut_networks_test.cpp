// Networks that cannot run to their end, or from their beginning, or through their middle: what a cut keeps is the most
// that one call can run, computes what the whole would, and is planned and simulated like any other network.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "models/nn/dsenet.h"
#include "models/nn/graph/cut.h"
#include "models/nn/import.h"
#include "models/nn/passes/passes.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "tests/support/random_cases.h"
#include "tests/verify/detector.h"
#include "tests/verify/simulated.h"

namespace dse::cut_networks_test {
namespace {

using nn::OperatorKind;
using nn::Side;
using nn::TensorKind;
using test::pick;

struct Holed {
  nn::Network with_holes, twin;  // unfinished; the twin computes ABS where the other has what nobody knows
  int holes = 0;
};

/// A random network with unknown operators at its front, its end, its sides and in its middle.
Holed holed(std::uint64_t seed) {
  test::Random random(seed);
  Holed h;
  nn::Network n = nn::unfinished(*test::random_network(random));
  const int most = pick(random, 1, 4);
  for (int i = 0; i < most; ++i) {
    std::vector<int> from;
    for (std::size_t t = 0; t < n.tensors.size(); ++t)
      if (n.tensors[t].kind == TensorKind::activation || n.tensors[t].kind == TensorKind::input)
        from.push_back(static_cast<int>(t));
    const int t = from[static_cast<std::size_t>(pick(random, 0, static_cast<int>(from.size()) - 1))];
    nn::Tensor like = n.tensors[static_cast<std::size_t>(t)];
    like.kind = TensorKind::activation, like.name = "hole" + std::to_string(i);
    const int made = static_cast<int>(n.tensors.size());
    n.tensors.push_back(like);
    // All readers from some operator on read the new tensor; where there are none it is a further output.
    std::size_t at = 0;
    for (std::size_t o = 0; o < n.operators.size(); ++o)
      if (n.operators[o].outputs[0] == t) at = o + 1;
    int readers = 0;
    for (std::size_t o = at; o < n.operators.size(); ++o)
      if (!n.operators[o].inputs.empty() && n.operators[o].inputs[0] == t && pick(random, 0, 3) > 0)
        n.operators[o].inputs[0] = made, ++readers;
    if (readers == 0) n.outputs.push_back(made);
    nn::Operator hole;
    hole.kind = OperatorKind::abs, hole.name = like.name, hole.inputs = {t}, hole.outputs = {made};
    n.operators.insert(n.operators.begin() + static_cast<std::ptrdiff_t>(at), hole);
    ++h.holes;
  }
  h.twin = n;
  for (auto& op : n.operators)
    if (op.name.starts_with("hole")) op.kind = OperatorKind::other, op.type = "CUSTOM 'hole'", op.options = {};
  h.with_holes = std::move(n);
  return h;
}

nn::NetworkPtr kept_whole(const nn::Network& n) {
  Diagnostics diags;
  nn::LoadOptions keep;
  keep.keep_unsupported = true;
  auto out = nn::finish_network(n, diags, "holed", keep);
  EXPECT_NE(out, nullptr) << diags.text();
  return out;
}

std::int64_t work(const nn::Network& n, const std::vector<Side>& sides) {
  std::int64_t sum = 0;
  for (std::size_t o = 0; o < sides.size(); ++o) {
    if (sides[o] != Side::device) continue;
    sum += 1 + n.operators[o].macs;
    for (const int t : n.operators[o].outputs) sum += n.tensors[static_cast<std::size_t>(t)].elements();
  }
  return sum;
}

/// Sides never go back along a wire, and what cannot be run is not the device's.
bool runs_in_one_call(const nn::Network& n, const std::vector<Side>& sides) {
  for (std::size_t o = 0; o < sides.size(); ++o) {
    if (sides[o] == Side::device && n.operators[o].evaluation != nn::Evaluation::kernel) return false;
    for (const int t : n.operators[o].inputs)
      if (const int p = t < 0 ? -1 : n.producer(t); p >= 0 && sides[static_cast<std::size_t>(p)] > sides[o])
        return false;
  }
  return true;
}

/// The most work of any assignment of sides, all of them tried.
std::int64_t most_work(const nn::Network& n) {
  std::vector<Side> sides(n.operators.size(), Side::host_before);
  std::int64_t best = 0;
  for (;;) {
    if (runs_in_one_call(n, sides)) best = std::max(best, work(n, sides));
    std::size_t o = 0;
    while (o < sides.size() && sides[o] == Side::host_after) sides[o++] = Side::host_before;
    if (o == sides.size()) return best;
    sides[o] = static_cast<Side>(static_cast<int>(sides[o]) + 1);
  }
}

TEST(CutNetworks, KeepTheMostThatOneCallCanRun) {
  int tried = 0, brute = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto whole = kept_whole(holed(seed).with_holes);
    ASSERT_TRUE(whole);
    const auto sides = nn::sides_of(*whole);
    ASSERT_TRUE(runs_in_one_call(*whole, sides)) << "seed " << seed;
    ++tried;
    if (whole->operators.size() > 9) continue;
    ++brute;
    EXPECT_EQ(work(*whole, sides), most_work(*whole)) << "seed " << seed;
  }
  EXPECT_GE(brute, 60) << "of " << tried;
}

TEST(CutNetworks, ComputeWhatTheWholeWouldAndAreSimulated) {
  const auto gap8 = test::shipped_device("gap8-class"), m7 = test::shipped_device("cortex-m7-class");
  int cut = 0, nothing = 0, before = 0, after = 0;
  for (std::uint64_t seed = 1000; seed < 1120; ++seed) {
    const Holed h = holed(seed);
    Diagnostics diags;
    nn::LoadOptions options;
    options.cut = true;
    const auto part = nn::import_dsenet(nn::write_dsenet(h.with_holes), "holed.dsenet", diags, options);
    if (!part) {
      ++nothing;
      EXPECT_EQ(diags.list().size(), 1u) << diags.text();
      continue;
    }
    ++cut;
    ASSERT_GE(static_cast<int>(part->host.size()), h.holes);
    EXPECT_EQ(part->host.size() + part->operators.size(), h.with_holes.operators.size());
    for (const auto& op : part->host) {
      (op.before ? before : after)++;
      EXPECT_FALSE(op.why.empty());
    }
    // Everything that the twin computes, by the tensors' names.
    const auto twin = nn::finish_network(h.twin, diags, "twin");
    ASSERT_TRUE(twin) << diags.text();
    std::vector<std::vector<std::uint8_t>> given;
    for (std::size_t i = 0; i < twin->inputs.size(); ++i)
      given.push_back(nn::seeded_input(twin->tensors[static_cast<std::size_t>(twin->inputs[i])], 0, seed));
    const auto all = nn::interpret(*twin, given);
    std::map<std::string, std::vector<std::uint8_t>> by_name;
    for (std::size_t t = 0; t < all.size(); ++t) by_name[twin->tensors[t].name] = all[t];
    std::vector<std::vector<std::uint8_t>> inputs;
    for (const int t : part->inputs) inputs.push_back(by_name.at(part->tensors[static_cast<std::size_t>(t)].name));
    const auto made = nn::interpret(*part, inputs);
    for (const int t : part->outputs)
      EXPECT_EQ(made[static_cast<std::size_t>(t)], by_name.at(part->tensors[static_cast<std::size_t>(t)].name))
          << "seed " << seed << ": " << part->tensors[static_cast<std::size_t>(t)].name;
    const auto& device = seed % 2 ? gap8 : m7;
    const auto plan = plan::rule_based_plan(*part, *device, true);
    const auto* p = std::get_if<plan::Plan>(&plan);
    ASSERT_TRUE(p) << "seed " << seed << ": " << std::get<plan::Infeasible>(plan).what;
    EXPECT_EQ(test::fault_of(*part, device, *p), "") << "seed " << seed;
  }
  EXPECT_GE(cut, 90);
  EXPECT_GE(before, 20);
  EXPECT_GE(after, 60);
  std::printf("%d cut, %d with nothing left; host: %d before, %d after\n", cut, nothing, before, after);
}

TEST(CutNetworks, ANetworkThatRunsStaysAsItIs) {
  test::Random random(3);
  const auto n = test::random_network(random);
  Diagnostics diags;
  nn::LoadOptions options;
  options.cut = true;
  const auto same = nn::import_dsenet(nn::write_dsenet(*n), "same.dsenet", diags, options);
  ASSERT_TRUE(same) << diags.text();
  EXPECT_EQ(same->structure_hash(), n->structure_hash());
  EXPECT_TRUE(same->host.empty());
  EXPECT_EQ(nn::host_text(*same), "");
}

TEST(CutNetworks, VariablesStayOnOneSide) {
  // x -> ADD state -> hole -> ASSIGN state: the hole feeds the state, so nothing of the loop can be the device's.
  nn::Network n;
  n.name = "loop";
  for (const auto kind : {TensorKind::input, TensorKind::variable, TensorKind::activation, TensorKind::activation,
                          TensorKind::activation, TensorKind::activation}) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n.tensors.size()), t.shape = {1, 4}, t.kind = kind, t.quantization = {{0.5f}, {0}, 0};
    n.tensors.push_back(t);
  }
  const auto add = [&](OperatorKind kind, std::vector<int> inputs, int output) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = {output};
    n.operators.push_back(op);
  };
  add(OperatorKind::relu, {0}, 5);
  add(OperatorKind::read_variable, {1}, 2);
  add(OperatorKind::add, {5, 2}, 3);
  add(OperatorKind::other, {3}, 4);
  add(OperatorKind::assign_variable, {4}, 1);
  n.inputs = {0}, n.outputs = {4};
  const auto sides = nn::sides_of(*kept_whole(n));
  EXPECT_EQ(sides,
            (std::vector<Side>{Side::device, Side::host_after, Side::host_after, Side::host_after, Side::host_after}));
}

TEST(CutNetworks, TheDetectorKeepsItsConvolutions) {
  const auto bytes = test::detector_file();
  Diagnostics refused;
  EXPECT_FALSE(nn::import_tflite(bytes, "detector.tflite", refused));
  nn::LoadOptions options;
  options.cut = true;
  Diagnostics diags;
  const auto part = nn::import_tflite(bytes, "detector.tflite", diags, options);
  ASSERT_TRUE(part) << diags.text();
  EXPECT_EQ(part->inputs.size(), 1u);
  EXPECT_EQ(part->outputs.size(), 2u);
  EXPECT_EQ(nn::host_text(*part),
            "2 operators are the host's: before the device mul0 (MUL); after the device other0 (CUSTOM "
            "'TFLite_Detection_PostProcess')");
  for (const auto* name : {"gap8-class", "cortex-m7-class"}) {
    const auto device = test::shipped_device(name);
    const auto plan = plan::rule_based_plan(*part, *device, true);
    ASSERT_TRUE(std::holds_alternative<plan::Plan>(plan)) << std::get<plan::Infeasible>(plan).what;
    EXPECT_EQ(test::fault_of(*part, device, std::get<plan::Plan>(plan)), "");
  }
  // The file that tests of the command and the documentation use is this one.
  const std::string path = DSE_SOURCE_DIR "/tests/cli/networks/detector.tflite";
  if (std::getenv("DSE_WRITE_FILES") != nullptr)
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  std::ifstream in(path, std::ios::binary);
  const std::string stored{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(stored, std::string(bytes.begin(), bytes.end()));
}

}  // namespace
}  // namespace dse::cut_networks_test
