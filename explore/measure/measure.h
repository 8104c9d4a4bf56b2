// One whole-network candidate through the full pipeline: addresses, lowering, the independent check, the simulation.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "explore/question/case.h"
#include "explore/study/records.h"
#include "plan/choices/choice.h"
#include "plan/plan.h"

namespace dse::explore {

/// What became of a candidate.
struct Measured {
  std::string reason;        // not empty: infeasible, or findings of the check; then nothing below is set but `plan`
  bool invalid = false;      // the reason is a finding of the check: a defect of the tool, not of the candidate
  bool failed = false;       // invalid: it passed the check, but its simulation came to no end
  bool beaten = false;       // of least_of(): something measured is at least as good; there is no plan
  std::string plan;          // id
  std::int64_t memory = -1;  // bytes: sum of the on-chip arenas
  std::int64_t load = -1;    // bytes: sum over on-chip memories of the highest live bytes
  Costs costs = every_cost(-1);
  std::vector<std::int64_t> heights;  // bytes, per memory of the device
  bool feasible() const { return reason.empty(); }
};

/// What a plan needs, which no simulation has to tell.
Measured placed(const Case& c, const plan::Plan& plan);
Measured evaluate(const Case& c, const plan::Plan& plan);
/// What the checker has against a plan; empty: nothing.
std::string refusal(const Case& c, const plan::Plan& plan);
/// The plan is made from what is decided; that it does not fit is a value. `known`: what an earlier run measured, which
/// is then not simulated again.
Measured evaluate(const Case& c, const plan::Decisions& decided, const Candidate* known = nullptr);
/// What no layout of these decisions is below: memory and heights are loads, the rest is as it will be. For plans by
/// phases, whose offsets take longer to find than everything else. `known` as above, of what was dominated.
Measured least_of(const Case& c, const plan::Decisions& decided, const Candidate* known = nullptr);
/// As the study keeps it, and through which results travel.
Candidate candidate_of(const Measured& measured, const std::string& assignment);

/// The assignment of a whole plan in one line: the layers' choices, and those of the network that are not the default.
std::string whole_text(const Case& c, const plan::Decisions& decided, const plan::ChoiceRegistry& registry);

/// As much of a point as fronts are selected by: no account, no trace.
Point light_point(const Case& c, const Measured& measured);

}  // namespace dse::explore
