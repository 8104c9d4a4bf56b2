// Operators in place: the same bytes as the interpreter's everywhere, nothing to find for the checker, less memory.
#include "plan/rules/in_place.h"

#include <gtest/gtest.h>

#include "deploy/host/runner.h"
#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/choices/assignment.h"
#include "plan/choices/homes.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/aliases.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/plan/platform_executor.h"
#include "tests/plan/reference_executor.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_wide.h"

namespace dse::in_place_test {
namespace {

using plan::LayerChoice;

struct Case {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::vector<std::vector<std::uint8_t>> inputs = {}, outputs = {};
};

Case with_data(nn::NetworkPtr network, hw::DevicePtr device, std::uint64_t seed) {
  Case r{std::move(network), std::move(device)};
  for (std::size_t i = 0; i < r.network->inputs.size(); ++i)
    r.inputs.push_back(nn::seeded_input(r.network->tensors[r.network->inputs[i]], static_cast<int>(i), seed));
  const auto truth = nn::interpret(*r.network, r.inputs);
  for (const int t : r.network->outputs) r.outputs.push_back(truth[t]);
  return r;
}

/// In every legal order, on the platform, and in the runtime of the package.
void expect_bytes(const Case& r, const plan::Plan& plan, std::uint64_t seed) {
  const auto program = plan::lower(*r.network, *r.device, plan);
  const auto constants = plan::constants_image(*r.network, *r.device, plan);
  const auto findings = plan::check(program, *r.device);
  EXPECT_TRUE(findings.empty()) << plan::to_string(findings);
  for (const auto order : {test::Interleaving::eager, test::Interleaving::lazy, test::Interleaving::random}) {
    const auto result = test::execute(program, constants, r.inputs, order, seed);
    ASSERT_TRUE(result.ok()) << test::name_of(order) << ": " << *result.failure;
    EXPECT_EQ(result.outputs, r.outputs) << test::name_of(order);
  }
  test::MutationSubject subject;
  subject.device = *r.device, subject.constants = constants, subject.inputs = r.inputs;
  const auto simulated = test::on_platform()(program, subject);
  ASSERT_TRUE(simulated.ok()) << "platform: " << *simulated.failure;
  EXPECT_EQ(simulated.outputs, r.outputs) << "platform";
  deploy::PackageFiles files;
  files.plan = encode(program);
  files.constants = constants;
  files.inputs = r.inputs, files.outputs = r.outputs;
  Diagnostics diags;
  EXPECT_TRUE(deploy::verify_package(files, 3, seed, "plan", diags)) << diags.text();
}

int in_place_layers(const std::vector<LayerChoice>& choices) {
  return static_cast<int>(std::count_if(choices.begin(), choices.end(), [](const auto& c) { return c.in_place; }));
}

/// in_place wherever the registry offers it and the layers before allow it.
std::vector<LayerChoice> everywhere(const nn::Network& n, const hw::Device& d, std::vector<LayerChoice> choices) {
  for (const int op : plan::layers_of(n, true)) {
    if (!plan::can_be_in_place(plan::context_of(n, d, choices, op, true), choices[op])) continue;
    choices[op].in_place = true;
    if (std::holds_alternative<plan::Infeasible>(plan::make_plan(n, d, choices))) choices[op].in_place = false;
  }
  return choices;
}

class RandomInPlace : public testing::TestWithParam<test::Arithmetic> {};

TEST_P(RandomInPlace, ComputesTheInterpretersBytesEverywhere) {
  int made = 0, layers = 0;
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    test::Random random(seed);
    const auto network = test::random_wide_network(random, GetParam());
    if (!network) continue;
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    for (auto& e : device->engines)
      if (!e.macs_per_cycle.empty()) e.macs_per_cycle["int16"] = {1, 2};
    auto choices = test::random_choices(random, *network, *device, seed % 2 == 1);
    if (std::holds_alternative<plan::Infeasible>(plan::make_plan(*network, *device, choices))) continue;
    choices = everywhere(*network, *device, choices);
    if (in_place_layers(choices) == 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto plan = std::get<plan::Plan>(plan::make_plan(*network, *device, choices));
    ++made, layers += in_place_layers(choices);
    expect_bytes(with_data(network, device, seed), plan, seed);
    Diagnostics diags;
    const auto again = plan::read_plan_text(plan::write_plan(plan, *network, *device), "p", *network, *device, diags);
    ASSERT_TRUE(again) << diags.text();
    EXPECT_EQ(again->id(), plan.id());
    EXPECT_EQ(again->choices, plan.choices);
    EXPECT_EQ(again->heights, plan.heights);
    EXPECT_EQ(again->loads, plan.loads);
  }
  std::printf("%d plans, %d layers in place\n", made, layers);
  EXPECT_GT(made, 15);
}

INSTANTIATE_TEST_SUITE_P(Arithmetics, RandomInPlace,
                         testing::Values(test::Arithmetic::int8, test::Arithmetic::int16, test::Arithmetic::q8,
                                         test::Arithmetic::mixed),
                         [](const auto& info) { return std::string(test::name_of(info.param)); });

hw::DevicePtr shipped(const std::string& name) {
  Diagnostics diags;
  auto device = hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + name + ".yaml", {}, diags);
  EXPECT_TRUE(device) << diags.text();
  return device;
}

/// Tensors in the io memory, layers as the plan by rule cuts them; nothing where no scheme fits.
std::vector<LayerChoice> by_rule(const nn::Network& n, const hw::Device& d) {
  const auto made = plan::rule_based_plan(n, d, false);
  const auto* p = std::get_if<plan::Plan>(&made);
  EXPECT_NE(p, nullptr);
  return p ? p->choices : std::vector<LayerChoice>(n.operators.size());
}

struct Made {
  nn::NetworkPtr network;
  int least;  // layers in place
};

class BranchedInPlace : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(BranchedInPlace, NeedsLessMemoryForTheSameBytes) {
  const auto& [name, on] = GetParam();
  const Made made = name == "residual"    ? Made{test::residual_network(), 3}
                    : name == "inception" ? Made{test::inception_network(), 1}
                    : name == "dense"     ? Made{test::dense_network(), 3}
                                          : Made{test::padded_network(), 2};
  auto device = shipped(on);
  if (!device->memories[static_cast<std::size_t>(device->io)].on_chip) {  // bytes on the chip are what is compared
    auto near = std::make_shared<hw::Device>(*device);
    near->io = near->memory("l2");
    device = near;
  }
  const auto& n = *made.network;
  const auto before = by_rule(n, *device);
  const auto after = plan::with_in_place(n, *device, before);
  const auto plain = std::get<plan::Plan>(plan::make_plan(n, *device, before));
  const auto saved = std::get<plan::Plan>(plan::make_plan(n, *device, after));
  const auto need = plan::on_chip_memory(*device, plain.heights), now = plan::on_chip_memory(*device, saved.heights);
  std::printf("%s on %s: %lld bytes on chip, %lld in place (%d layers)\n", name.c_str(), on.c_str(),
              static_cast<long long>(need), static_cast<long long>(now), in_place_layers(after));
  EXPECT_GE(in_place_layers(after), made.least);
  EXPECT_LT(now, need);
  EXPECT_NE(saved.id(), plain.id());
  const auto r = with_data(made.network, device, 1);
  expect_bytes(r, plain, 1);
  expect_bytes(r, saved, 1);
  expect_bytes(r, std::get<plan::Plan>(plan::make_plan(n, *device, everywhere(n, *device, before))), 2);
}

INSTANTIATE_TEST_SUITE_P(Networks, BranchedInPlace,
                         testing::Combine(testing::Values("residual", "inception", "dense", "padded"),
                                          testing::Values("gap8-class", "cortex-m7-class", "dsp-l1-l2-l3")),
                         [](const auto& info) {
                           std::string s = std::get<0>(info.param) + "_on_" + std::get<1>(info.param);
                           for (char& c : s)
                             if (c == '-') c = '_';
                           return s;
                         });

/// Exact aliasing is safe in the kernel of every element-wise kind, in place and tiled, over either operand.
TEST(InPlaceKinds, EveryElementWiseKernelMayWriteOverWhatItReads) {
  using K = nn::OperatorKind;
  const std::vector<K> unary = {K::abs,   K::elu,  K::hard_swish, K::leaky_relu, K::logistic,     K::neg,
                                K::prelu, K::relu, K::relu6,      K::tanh,       K::relu_n1_to_1, K::quantize};
  const std::vector<K> binary = {K::add, K::div, K::maximum, K::minimum, K::mul, K::squared_difference, K::sub};
  std::vector<std::pair<std::string, nn::NetworkPtr>> networks;
  for (const K kind : unary) {
    test::BranchedNetwork b(nn::key_of(kind));
    networks.emplace_back("", b.build({b.conv(b.unary(kind, b.conv(b.input(9, 9, 4), 20)), 4)}));
  }
  for (const K kind : binary)
    for (int kept = 0; kept < 3; ++kept) {  // the second operand is read again, the first is, both are one
      test::BranchedNetwork b(nn::key_of(kind));
      const int x = b.conv(b.input(9, 9, 4), 20), y = kept == 2 ? x : b.conv(x, 20);
      const int z = b.conv(b.binary(kind, kept == 1 ? x : y, kept == 1 ? y : x), 4);
      networks.emplace_back(kept == 2 ? " of one"
                            : kept    ? " over the second"
                                      : " over the first",
                            kept == 2 ? b.build({z}) : b.build({z, b.conv(x, 3)}));
    }
  int layers = 0;
  for (const auto& [how, network] : networks)
    for (std::uint64_t seed : {1, 2, 3, 4}) {
      SCOPED_TRACE(network->name + how + ", seed " + std::to_string(seed));
      test::Random random(seed);
      const auto device = test::random_device(random);
      auto choices = test::random_choices(random, *network, *device, true);
      for (auto& c : choices) c.output_memory = device->io, c.output_layout = plan::TensorLayout::hwc;
      if (std::holds_alternative<plan::Infeasible>(plan::make_plan(*network, *device, choices))) continue;
      choices = everywhere(*network, *device, choices);
      ASSERT_EQ(in_place_layers(choices), 1);
      ++layers;
      expect_bytes(with_data(network, device, seed), std::get<plan::Plan>(plan::make_plan(*network, *device, choices)),
                   seed);
    }
  EXPECT_GT(layers, 100);
}

TEST(InPlaceChoice, IsAnAssignmentAndAPlanDocument) {
  const auto network = test::residual_network();
  const auto device = shipped("gap8-class");
  const auto none = by_rule(*network, *device);
  const auto all = everywhere(*network, *device, none);
  const auto assignment = plan::to_assignment(*network, *device, all);
  EXPECT_EQ(assignment.at("add0.in_place"), "yes");
  for (const auto& [name, value] : plan::to_assignment(*network, *device, none))  // the default is not written
    EXPECT_EQ(name.find("in_place"), std::string::npos) << name;
  Diagnostics diags;
  const auto back = plan::decisions_from(*network, *device, assignment, plan::ChoiceRegistry::standard(), "", diags,
                                         plan::Accept::any);
  ASSERT_TRUE(back) << diags.text();
  EXPECT_EQ(back->layers, all);
  const auto offered = plan::list_choices(*network, *device);
  EXPECT_TRUE(std::any_of(offered.begin(), offered.end(), [](const auto& c) {
    return c.name == "add0.in_place" && c.fallback == "no" && c.values == std::vector<std::string>{"no", "yes"};
  }));
  // A document that moves one of two buffers that are one.
  auto plan = std::get<plan::Plan>(plan::make_plan(*network, *device, all));
  for (auto& b : plan.buffers)
    if (b.over >= 0) {
      b.offset += 4096;
      break;
    }
  EXPECT_FALSE(plan::read_plan_text(plan::write_plan(plan, *network, *device), "p.yaml", *network, *device, diags));
  EXPECT_NE(diags.text().find("takes over"), std::string::npos) << diags.text();
}

}  // namespace
}  // namespace dse::in_place_test
