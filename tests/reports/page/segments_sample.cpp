// Writes the report of two real plans, one layerwise and one whose layers run by phases: `segments_sample FILE NETWORK
// DEVICE [ROWS]`. For looking at the memory map and for segments_click.py.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "explore/explore.h"
#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "models/hw/device_reader.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "plan/segment/phased.h"
#include "reports/page/html.h"

namespace dse {
namespace {

/// The rule's choices, but layers of many rows that can run by rows in segments of up to five, `rows` of the last one
/// per phase.
std::vector<plan::LayerChoice> phased_choices(const nn::Network& n, const hw::Device& d,
                                              std::vector<plan::LayerChoice> out, int rows) {
  const auto layers = plan::layers_of(n, true);
  const auto can = [&](std::size_t k) {
    if (k >= layers.size()) return false;
    const auto& op = n.operators[static_cast<std::size_t>(layers[k])];
    return plan::by_rows(n, op) && n.tensors[static_cast<std::size_t>(op.outputs[0])].shape.at(1) > 6 * rows;
  };
  int length = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto& c = out[static_cast<std::size_t>(layers[i])];
    length = can(i) ? length + 1 : 0;
    if (length == 0) continue;
    c = {};
    const bool last = length == 5 || !can(i + 1);
    c.phases = last ? plan::Phases::yes : plan::Phases::with_next;
    c.output_memory = last ? d.io : d.engines[static_cast<std::size_t>(d.compute_engine())].memories[0];
    c.tile = last ? rows : 0;
    if (last) length = 0;
  }
  return out;
}

int write(const std::string& file, const std::string& network_file, const std::string& device_file, int rows) {
  Diagnostics diagnostics;
  const auto network = nn::load_network(network_file, diagnostics);
  const auto device = hw::read_device(device_file, {}, diagnostics);
  if (!network || !device) {
    std::cerr << diagnostics.text();
    return 1;
  }
  const explore::Case c{network, device, device->name};
  explore::Sweep sweep;
  auto& front = sweep.fronts.emplace_back();
  explore::describe_front(c, front);
  const auto rule = plan::rule_based_plan(*network, *device, false);
  for (const bool phased : {true, false}) {
    const auto* by_rule = std::get_if<plan::Plan>(&rule);
    const auto made = phased && by_rule ? plan::make_plan(*network, *device,
                                                          phased_choices(*network, *device, by_rule->choices, rows))
                                        : rule;
    if (const auto* why = std::get_if<plan::Infeasible>(&made)) {
      std::cerr << why->what << "\n";
      continue;
    }
    front.points.push_back(explore::simulate_point(c, std::get<plan::Plan>(made), true, true));
    front.points.back().origin = "front";
  }
  std::ofstream out(file, std::ios::binary);
  out << reports::report_html(sweep);
  return !front.points.empty() && out.flush() ? 0 : 1;
}

}  // namespace
}  // namespace dse

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: segments_sample FILE NETWORK DEVICE [ROWS]\n";
    return 2;
  }
  return dse::write(argv[1], argv[2], argv[3], argc > 4 ? std::atoi(argv[4]) : 1);
}
