// Uses the installed libraries as another project would: the plan by rule of a network on a device, simulated.
#include <cstdio>

#include "models/hw/device_reader.h"
#include "models/hw/library.h"
#include "models/nn/network.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "reports/words/format.h"
#include "sim/platform.h"

int main() {
  dse::Diagnostics diagnostics;
  const auto configs = dse::hw::config_directories();
  const auto network = dse::nn::load_network(configs.at(0) + "/networks/resnet8.yaml", diagnostics);
  const auto device = dse::hw::read_device("gap8-class", {}, diagnostics);
  if (!network || !device) return std::fprintf(stderr, "%s", diagnostics.text().c_str()), 1;
  const auto plan = dse::plan::rule_based_plan(*network, *device, true);
  const auto program = dse::plan::lower(*network, *device, std::get<dse::plan::Plan>(plan));
  dse::sim::Platform::instance().configure(device);
  const auto result = dse::sim::Platform::instance().run({dse::sim::whole_program(program, *device)}, {});
  std::printf("%s: %s cycles\n", configs.at(0).c_str(), dse::reports::grouped(result.ticks).c_str());
  return result.failure || result.ticks <= 0;
}
