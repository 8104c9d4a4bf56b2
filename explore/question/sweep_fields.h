// The sweep file as declarations: one per field, for the parser, its defaults and the schema.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/yaml.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// Upper limit as written and in the metric's own unit (bytes, microseconds, microjoules).
struct LimitText {
  std::string metric;
  double limit = 0;
  Location where;
};

/// One entry of `choices:` as written: "scheme", or "conv3.scheme" of one layer.
struct ChoiceText {
  yaml::Name name;
  std::vector<yaml::Name> values;
};

/// One entry of `costs:`: an operator's type or name, and cycles.
struct CostText {
  std::string word;
  std::int64_t cycles = 0;
};

struct BudgetText {
  std::int64_t simulations = 0;
  Ratio time{0, 1};  // ns
};

struct ExploreText {
  std::string search = "exact";
  std::vector<yaml::Name> objectives;
  std::vector<LimitText> constraints;
  std::vector<ChoiceText> choices;
  BudgetText budget;
  int front_points = 40;
  bool by_phases = true;
  std::optional<Ratio> within;
  std::vector<std::string> plans;
  std::int64_t seed = 1;
};

struct SweepText {
  std::vector<std::string> networks;
  std::vector<yaml::Located<std::string>> shapes;
  bool cut = false;
  std::vector<CostText> costs;
  std::vector<DeviceSpec> devices;
  ExploreText explore;
};

const yaml::Object<SweepText>& sweep_fields();

/// Words for a metric's unit: "bytes", "microseconds", "microjoules"; empty: there is no such metric. Known are
/// `memory`, `latency`, `energy`, `traffic` and `memories.<name>.peak`.
std::string metric_unit(const std::string& metric);
/// `memory`, `latency`, `energy`, `traffic`, `memories.<name>.peak`.
const std::vector<std::string>& metric_names();
/// Joules and their thousandths, for limits on `energy`; base: pJ.
extern const Unit energy_unit;

}  // namespace dse::explore
