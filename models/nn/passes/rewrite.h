// What rewrites of networks share.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

inline Tensor& at(Network& n, int t) { return n.tensors[static_cast<std::size_t>(t)]; }
inline const Tensor& at(const Network& n, int t) { return n.tensors[static_cast<std::size_t>(t)]; }

/// Who makes and reads every tensor, by operator index. Valid until operators move.
struct Uses {
  explicit Uses(const Network& n);
  std::vector<int> maker;                 // -1: inputs and constants
  std::vector<std::vector<int>> readers;  // one entry per operand
  std::vector<bool> is_output;
  /// The one operator that reads `tensor`, if it is no network output; else -1.
  int only_reader(int tensor) const;
};

/// A new activation or constant like `like`, named after it. Names stay unique.
int add_tensor(Network& n, const Tensor& like, const std::string& suffix);
/// A constant of float32.
int add_constant(Network& n, const std::string& name, std::vector<std::int64_t> shape,
                 const std::vector<float>& values);

/// Every operand, result and port is a tensor of the network: what passes may go through that see networks which
/// finish_network() has yet to check.
bool well_wired(const Network& n);

/// Every operator and network output reads `to` instead of `from`.
void replace_reads(Network& n, int from, int to);

/// Without operators marked in `dead`, those that nobody needs, and tensors that nobody reads.
void remove_dead(Network& n, const std::vector<bool>& dead);

/// Without tensors that nothing makes, reads or gives.
void drop_unused_tensors(Network& n);

/// The contents of `t` with dimension d of the result being dimension permutation[d] of `t`; a fill of one value stays
/// one. Shape and data are permuted; per-channel quantisation follows its axis.
Tensor permuted(const Tensor& t, const std::vector<std::int64_t>& permutation);

/// The elements keep their order when the dimensions are permuted: those larger than 1 stay in order.
bool keeps_order(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& permutation);

}  // namespace dse::nn
