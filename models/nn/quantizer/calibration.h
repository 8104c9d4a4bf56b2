// Inputs that a network is quantised for, and what its tensors hold on them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/quantizer/statistic.h"

namespace dse::nn::quantizer {

/// float32 bytes per network input.
using Sample = std::vector<std::vector<std::uint8_t>>;

/// Standard normal inputs: element e of input i of sample s is standard_normal(seed_of("sample<s>/input<i>", seed), e).
std::vector<Sample> synthetic_samples(const Network& n, int count, std::uint64_t seed);

/// The samples in a folder: files `input<i>_<sample>.bin`, one per network input i and sample name, in the order of the
/// names. A file holds float32 values, little endian; or, for inputs that say how (scale and zero point of the float
/// tensor), one int8 per element. Every problem goes to `diags`; no samples then.
std::vector<Sample> read_samples(const Network& n, const std::string& folder, Diagnostics& diags);

/// Told after each step of something that takes long: steps done, and at most how many there are.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// What every tensor holds, by tensor index: activations over all samples, constants their values.
std::vector<Observer> observe(const Network& n, const std::vector<Sample>& samples, const Progress& progress = {});

}  // namespace dse::nn::quantizer
