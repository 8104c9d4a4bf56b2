// How far a front may still be from the best there is: the volume between it and a bound on every plan.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::explore {

/// Points by the values of their objectives, least is best.
using Values = std::vector<std::vector<std::int64_t>>;

/// Volume of the part of the unit cube that the points dominate, each coordinate from 0 (best) to 1: what lies at or
/// beyond 1 dominates nothing. One to three coordinates, the same number for all points.
double hypervolume(const std::vector<std::vector<double>>& points);

/// (H(bound) - H(front)) / H(bound), where H is the hypervolume up to a reference point of twice the largest value in
/// either set, without dominated points, per objective, on linear axes: twice, so that the points at the ends of a
/// front count as well, and a front of one point that lies 1 % behind its bound in both objectives has a gap of about 2
/// %. Between 0, when nothing better is possible, and 1, when the front is empty. With one objective the relative
/// distance (front - bound) / front. With more than three objectives of the first three. A bound that is empty says
/// nothing: 1. Where the bound lies behind the front it counts as the front.
double proven_gap(const Values& front, const Values& bound);

/// The least share e so that each point of the bound, and so every plan, has a point of the front that is at most (1 +
/// e) times it in every objective: what a hypervolume hides, a corner where the front stays far behind (the
/// multiplicative epsilon indicator of Zitzler et al., "Performance Assessment of Multiobjective Optimizers", 2003,
/// less one). 0 where no point of the bound lies before the front; infinite where one of the two is empty, or a bound
/// of 0 is not reached.
double pointwise_gap(const Values& front, const Values& bound);

}  // namespace dse::explore
