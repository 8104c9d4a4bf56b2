#include "reports/run/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "reports/words/across.h"
#include "reports/words/certificate.h"
#include "reports/words/energy.h"
#include "reports/words/format.h"

namespace dse::reports {

namespace {

/// What a spreadsheet takes for a formula; in quotes, too. Numbers it may take for numbers.
bool is_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end != text.c_str() + text.size();
}

}  // namespace

std::string csv_field(const std::string& given) {
  const std::string text = is_formula(given) ? "'" + given : given;
  if (text.find_first_of(",\"\r\n") == std::string::npos && text == given) return given;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

namespace {

/// A metric in whole numbers; empty where the point has none of it.
std::string whole(const explore::Point& p, const std::string& metric) {
  const auto it = p.metrics.find(metric);
  return it == p.metrics.end() ? "" : fmt::format("{:.0f}", it->second);
}

/// "l1=36864 l2=65536": the arena of each memory in bytes, in the device's order.
std::string peaks(const explore::Front& front, const explore::Point& p) {
  std::string all;
  for (const auto& m : front.memories)
    if (const auto peak = whole(p, "memories." + m.name + ".peak"); !peak.empty())
      all += (all.empty() ? "" : " ") + m.name + "=" + peak;
  return all;
}

/// "conv1...dw4 conv7...pw9": layers that run together by phases.
std::string segments(const explore::Point& p) {
  std::string all;
  const auto& rows = p.run.layers;
  for (std::size_t first = 0, last = 0; first < rows.size() && rows.size() == p.layers.size(); first = last + 1) {
    for (last = first; last + 1 < rows.size() && rows[last + 1].section == rows[first].section;) ++last;
    if (last > first) all += (all.empty() ? "" : " ") + p.layers[first] + "..." + p.layers[last];
  }
  return all;
}

/// Paths of all axes of a sweep, in the order in which its fronts bring them.
std::vector<std::string> axes_of(const explore::Sweep& sweep) {
  std::vector<std::string> paths;
  for (const auto& front : sweep.fronts)
    for (const auto& [path, value] : front.axes)
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  return paths;
}

/// A cell per axis, each after a comma; empty where this device has no such axis.
std::string axis_cells(const explore::Front& front, const std::vector<std::string>& paths) {
  std::string cells;
  for (const auto& path : paths) {
    const auto it = std::find_if(front.axes.begin(), front.axes.end(), [&](const auto& a) { return a.first == path; });
    cells += "," + (it == front.axes.end() ? "" : csv_field(it->second));
  }
  return cells;
}

std::string area_cell(const explore::Front& front) {
  return front.area_mm2 ? fmt::format("{:.10g}", *front.area_mm2) : "";
}

/// A row of a case that has no plan: what was asked, and why there is no answer.
std::string infeasible_row(const explore::Front& front, const std::vector<std::string>& axes) {
  const auto why = (front.undecided ? none_text(front) + std::string(": ") : "") +
                   (front.infeasible_reason.empty() ? "no reason is known" : front.infeasible_reason);
  constexpr int of_points = 15;  // columns from memory_bytes to segments
  return fmt::format(",{},{}{},{},,{},,{}\n", csv_field(front.network), csv_field(front.device),
                     std::string(of_points, ','), area_cell(front), csv_field(why), axis_cells(front, axes));
}

}  // namespace

std::string front_csv(const explore::Sweep& sweep) {
  std::string out =
      "point,network,device,memory_bytes,latency_cycles,latency_us,origin,plan,load_bytes,energy_uj,bound_cycles,"
      "program_bytes,"
      "tasks,verified,marks,traffic_bytes,peaks,segments,area_mm2,across,infeasible_reason,ram_bytes,flash_bytes";
  const auto axes = axes_of(sweep);
  for (const auto& path : axes) out += "," + csv_field(path);
  out += "\n";
  for (std::size_t f = 0; f < sweep.fronts.size(); ++f) {
    const auto& front = sweep.fronts[f];
    const auto area = area_cell(front);
    for (const auto* p : ordered_points(front)) {
      const bool timed = p->latency_ticks > 0;
      const std::string cycles = timed ? std::to_string(p->latency_ticks) : "";
      const std::string us = timed ? fmt::format("{:.3f}", p->latency_us) : "";
      const std::string uj = p->energy_uj ? fmt::format("{:.3f}", *p->energy_uj) : "";
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},,{},{}{}\n",
                     csv_field(p->id), csv_field(front.network), csv_field(front.device), p->memory_bytes, cycles, us,
                     csv_field(p->origin), csv_field(p->plan_file), p->load_bytes, uj, p->bound_ticks, p->program_bytes,
                     p->tasks, p->verified ? "yes" : "no", csv_field(fmt::format("{}", fmt::join(p->marks, " "))),
                     whole(*p, "traffic"), csv_field(peaks(front, *p)), csv_field(segments(*p)), area,
                     across_word(sweep, f, *p), whole(*p, "ram"), whole(*p, "flash"), axis_cells(front, axes));
    }
  }
  // Behind all points, whose rows are counted from 1 (`dse explain DIR 3`).
  for (const auto& front : sweep.fronts)
    if (front.points.empty()) out += infeasible_row(front, axes);
  return out;
}

std::string energy_csv(const explore::Sweep& sweep) {
  std::string out;
  for (const auto& front : sweep.fronts)
    for (const auto* p : ordered_points(front))
      for (std::size_t l = 0; l < p->uses.size(); ++l)
        for (const auto& c : energy_causes(front, p->uses[l].energy))
          fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", csv_field(p->id), csv_field(front.network),
                         csv_field(front.device), csv_field(layer_of(*p, l)), csv_field(c.block), csv_field(c.cause),
                         c.fj);
  return out.empty() ? out : "point,network,device,layer,block,cause,energy_fj\n" + out;
}

}  // namespace dse::reports
