// The network and device that a plan file belongs to.
#pragma once
#include <optional>
#include <string>

#include "base/yaml/yaml.h"
#include "explore/explore.h"
#include "plan/plan.h"
#include "reports/run/recorded.h"

namespace dse::cli {

/// Where to look, in this order: the named network and device; a run's own copies; the library, by the names in the
/// plan.
struct PlanSources {
  std::string network, device;  // file or name; empty = not given
  std::string run;              // folder of a finished run; empty = none
};

/// What a plan says of its owner: its network's name, its device's hash. Empty where it does not.
std::string word_in(const yaml::Node& root, const char* owner, const char* key);

struct PlanCase {
  explore::Case c;
  plan::Plan plan;
};

/// Reads a plan with what it belongs to. `run`: what `sources.run` holds. Nothing after diagnostics.
std::optional<PlanCase> find_plan(const std::string& file, const PlanSources& sources, const reports::RecordedRun* run,
                                  Diagnostics& diagnostics);

}  // namespace dse::cli
