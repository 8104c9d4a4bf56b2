#include "explore/question/metric.h"

#include "base/yaml/yaml.h"
#include "explore/question/costs.h"

namespace dse::explore {

const Unit energy_unit{
    "an energy", "2 mJ", {{"pJ", 1}, {"nJ", 1000}, {"uJ", 1000000}, {"mJ", 1000000000}, {"J", 1000000000000}},
    false,       false,  6};

std::vector<std::string> plain_metrics() {
  std::vector<std::string> names = {"memory"};
  for (const auto& kind : kCostKinds) names.emplace_back(kind.metric);
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

std::string metric_unit(const std::string& metric) {
  if (metric == "memory") return "bytes";
  if (const int cost = cost_of(metric); cost >= 0) return kCostKinds[cost].unit;
  const std::string head = "memories.", tail = ".peak";
  const bool peak = metric.size() > head.size() + tail.size() && metric.compare(0, head.size(), head) == 0 &&
                    metric.compare(metric.size() - tail.size(), tail.size(), tail) == 0;
  if (!peak) return {};
  return yaml::detail::valid_name(metric.substr(head.size(), metric.size() - head.size() - tail.size())) ? "bytes" : "";
}

}  // namespace dse::explore
