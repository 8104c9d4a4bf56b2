// Random networks whose layers can run by rows: what the rows of one layer have to do with those of the next varies.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// A chain of 3 to 7 layers: depthwise convolutions with multipliers of 1 to 8, convolutions and pools with strides of
/// 1 to 3 and kernels that do not divide anything, explicit PAD, residual additions, and reshapes to other rows,
/// also of the input, which may be flat. int8. Never null.
nn::NetworkPtr random_row_network(Random& random);

}  // namespace dse::test
