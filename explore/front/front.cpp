#include "explore/front/front.h"

#include <algorithm>

namespace dse::explore {

void describe_front(const Case& c, Front& front) {
  front.network = c.network_name();
  front.device = c.device_label;
  front.base = c.base.empty() ? c.device->name : c.base;
  front.on_npu = c.device->npu() >= 0;
  front.area_mm2 = c.device->area_mm2();
  front.energy_source = c.device->energy_source;
  front.facts = c.facts;
  front.weight_bytes = c.network->parameter_bytes();
  front.layers = nn::layer_forms(*c.network);
  front.network_hash = c.network->structure_hash();
  front.device_hash = c.device->hash();
  front.kernel_library = c.device->kernel_library;
  front.axes = c.axes;
  front.tick_hz = c.device->tick_hz();
  front.accuracy = "not validated against silicon";
  for (const auto& m : c.device->memories) front.memories.push_back({m.name, m.size, m.reserved, m.on_chip});
  for (const auto& q : plan::device_queues(*c.device)) front.queues.push_back(q.name);
  for (const auto& e : c.device->engines) front.engines.push_back(e.name);
}

std::string plan_origin(const Point& point) { return point.origin == "front" ? "explored" : point.origin; }

bool works_only_elsewhere(const Diagnostics& diags) {
  return std::all_of(diags.list().begin(), diags.list().end(),
                     [](const Diagnostic& d) { return d.what.find("belongs to") != std::string::npos; });
}

}  // namespace dse::explore
