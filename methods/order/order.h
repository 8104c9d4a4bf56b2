// The order of a network's operators: which one needs the least memory, with a certificate.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::plan {

/// One tensor of activations, or a given input.
struct OrderTensor {
  std::string name;
  std::int64_t bytes = 0;
  bool given = false;   // made before the first operator
  bool kept = false;    // a network output: stays alive to the end
  int alias = -1;       // >= 0: the same bytes as this tensor, which the producer reads; `bytes` does not count
  int of_network = -1;  // its index in the network it was taken from
};

struct OrderOperator {
  std::string name;
  std::string type;
  std::vector<int> inputs, outputs;  // tensors; what is read twice may be listed twice
  std::vector<int> after;            // operators that must have run before, besides those that make the inputs
  bool elementwise = false;          // Rule::inplace_ew lets it overwrite an input
};

/// A directed graph without cycles; every tensor is given or made by exactly one operator.
struct OrderProblem {
  std::string name;
  std::vector<OrderTensor> tensors;
  std::vector<OrderOperator> operators;
};

/// Where an operator's output goes.
enum class OrderRule {
  out_of_place,  // always to bytes of its own
  inplace_ew,    // an element-wise operator with one output: over its first input of equal size, if that one dies there
};
/// "out-of-place", "inplace-ew".
const char* name_of(OrderRule rule);

/// How hard find_order() tries, in counted steps: the result never depends on the speed of the machine.
struct OrderEffort {
  std::int64_t bytes = std::int64_t{256} << 20;  // memory of the exact search
  std::int64_t steps = 60'000'000;               // operators tried by the exact search, all passes together
  int beam = 32;                                 // orders that the beam search carries along
  std::int64_t enough = -1;                      // bytes: the first order that needs at most this ends the search
};

struct OrderResult {
  std::int64_t peak_bytes = 0;         // of `order`
  std::int64_t lower_bound_bytes = 0;  // proven: no order needs less
  bool optimal = false;                // peak_bytes == lower_bound_bytes
  std::vector<int> order;              // operators; every one once
};

/// The largest sum of bytes alive while an operator of `order` runs: tensors already made or given and still to be read
/// (or kept), the operator's inputs and its outputs. A tensor is alive until its last reader has run; one that nobody
/// reads only while it is made. A given tensor that nobody reads and nobody keeps never is.
/// @throws InvariantError when the problem or the order is no such thing.
std::int64_t peak_of(const OrderProblem& problem, OrderRule rule, std::span<const int> order);

/// A topological order with the least peak_of(), found by a beam search and then by an exact search over sets of
/// executed operators that either finds a lower one or proves that there is none. When the effort does not suffice the
/// best order found, with the bound that was proven. Deterministic. @throws InvariantError when the problem is no DAG.
OrderResult find_order(const OrderProblem& problem, OrderRule rule, const OrderEffort& effort = {});

/// The activations of a network, constants and variables left out. What only renames its input (reshape, squeeze,
/// expand_dims, identity, dropout) costs nothing under either rule: its output is the input's bytes. Operators that
/// share a variable keep the order of the file. Inputs are released once read, outputs stay.
OrderProblem order_problem(const nn::Network& network);

}  // namespace dse::plan
