#include "tests/verify/simulated.h"

#include <gtest/gtest.h>

#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "sim/platform.h"

namespace dse::test {

hw::DevicePtr shipped_device(const std::string& name) {
  Diagnostics diags;
  auto d = hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + name + ".yaml", {}, diags);
  EXPECT_NE(d, nullptr) << diags.text();
  return d;
}

std::string fault_of(const nn::Network& n, const hw::DevicePtr& d, const plan::Plan& plan) {
  const auto program = plan::lower(n, *d, plan);
  if (const auto found = plan::to_string(plan::check(program, *d)); !found.empty()) return "checker: " + found;
  auto& platform = sim::Platform::instance();
  platform.configure(d);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    inputs.push_back(nn::seeded_input(n.tensors[n.inputs[i]], static_cast<int>(i), 3));
  sim::RunData data;
  for (const auto& i : inputs) data.inputs.emplace_back(i);
  const auto constants = plan::constants_image(n, *d, plan);
  data.constants = constants;
  const auto truth = nn::interpret(n, inputs);
  sim::RunOptions options;
  options.data = true;
  const auto result = platform.run({sim::whole_program(program, *d)}, options, {data});
  if (result.failure) return "simulation: " + result.failure->what;
  if (result.outputs.size() != n.outputs.size()) return "other outputs than the network's";
  for (std::size_t o = 0; o < n.outputs.size(); ++o)
    if (result.outputs[o] != truth[n.outputs[o]]) return "output " + std::to_string(o) + " differs";
  return {};
}

}  // namespace dse::test
