// The sweep file as declarations: one per field, for the parser, its defaults and the schema.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/yaml.h"
#include "explore/question/files/choice_fields.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// Upper limit as written and in the metric's own unit (bytes, microseconds, microjoules).
struct LimitText {
  std::string metric;
  double limit = 0;
  Location where;
};

/// One entry of `costs:`: an operator's type or name, and cycles.
struct CostText {
  std::string word;
  std::int64_t cycles = 0;
};

struct BudgetText {
  std::int64_t simulations = 0;
  Ratio time{0, 1};  // ns
  std::optional<std::int64_t> memory;
};

struct ExploreText {
  std::string search = "exact";
  std::vector<yaml::Name> objectives;
  std::vector<LimitText> constraints;
  std::vector<ChoiceText> choices;
  BudgetText budget;
  std::string kernels = "reference";
  int front_points = 40;
  bool by_phases = true;
  int max_calls = kMaxCalls;
  std::optional<Ratio> within;
  std::vector<std::string> without;
  std::vector<std::string> plans;
};

/// An entry of `networks:`.
struct NetworkText {
  std::string file, base, data;
  std::vector<Axis> axes;
  int epochs = 0, images = 0;
  std::optional<Ratio> accuracy, equal_dense;
  std::string accuracy_of, of;
  Location where;
};

struct SweepText {
  std::vector<NetworkText> networks;
  std::vector<yaml::Located<std::string>> shapes;
  bool cut = false, float_io = false;
  std::vector<CostText> costs;
  std::vector<DeviceSpec> devices;
  ExploreText explore;
};

/// A mapping from metrics to upper limits, "<= 20 ms".
yaml::Type<std::vector<LimitText>> limits_type();

const yaml::Object<SweepText>& sweep_fields();

}  // namespace dse::explore
