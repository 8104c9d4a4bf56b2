#include "explore/question/metric.h"

#include "base/yaml/yaml.h"

namespace dse::explore {

const Unit energy_unit{
    "an energy", "2 mJ", {{"pJ", 1}, {"nJ", 1000}, {"uJ", 1000000}, {"mJ", 1000000000}, {"J", 1000000000000}},
    false,       false,  6};

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = {"memory", "latency", "energy", "traffic", "memories.<name>.peak"};
  return names;
}

std::string metric_unit(const std::string& metric) {
  if (metric == "memory" || metric == "traffic") return "bytes";
  if (metric == "latency") return "microseconds";
  if (metric == "energy") return "microjoules";
  const std::string head = "memories.", tail = ".peak";
  const bool peak = metric.size() > head.size() + tail.size() && metric.compare(0, head.size(), head) == 0 &&
                    metric.compare(metric.size() - tail.size(), tail.size(), tail) == 0;
  if (!peak) return {};
  return yaml::detail::valid_name(metric.substr(head.size(), metric.size() - head.size() - tail.size())) ? "bytes" : "";
}

}  // namespace dse::explore
