// Writes the report of two real plans, one layerwise and one whose layers run by phases: `segments_sample FILE NETWORK
// DEVICE [ROWS]`. For looking at the memory map and for segments_click.py.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "explore/explore.h"
#include "explore/front.h"
#include "models/hw/device_reader.h"
#include "plan/phased.h"
#include "plan/rules.h"
#include "reports/html.h"

namespace dse {
namespace {

/// All layers that can run by rows, in segments as long as they get, `rows` of the last one per phase.
std::vector<plan::LayerChoice> phased_choices(const nn::Network& n, const hw::Device& d, int rows) {
  std::vector<plan::LayerChoice> out(n.operators.size());
  const auto layers = plan::layers_of(n, true);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto& c = out[static_cast<std::size_t>(layers[i])];
    const auto can = [&](std::size_t k) {
      return k < layers.size() && plan::by_rows(n, n.operators[static_cast<std::size_t>(layers[k])]);
    };
    c.output_memory = d.io;
    if (!can(i)) continue;
    c.phases = can(i + 1) ? plan::Phases::with_next : plan::Phases::yes;
    c.tile = can(i + 1) ? 0 : rows;
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
  const std::vector<plan::LayerChoice> none(network->operators.size());
  for (const auto& choices : {phased_choices(*network, *device, rows), none}) {
    const auto made = plan::make_plan(*network, *device, choices);
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
