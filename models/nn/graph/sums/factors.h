// Which tensors hold mantissas that share factors (dynamic rescaling, kernels/dse_factors.h), and which operators leave
// them as they are.
#pragma once
#include <cstdint>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// A sum of products that reads mantissas and compensates for their factors: they are its last input.
bool compensates(const Operator& op);
/// A sum of products that finds a factor for each of its output batches: they are its last output.
bool finds_factors(const Operator& op);

/// The operator moves mantissas, picks or averages them: what it makes has its operand's factor. A view may have
/// several factors, since its elements keep their order; others one. Operand and result have one scale.
bool carries_factors(const Network& n, const Operator& op);

/// Sums of so many products, each of operands of `in` and `weights`, hold in 64 bits whatever their factors are. (No
/// product of n bits by n bits has more than 2n - 2, and factors add DSE_FACTOR_DIGITS + DSE_FACTOR_MOST.)
bool sums_hold(DataType in, DataType weights, std::int64_t products);
/// Products of each output.
std::int64_t products_of(const Network& n, const Operator& op);

/// Batches of N outputs, each but the last of ceil(N / M).
std::int64_t batch_count(std::int64_t outputs, std::int64_t batches);

/// Of each tensor the tensor of its factors, -1: none. As the operators say, whether or not they fit each other.
std::vector<int> factors_by_tensor(const Network& n);
/// The same as operators follow each other: what `op` makes of what it reads.
void follow_factors(const Network& n, const Operator& op, std::vector<int>& factors);

/// 2^factor of each of `elements` mantissas. @param entries bytes of the tensor of their factors, at least one.
std::vector<double> powers_of(const std::vector<std::uint8_t>& entries, std::size_t elements);

}  // namespace dse::nn
