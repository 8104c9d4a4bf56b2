// Random networks that remember: operators with a state among others that plans tile, keep resident or run by phases.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// Images, perhaps added to a state of their shape that keeps the sum, through convolutions and pools; then flat: fully
/// connected layers, SVDF, LSTM, running sums. One state at least; first values of some are given. int8. Never null.
nn::NetworkPtr random_stateful_network(Random& random);

}  // namespace dse::test
