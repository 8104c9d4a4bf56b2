// Random streaming networks as wake-word spotters are built: a few rows of features a run, convolutions in time whose
// earlier rows stand in resource variables, and one score.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// Input INT8 [1, rows, features], output UINT8 [1, 1] or, besides, a tensor that is read inside too. What is drawn:
/// convolutions and how many, their kernels in time, strides, several depthwise kernels beside each other, residuals,
/// where variables are read (all at first, or where they are needed) and written (all at last, or at once), variables
/// that are read twice or written before they are read, values that they start with. `most_channels`: of a layer; with
/// 64 the weights take some 20 to 80 KiB. Never null.
nn::NetworkPtr random_wake_word_network(Random& random, int most_channels = 64);

}  // namespace dse::test
