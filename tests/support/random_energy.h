// Devices on which everything takes energy: random figures of every kind.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// `leakage` in microwatts of a block at most; 0: none.
hw::DevicePtr with_energy(const hw::Device& device, Random& random, int leakage = 5000);

}  // namespace dse::test
