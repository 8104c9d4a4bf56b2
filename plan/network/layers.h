// What plans see of a network's operators: which of them become layers, which only rename their input's bytes, which
// run whole, and what they read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "models/nn/network.h"

namespace dse::plan {

/// The operators that become layers (sections), in order: all but aliased reshapes.
std::vector<int> layers_of(const nn::Network& network, bool alias_reshapes);
/// For each tensor the tensor whose bytes it shares through aliased reshapes (itself, if none).
std::vector<int> alias_roots(const nn::Network& network, bool alias_reshapes);
/// Activation inputs of an operator (indices of tensors): all but constants and variables.
std::vector<int> activations(const nn::Network& network, const nn::Operator& op);
/// True when the schemes do not tile this operator.
bool is_whole(const nn::Network& network, const nn::Operator& op);
/// RESHAPE and its like: the output is the input's bytes, so that both can share them.
bool renames(const nn::Network& network, const nn::Operator& op);
/// The tensor that `tensor` has its bytes from, through operators that keep them.
int origin(const nn::Network& network, int tensor);
/// Element-wise with one or two operands, by enum dse_op_kind.
bool elementwise(int kind);
/// Sums over all input channels: convolution and fully connected, by enum dse_op_kind.
inline bool accumulates(int kind) { return kind == DSE_CONV_2D || kind == DSE_FULLY_CONNECTED; }
/// Every output pixel reads the one input pixel at its place.
bool pointwise(const dse_op& op);
/// Why an engine with a table has no cycles for a call of an operator that is not cut, in words; empty: it has.
std::string why_not_timed(const hw::Engine& engine, const nn::Operator& op);
/// The operand of a call is its whole tensor: rows, columns and channels one after the other, as the schemes see it.
bool is_whole_image(const nn::KernelCall::Operand& operand, std::int64_t width, std::int64_t channels);
/// The operator reads constants: parameters, weights, tables or constant tensors.
bool has_constants(const nn::Network& network, const nn::Operator& op);
/// Variables that the operator reads or writes (indices of tensors, each once).
std::vector<int> variables(const nn::Network& network, const nn::Operator& op);
/// The memory and layout of network outputs are fixed: the io memory, channels last. @returns per operator whether
/// it makes one.
std::vector<bool> makes_output(const nn::Network& network, bool alias_reshapes);

}  // namespace dse::plan
