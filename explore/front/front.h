// From simulated points to a front: dominance, marks, thinning.
#pragma once
#include "explore/measure/results.h"
#include "explore/question/case.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// Names, clock, memories and queues of a case; the accuracy line stays "not validated against silicon" until a
/// measured row is met.
void describe_front(const Case& c, Front& front);

/// A metric of a point in the unit of limits: bytes, microseconds, microjoules. @throws InvariantError if the point was
/// not measured so: a limit that nobody checks must not pass.
double value_of(const Point& p, const std::string& metric);

/// What the point with the least of this objective is called: smallest, fastest, frugal (energy), local (traffic),
/// smallest-<name> (memories.<name>.peak).
std::string end_mark(const std::string& objective);

/// Fills front.points (Pareto-optimal in the objectives among all `points` that meet the constraints, in ascending
/// order of objectives, the ends and the knee marked, thinned to spec.front_points) and front.marked (all that were
/// made by rule or by the user). Of points that are equal in all objectives the one with the least memory, latency,
/// costs, id stands for all; plans of the search before others.
void select_front(const std::vector<Point>& points, const SweepSpec& spec, Front& front);

/// There are points, and none of them is the search's or the user's.
bool only_by_rule(const Front& front);

/// Says so in a note.
void note_only_by_rule(Front& front);

/// The origin of the plan behind a point ("explored" for those of the front).
std::string plan_origin(const Point& point);

/// All problems say that the plan belongs to another network or device.
bool works_only_elsewhere(const Diagnostics& diags);

}  // namespace dse::explore
