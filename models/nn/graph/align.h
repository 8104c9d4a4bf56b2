// Which operators of two networks are the same one: an alignment of their graphs by what operators do and how they are
// wired. Names only decide where nothing else does, since files number their operators anew.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// What an alignment looks at. Texts are compared, never read.
struct LayerForm {
  std::string name;
  std::string kind;             // type_of
  std::string options;          // those that are not the default
  std::string weights;          // shapes and types of its constants
  std::string inputs, outputs;  // shapes and types of the other tensors
  std::vector<int> from;        // the operator that makes each of these inputs, in order; -1: none does
  bool operator==(const LayerForm&) const = default;
};

/// One per operator, in the network's order.
std::vector<LayerForm> layer_forms(const Network& n);

/// For every operator of `a` the one of `b` that it is, or -1: each of `b` at most once, both of the same kind.
/// Operators are brought into an order that follows the wiring from the outputs back, not the file's; the alignment is
/// the longest common sequence by likeness (the same form counts most, then parameters, then shapes), neighbours that
/// stay neighbours and names being the tie-breaks. What is left over, as branches that changed places, is joined to
/// what its aligned neighbours are joined to. Of several copies of a layer in a row any one may be the new one.
std::vector<int> align(const std::vector<LayerForm>& a, const std::vector<LayerForm>& b);

}  // namespace dse::nn
