// Values of constants that are given by a rule, and made-up weights for networks that come without.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Standard normal number `i` of the sequence `seed`, by (seed, i) alone: with splitmix64(s) the first draw of a
/// generator in state s, gamma = 0x9e3779b97f4a7c15 and all arithmetic in binary64,
///   u = ((splitmix64(seed + 2 i gamma) >> 11) + 1) / 2^53, v = (splitmix64(seed + (2 i + 1) gamma) >> 11) / 2^53,
///   z = sqrt(-2 ln u) cos(2 pi v)                          (Box and Muller, 1958).
double standard_normal(std::uint64_t seed, std::uint64_t i);

/// Elements first, first + 1, ... of a fill. he_normal: sqrt(2 / fan_in) * standard_normal(seed, i), rounded to
/// binary32 at the end (He et al. 2015).
void fill_values(const Fill& fill, std::int64_t first, std::span<float> out);

/// All elements of a float32 constant, from its data or its fill.
/// @throws InvariantError for any other tensor.
std::vector<float> values_of(const Tensor& t);
/// And back: the data of a float32 constant, instead of a fill.
void set_values(Tensor& t, std::span<const float> values);

/// The seed of one tensor: `seed` exclusive-or the 64-bit FNV-1a hash of its name. So every tensor has a sequence of
/// its own, whatever its index.
std::uint64_t seed_of(const std::string& tensor, std::uint64_t seed);

/// The network with made-up values for every float32 constant that has a fill instead of data, by the operator that
/// reads it (g_i = float32 of standard_normal(seed_of(name, seed), i)):
///  * weights of convolutions and matrix products: he_normal with their fan-in;
///  * batch normalisation: scale 1 + g/10, bias and mean g/10, variance (1 + g^2)/2;
///  * factors (MUL): 1 + g/10; biases, summands and the rest: g/10, as he_normal with fan-in 200.
/// A constant that several operators read goes by the first. Values that the file does give are kept.
Network with_he_normal_weights(Network network, std::uint64_t seed);

}  // namespace dse::nn
