// A plan for a cluster of cores with a library whose loops are counted: what DORY makes of a network on GAP8.
#pragma once
#include <variant>

#include "plan/plan.h"

namespace dse::plan {

/// Of operands in tiles: two, and the next layer's filters on their way, as DORY has it; one, or room for two of every
/// operand of a layer, cut or not, as Deeploy has it.
enum class Buffers { two, one, two_of_all };

/// Layer by layer, tensors in the io memory, every operand copied to the nearest memory in tiles, two of each: per
/// layer those rows (pointwise layers: pixels) and filters whose loops have least to do on the slowest core, as counted
/// of PULP-NN, the calls not forgotten. The library's own buffers are left room for: columns of two pixels a core
/// (convolutions), one column a core (depthwise). Filters that go through another memory are fetched whole while the
/// layer before runs, unless that does not fit beside its tiles, or set by set where that memory is too small. Tiles do
/// not depend on the rates of the device file, so that these can be fitted to what its plans take. After DORY (Burrello
/// et al., IEEE Transactions on Computers 2021; github.com/pulp-platform/dory), whose solver prefers rows by eights and
/// filters by fours; its tiles of columns are ours only in pointwise layers. What an accelerator takes off the cluster
/// is cut into rows and filters by its subtiles, so that it takes least by the model of its library.
///
/// Infeasible where the device's compute engine has no `cycles_per_count`.
std::variant<Plan, Infeasible> cluster_plan(const nn::Network& network, const hw::Device& device,
                                            shared::Input input = shared::Input::released,
                                            Buffers buffers = Buffers::two);

}  // namespace dse::plan
