// How results travel from a worker to its parent.
#pragma once
#include "explore/compose/close_gap.h"
#include "explore/compose/compose.h"
#include "explore/compose/near.h"
#include "explore/measure/measure.h"
#include "explore/measure/results.h"
#include "explore/runs/run.h"
#include "explore/workers/archive.h"
#include "plan/segment/planner/planner.h"

namespace dse::explore {

std::string to_bytes(const LayerFront& front);
LayerFront layer_front_from(const std::string& bytes);
std::string to_bytes(const Candidate& candidate);
Candidate candidate_from(const std::string& bytes);
std::string to_bytes(const Measured& measured);
Measured measured_from(const std::string& bytes);
std::string to_bytes(const CompositionFront& front);
CompositionFront composition_from(const std::string& bytes);
std::string to_bytes(const GapClosure& closure);
GapClosure closure_from(const std::string& bytes);
std::string to_bytes(const Runs& runs);
Runs runs_from(const std::string& bytes);
std::string to_bytes(const NearPlans& plans);
NearPlans near_from(const std::string& bytes);
std::string to_bytes(const std::vector<plan::shared::Segmentation>& plans);
std::vector<plan::shared::Segmentation> segmentations_from(const std::string& bytes);
std::string to_bytes(const Point& point);
Point point_from(const std::string& bytes);

}  // namespace dse::explore
