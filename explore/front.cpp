#include "explore/front.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/nn/cut.h"

namespace dse::explore {

void describe_front(const Case& c, Front& front) {
  front.network = c.network->name;
  front.device = c.device_label;
  front.network_hash = c.network->structure_hash();
  front.device_hash = c.device->hash();
  front.kernel_library = c.device->kernel_library;
  front.tick_hz = c.device->tick_hz();
  front.accuracy = "not validated against silicon";
  for (const auto& m : c.device->memories) front.memories.push_back({m.name, m.size, m.reserved, m.on_chip});
  for (const auto& q : plan::device_queues(*c.device)) front.queues.push_back(q.name);
  if (const auto host = nn::host_text(*c.network); !host.empty()) front.notes.push_back(host);
}

std::string plan_origin(const Point& point) { return point.origin == "front" ? "explored" : point.origin; }

void judge_accuracy(const Case& c, Front& front) {
  if (c.device->validated.empty()) return;
  const Point* whole = nullptr;
  for (const auto& p : front.marked)
    if (p.origin == "TFLM today") whole = &p;
  for (const auto& row : c.device->validated) {
    if (row.network != c.network->name) continue;
    if (!whole || row.cycles <= 0) continue;
    const double error = 100.0 * (static_cast<double>(whole->latency_ticks) - static_cast<double>(row.cycles)) /
                         static_cast<double>(row.cycles);
    front.accuracy = fmt::format("{:+.1f} % against {} cycles measured on silicon, layer by layer ({}; {})", error,
                                 row.cycles, row.role, row.source);
    return;
  }
  front.accuracy = "not validated on this network";
}

bool works_only_elsewhere(const Diagnostics& diags) {
  return std::all_of(diags.list().begin(), diags.list().end(),
                     [](const Diagnostic& d) { return d.what.find("belongs to") != std::string::npos; });
}

}  // namespace dse::explore
