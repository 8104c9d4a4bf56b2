// The parts of a comparison of points, one per file. Internal to reports/diff*.cpp.
#pragma once
#include "reports/diff.h"

namespace dse::reports::parts {

/// Rows of both accounts, matched by name (the nth of a name with the nth); choices that differ beside them.
void diff_layers(const Measured& a, const Measured& b, PointDiff& out);

/// Memories, matched by name: arenas, loads at the peak by buffer, traffic, energy.
void diff_memories(const Measured& a, const Measured& b, PointDiff& out);

/// @throws DiffError unless every table adds up to its total, on both sides.
void check_sums(const PointDiff& d);

/// Keeps the order of `a`, with those only in `b` after the neighbour that they follow there.
std::vector<std::string> merged(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace dse::reports::parts
