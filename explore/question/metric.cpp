#include "explore/question/metric.h"

#include "base/diagnostics.h"
#include "base/yaml/yaml.h"
#include "explore/question/costs.h"

namespace dse::explore {

std::vector<std::string> plain_metrics() {
  std::vector<std::string> names = {"memory"};
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

std::string metric_unit(const std::string& metric) {
  if (metric == "memory") return "bytes";
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
