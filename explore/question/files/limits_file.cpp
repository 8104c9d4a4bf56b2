#include "explore/question/files/limits_file.h"

#include "explore/question/files/sweep_fields.h"

namespace dse::explore {
namespace {

struct LimitsText {
  std::vector<LimitText> constraints;
};

const yaml::Object<LimitsText>& limits_fields() {
  static const auto fields = [] {
    yaml::Object<LimitsText> limits("Limits", "Upper limits that a plan is held against.");
    limits.required("constraints", &LimitsText::constraints, limits_type(), "upper limits, by metric");
    return limits;
  }();
  return fields;
}

}  // namespace

std::optional<std::vector<Constraint>> read_limits(const std::string& path, Diagnostics& diags) {
  LimitsText text;
  if (!yaml::read_file(path, limits_fields(), {}, diags, text)) return std::nullopt;
  std::vector<Constraint> out;
  for (auto& l : text.constraints) out.push_back({std::move(l.metric), l.limit, l.where});
  return out;
}

std::string limits_schema() { return yaml::json_schema(limits_fields(), "limits.json"); }

}  // namespace dse::explore
