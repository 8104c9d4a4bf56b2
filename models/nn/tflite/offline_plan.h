// TensorFlow Lite files for TensorFlow Lite Micro: what its memory planner sees of one, and the same file with the
// order of operators and the offsets of tensors planned: "OfflineMemoryAllocation" in its metadata, as TensorFlow Lite
// Micro's page on memory management has it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Tensors and operators of the file's graph by its own numbers: names, shapes, element sizes, who reads and makes
/// what. Nothing is folded, and nothing else is read, so any operator will do. Tensors that the planner leaves out are
/// constants or variables. Of the first subgraph; others may be there that take no memory of the arena, as those that
/// CALL_ONCE runs to assign constants. To keep orders apart, operators read besides what the file says: the first
/// handle of the name that a handle has, and calls of subgraphs all variables. Errors: a damaged file, subgraphs that
/// take memory, shapes that are open, elements of unknown size.
std::optional<Network> read_tflm_graph(const std::vector<std::uint8_t>& bytes, const std::string& file,
                                       Diagnostics& diags);

/// The same file, byte for byte, but for the order of its operators and a plan in its metadata; what it had of one is
/// replaced. `order`: operators as they run; `offsets`: bytes from the start of the arena's head, by tensor, -1 where
/// the runtime plans. The file must be one that read_tflm_graph() reads. Nothing where the result is another graph: of
/// files whose tables lie in each other, which no writer makes.
/// @throws InvariantError when order or offsets are not of this file.
std::optional<std::vector<std::uint8_t>> with_offline_plan(const std::vector<std::uint8_t>& bytes,
                                                           std::span<const int> order,
                                                           std::span<const std::int64_t> offsets);

/// The offsets that a file has planned for its first subgraph; nothing where it has no plan, or one that is not as it
/// should be.
std::optional<std::vector<std::int64_t>> offline_plan_of(const std::vector<std::uint8_t>& bytes);

}  // namespace dse::nn
