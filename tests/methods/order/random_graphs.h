// Random ordering problems, and what all their orders need.
#pragma once
#include <cstdint>
#include <optional>

#include "methods/order/order.h"

namespace dse::plan::test {

/// Up to `most` operators with one to three inputs, some of them element-wise, aliasing, keeping order without data or
/// making two tensors; tensors of few different sizes, so that in-place and ties happen; operators in random order.
OrderProblem random_problem(std::uint64_t seed, int most);

/// The least peak over all orders: one value per set of executed operators, every quantity counted anew from the
/// problem as docs/memory/order.md says, without the compiled graph. Up to 16 operators.
std::int64_t brute_force(const OrderProblem& problem, OrderRule rule);

}  // namespace dse::plan::test
