// The plans that run on a device, as text and as JSON.
#include <fmt/format.h>

#include <cmath>

#include "cli/methods/memory_device.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using nlohmann::ordered_json;
using reports::grouped;

/// 12.3 %; no sign on what rounds to nothing.
std::string percent(double value) {
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{:.1f} %", rounded == 0 ? 0.0 : rounded);
}

struct Against {
  double saved, footprint_saved, throughput_lost;  // percent
};

Against against(const MeasuredPlan& p, const MeasuredPlan& whole) {
  return {percent_less(static_cast<double>(p.activations), static_cast<double>(whole.activations)),
          percent_less(static_cast<double>(p.footprint()), static_cast<double>(whole.footprint())),
          percent_less(p.throughput, whole.throughput)};
}

}  // namespace

double percent_less(double value, double base) { return base > 0 ? 100 * (base - value) / base : 0; }

void print_text(const DeviceComparison& comparison) {
  const auto& plans = comparison.plans;
  fmt::print("\non {}, input {}, {} plans by phases tried\n", comparison.c.device_label,
             plan::name_of(comparison.c.whole.input), comparison.by_phases);
  if (!comparison.whole_layers_infeasible.empty())
    fmt::print("whole layers do not fit: {}\n", comparison.whole_layers_infeasible);
  if (!comparison.has_layer_by_layer) fmt::print("nor do layers tiled by rule: {}\n", comparison.tiled_infeasible);
  if (comparison.too_much > 0) fmt::print("{} plans by phases do not fit\n", comparison.too_much);
  if (plans.empty()) return;
  std::size_t wide = 0;
  for (const auto& p : plans) wide = std::max(wide, p.name.size());
  const auto line = [&](auto&&... cells) {
    fmt::print("{:<{}}{:>12}{:>12}{:>12}{:>10}{:>10}{:>10}{:>16}{:>17}\n", cells...);
  };
  line("plan", wide, "on chip", "load", "latency", "runs/s", "program", "saved", "with constants", "throughput lost");
  for (const auto& p : plans) {
    std::string saved = "-", footprint = "-", lost = "-";
    if (comparison.has_layer_by_layer && &p != &plans.front()) {
      const auto a = against(p, plans.front());
      saved = percent(a.saved), footprint = percent(a.footprint_saved), lost = percent(a.throughput_lost);
    }
    line(p.name, wide, grouped(p.point.memory_bytes), grouped(p.point.load_bytes),
         reports::latency_text(p.point.latency_us), fmt::format("{:.2f}", p.throughput), grouped(p.point.program_bytes),
         saved, footprint, lost);
  }
  for (const auto& p : plans) {
    fmt::print("\n{}{}\n", p.name, p.point.verified ? "" : ": NOT equal to the interpreter");
    for (const auto& s : p.segments) fmt::print("  {}\n", s);
  }
}

ordered_json as_json(const DeviceComparison& comparison) {
  const auto& d = *comparison.c.device;
  ordered_json plans = ordered_json::array();
  for (const auto& p : comparison.plans) {
    ordered_json j{{"name", p.name},
                   {"id", p.point.id},
                   {"segments", p.segments},
                   {"arena", p.point.memory_bytes},
                   {"load", p.point.load_bytes},
                   {"activations", p.activations},
                   {"constants", p.constants},
                   {"latency_us", p.point.latency_us},
                   {"latency_ticks", p.point.latency_ticks},
                   {"throughput", p.throughput},
                   {"program_bytes", p.point.program_bytes}};
    const bool compared = comparison.has_layer_by_layer;
    const auto a = compared ? against(p, comparison.plans.front()) : Against{};
    j["saved_percent"] = compared ? ordered_json(a.saved) : ordered_json();
    j["footprint_saved_percent"] = compared ? ordered_json(a.footprint_saved) : ordered_json();
    j["throughput_lost_percent"] = compared ? ordered_json(a.throughput_lost) : ordered_json();
    for (std::size_t m = 0; m < p.heights.size(); ++m) j["memories"][d.memories[m].name] = p.heights[m];
    j["assignment"] = p.point.assignment;
    j["verified"] = p.point.verified;
    plans.push_back(std::move(j));
  }
  const auto reason = [](const std::string& why) { return why.empty() ? ordered_json() : ordered_json(why); };
  return {{"name", comparison.c.device_label},
          {"input", plan::name_of(comparison.c.whole.input)},
          {"by_phases_tried", comparison.by_phases},
          {"by_phases_infeasible", comparison.too_much},
          {"whole_layers_infeasible", reason(comparison.whole_layers_infeasible)},
          {"tiled_infeasible", reason(comparison.tiled_infeasible)},
          {"plans", plans}};
}

}  // namespace dse::cli
