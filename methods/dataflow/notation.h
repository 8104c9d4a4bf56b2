// The order in which phases run, in the thesis' notation.
#pragma once
#include <string>
#include <vector>

#include "methods/dataflow/flow.h"

namespace dse::plan::phases {

/// `l1(1-17), l2(1), [l1(18-22), l2(2-6)], l3(1)`: layer numbers count actors from 1; `l1(1-17)` is seventeen phases of
/// the same layer one after the other, and brackets repeat one phase of each layer in them, from the first numbers to
/// the last. Two repetitions are written out. The text reads back to exactly `firings`.
std::string in_notation(const std::vector<Firing>& firings);

/// The terms of the same, for output in lines.
std::vector<std::string> notation_terms(const std::vector<Firing>& firings);

}  // namespace dse::plan::phases
