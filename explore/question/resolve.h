// From a sweep file's names to networks and devices.
#pragma once
#include <vector>

#include "explore/question/case.h"
#include "explore/question/sweep.h"
#include "plan/plan.h"

namespace dse::explore {

/// The decisions about the whole network that a sweep's `choices:` fix: `network.input`, to one value.
plan::NetworkChoice whole_of(const SweepSpec& spec);

/// How the networks of a sweep are read: shapes, cut. What is wrong with them goes to `diags`.
nn::LoadOptions load_options(const SweepSpec& spec, Diagnostics& diags);

/// Loads networks and devices and multiplies out the axes, in file order. Every problem goes to `diags`; empty on
/// error.
std::vector<Case> resolve(const SweepSpec& spec, Diagnostics& diags);

}  // namespace dse::explore
