// Networks in Q formats from the quantiser to the package: the interpreter, the simulation and the runtime of the
// package make the same bytes, and formats that need a shift per output cost what the device says.
#include <gtest/gtest.h>

#include "deploy/host/runner.h"
#include "explore/explore.h"
#include "explore/measure/point.h"
#include "models/hw/device_reader.h"
#include "models/nn/quantizer/quantizer.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"

namespace dse::qformat_test {
namespace {

namespace q = nn::quantizer;

nn::NetworkPtr quantized(const std::string& name, int bits, bool fractional) {
  Diagnostics d;
  nn::LoadOptions load;
  load.allow_float = load.prefer_float = true;
  const std::string file = std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml";
  const auto floating = nn::load_network(file, d, load);
  if (!floating) return nullptr;
  q::QuantizeOptions options;
  options.scheme = q::Scheme::q_format;
  options.bits = bits;
  options.fully_fractional = fractional;
  const auto prepared = q::prepare(*floating, options, file, d);
  if (!prepared) return nullptr;
  const auto samples = q::synthetic_samples(*prepared, 2, 1);
  return q::quantize(*prepared, q::observe(*prepared, samples), options,
                     std::vector<int>(prepared->operators.size(), bits), file, d)
      .network;
}

hw::DevicePtr device(const std::string& name) {
  Diagnostics d;
  return hw::read_device(name, {}, d);
}

void expect_same_bytes(const std::string& name, int bits, const std::string& device_name) {
  const auto network = quantized(name, bits, true);
  ASSERT_TRUE(network);
  const auto on = device(device_name);
  ASSERT_TRUE(on);
  const auto made = plan::rule_based_plan(*network, *on, false);
  const auto* plan = std::get_if<plan::Plan>(&made);
  ASSERT_TRUE(plan) << std::get<plan::Infeasible>(made).what;
  const explore::Case c{network, on, on->name};
  EXPECT_TRUE(explore::simulate_point(c, *plan, true, false).verified);
  deploy::PackageFiles files;
  files.plan = encode(plan::lower(*network, *on, *plan));
  files.constants = plan::constants_image(*network, *on, *plan);
  files.inputs = {nn::seeded_input(network->tensors[static_cast<std::size_t>(network->inputs[0])], 0, 3)};
  files.outputs = {nn::interpret(*network, files.inputs)[static_cast<std::size_t>(network->outputs[0])]};
  Diagnostics d;
  EXPECT_TRUE(deploy::verify_package(files, 5, 1, name, d)) << d.text();
}

TEST(QFormatNetworks, Resnet8In8Bits) { expect_same_bytes("resnet8", 8, "gap8-class"); }
TEST(QFormatNetworks, Resnet8In16Bits) { expect_same_bytes("resnet8", 16, "dsp-l1-l2-l3"); }
TEST(QFormatNetworks, DsCnnIn8Bits) { expect_same_bytes("ds-cnn", 8, "dsp-l1-l2-l3"); }
TEST(QFormatNetworks, DsCnnIn16Bits) { expect_same_bytes("ds-cnn", 16, "gap8-class"); }

TEST(QFormatNetworks, AShiftPerOutputIsPaidOnlyWhereTheHighHalfIsNotTheFormat) {
  const auto network = quantized("ds-cnn", 8, true);
  ASSERT_TRUE(network);
  const auto charged = device("dsp-l1-l2-l3");
  ASSERT_TRUE(charged);
  auto changed = std::make_shared<hw::Device>(*charged);
  std::int64_t outputs = 0, corrected = 0;
  for (const auto& op : network->operators) {
    if (op.channel_params.empty()) continue;
    const auto& out = network->tensors[static_cast<std::size_t>(op.outputs[0])];
    if (op.kernel.arg[DSE_ARG_STORE] & DSE_STORE_SHIFTS) outputs += out.elements();
    if (op.kernel.arg[DSE_ARG_STORE] & DSE_STORE_CORRECTS) corrected += out.elements();
  }
  EXPECT_GT(outputs, 0);
  EXPECT_GT(corrected, 0);
  for (auto& e : changed->engines) e.cycles_per_shift = {0, 1};
  const auto ticks = [&](const hw::DevicePtr& on) {
    const auto made = plan::rule_based_plan(*network, *on, false);
    const explore::Case c{network, on, on->name};
    std::int64_t compute = 0;
    const auto point = explore::simulate_point(c, std::get<plan::Plan>(made), false, false);
    for (const auto& layer : point.run.layers) compute += layer.ticks[static_cast<std::size_t>(sim::Cause::compute)];
    return compute;
  };
  // One cycle a shift on this device: the difference is exactly the outputs that need one.
  EXPECT_EQ(ticks(charged) - ticks(changed), outputs);
}

}  // namespace
}  // namespace dse::qformat_test
