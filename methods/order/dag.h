// Dataflow graphs as text: `.dag` files.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "methods/order/order.h"

namespace dse::plan {

/// Reads a `.dag` file, a line of words each:
///
///     # graph NAME             anything after # is a comment; this one names the graph
///     T TENSOR BYTES [SHAPE]   one tensor; the shape is not looked at
///     IN TENSOR                given before the first operator
///     OUT TENSOR               stays alive to the end
///     OP INDEX TYPE OUTPUT INPUT...
///
/// OP lines count from 0 and need not be in topological order; T, IN and OUT may stand anywhere. Element-wise types are
/// Relu, Add, Mul, Sub, Clip, Sigmoid, Squeeze, Reshape and Flatten. @returns nothing after diagnostics: all there are.
std::optional<OrderProblem> parse_dag(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// Operators that parse_dag() accepts; the searches take memory in the square of their number.
constexpr int kMostOperators = 20'000;

}  // namespace dse::plan
