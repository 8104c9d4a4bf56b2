#include "explore/question/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostics.h"
#include "base/yaml/yaml.h"
#include "explore/question/costs.h"

namespace dse::explore {

std::vector<std::string> plain_metrics() {
  std::vector<std::string> names = {"memory", "ram"};
  for (const auto& kind : kCostKinds) names.emplace_back(kind.metric);
  for (const char* of_case : {"area", "weights", "accuracy"}) names.emplace_back(of_case);
  return names;
}

const std::vector<std::string>& metric_names() {
  static const auto names = [] {
    auto all = plain_metrics();
    all.emplace_back("memories.<name>.peak");
    return all;
  }();
  return names;
}

bool is_memory(const std::string& metric) {
  return metric == "memory" || metric == "ram" || metric.starts_with("memories.");
}

bool is_of_case(const std::string& metric) { return metric == "area" || metric == "weights" || metric == "accuracy"; }

Parsed<double> parse_metric(const std::string& text, const std::string& unit) {
  struct Kind {
    const char* unit;
    const Unit& written;
    double base;  // of `written`, in one of the metric's unit
  };
  static const Unit energy{
      "an energy", "2 mJ", {{"pJ", 1}, {"nJ", 1000}, {"uJ", 1000000}, {"mJ", 1000000000}, {"J", 1000000000000}},
      false,       false,  6};
  static const Kind kinds[] = {{"bytes", unit::bytes, 1},
                               {"microseconds", unit::time, 1e3},
                               {"microjoules", energy, 1e6},
                               {"mm2", unit::area, 1e6}};
  for (const auto& kind : kinds) {
    if (unit != kind.unit) continue;
    const auto value = parse_quantity(text, kind.written);
    if (!value.value) return {std::nullopt, value.error};
    return {value.value->value() / kind.base, {}};
  }
  throw InvariantError("no metric has the unit " + unit);
}

std::vector<MetricStep> metric_steps(const std::string& metric) {
  const auto unit = metric_unit(metric);
  if (unit == "microseconds") return {{1e-3, "ns"}, {1, "us"}, {1e3, "ms"}, {1e6, "s"}};
  if (unit == "microjoules") return {{1e-6, "pJ"}, {1e-3, "nJ"}, {1, "uJ"}, {1e3, "mJ"}, {1e6, "J"}};
  return {{1, unit == "bytes" ? "bytes" : unit == "mm2" ? "mm2" : "share"}};
}

MetricStep step_of(const std::vector<MetricStep>& steps, double value) {
  auto out = steps.front();
  for (const auto& s : steps)
    if (value >= s.size) out = s;
  return out;
}

namespace {

/// @param up so that a limit of what is written is at least the value.
std::string text_of_value(const std::string& metric, double value, bool up) {
  const auto steps = metric_steps(metric);
  const auto step = step_of(steps, value);
  const double amount = value / step.size;
  if (amount >= 1e10) return fmt::format("{:.0f} {}", up ? std::ceil(amount) : amount, step.unit);
  const auto unit = metric_unit(metric);
  const int most = unit == "microjoules" ? 6 : 9;  // digits after the point that parse_metric takes
  const double places = amount > 0 ? std::min<double>(most, 9 - std::floor(std::log10(amount))) : 0;
  const double size = std::pow(10.0, places);
  const auto text = [&](double last) { return fmt::format("{:.10g} {}", last / size, step.unit); };
  double last = std::round(amount * size);
  if (up && steps.size() > 1)
    while (parse_metric(text(last), unit).value.value_or(value) < value) ++last;
  return text(last);
}

}  // namespace

std::string value_text(const std::string& metric, double value) { return text_of_value(metric, value, false); }
std::string enough_text(const std::string& metric, double value) { return text_of_value(metric, value, true); }

std::string metric_unit(const std::string& metric) {
  if (metric == "memory" || metric == "ram") return "bytes";
  if (metric == "area") return "mm2";
  if (metric == "weights") return "bytes";
  if (metric == "accuracy") return "share";
  if (const int cost = cost_of(metric); cost >= 0) return kCostKinds[cost].unit;
  const std::string head = "memories.", tail = ".peak";
  const bool peak = metric.size() > head.size() + tail.size() && metric.compare(0, head.size(), head) == 0 &&
                    metric.compare(metric.size() - tail.size(), tail.size(), tail) == 0;
  if (!peak) return {};
  return yaml::detail::valid_name(metric.substr(head.size(), metric.size() - head.size() - tail.size())) ? "bytes" : "";
}

}  // namespace dse::explore
