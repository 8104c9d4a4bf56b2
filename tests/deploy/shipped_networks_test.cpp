// The networks that the project comes with: their plans are small enough to ship, and compute the interpreter's bytes
// as packages.
#include <gtest/gtest.h>

#include "deploy/host/runner.h"
#include "models/hw/device_reader.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"

namespace dse::shipped_networks_test {
namespace {

class ShippedNetwork : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedNetwork, FitsEightKilobytesAndComputesTheSame) {
  Diagnostics diags;
  const auto network =
      nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + GetParam() + ".yaml", diags);
  ASSERT_TRUE(network) << diags.text();
  int made = 0;
  for (const char* name : {"gap8-class", "cortex-m7-class", "dsp-l1-l2-l3"}) {
    const auto device = hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + name + ".yaml", {}, diags);
    ASSERT_TRUE(device) << diags.text();
    for (auto&& rule : {plan::rule_based_plan(*network, *device, false), plan::rule_based_plan(*network, *device, true),
                        plan::tflm_plan(*network, *device)}) {
      const auto* plan = std::get_if<plan::Plan>(&rule);
      if (!plan) continue;
      const auto program = plan::lower(*network, *device, *plan);
      deploy::PackageFiles files;
      files.plan = program::encode(program);
      files.constants = plan::constants_image(*network, *device, *plan);
      for (std::size_t i = 0; i < network->inputs.size(); ++i)
        files.inputs.push_back(
            nn::seeded_input(network->tensors[static_cast<std::size_t>(network->inputs[i])], static_cast<int>(i), 5));
      const auto truth = nn::interpret(*network, files.inputs);
      for (const int t : network->outputs) files.outputs.push_back(truth[static_cast<std::size_t>(t)]);
      std::printf("%s on %s, %s: %zu layers, %zu templates, %lld tasks, %zu bytes\n", network->name.c_str(), name,
                  plan->origin.c_str(), program.sections.size(), program.templates.size(),
                  static_cast<long long>(program::count_tasks(program)), files.plan.size());
      EXPECT_LE(files.plan.size(), 8u * 1024) << name << ", " << plan->origin;
      EXPECT_TRUE(deploy::verify_package(files, 2, 1, plan->origin, diags)) << diags.text();
      ++made;
    }
  }
  EXPECT_GT(made, 2);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedNetwork,
                         ::testing::Values("resnet8", "ds-cnn", "autoencoder", "mobilenet-v1-0.25-96"));

}  // namespace
}  // namespace dse::shipped_networks_test
