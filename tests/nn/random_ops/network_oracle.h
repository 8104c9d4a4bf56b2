// A whole network, operator by operator, by the oracle.
#pragma once
#include "models/nn/network.h"
#include "tests/nn/oracle/oracle.h"

namespace dse::nn::random_ops {

/// What a network keeps from step to step; empty before the first.
struct OracleState {
  std::vector<oracle::State> operators;
  TensorBytes variables;
};

/// Runs every operator of a finished network by the oracle.
/// @returns bytes of every activation and input, by tensor index. @throws std::invalid_argument for an operator that
/// the oracle does not know (float32, ADD_N).
TensorBytes run_by_oracle(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs, OracleState& state);

/// Runs the interpreter and the oracle on the seeded inputs. @returns the first operator that makes different bytes, or
/// nothing.
std::string first_difference(const Network& n, std::uint64_t seed, int steps);

}  // namespace dse::nn::random_ops
