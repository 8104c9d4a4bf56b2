// Memory models of branch orders: what is stored where while branches run one after another, and what that costs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "methods/branch/graph.h"

namespace dse::plan::branch {

/// Values go to one of two operational buffers; one that is overwritten while it is still needed has a copy in a
/// scratch buffer. Each buffer is as large as the largest value it ever holds.
enum class Model {
  named_buffers,       // a node never overwrites an operational buffer that still holds one of its inputs; where both
                       // do, the older value gives way to its scratch copy
  named_buffers_free,  // a node may overwrite the buffer of its own input, which it then reads from the scratch copy
  direct_to_scratch,   // the same, and a node may write its value to a scratch buffer at once
  liveness,            // no named buffers: the bytes of all values alive while a node runs
};
constexpr std::array<Model, 4> models = {Model::named_buffers, Model::named_buffers_free, Model::direct_to_scratch,
                                         Model::liveness};
/// "named-buffers", "named-buffers-free", "direct-to-scratch", "liveness".
const char* name_of(Model model);
std::optional<Model> model_named(std::string_view name);

/// What is to be small. `operational`: the two operational buffers, then the scratch buffers.
enum class Objective { with_scratch, operational };
const char* name_of(Objective objective);  // "with-scratch", "operational"

struct Rules {
  Model model = Model::named_buffers;
  Objective objective = Objective::with_scratch;
  bool interrupt = true;      // false: a branch, once begun, runs to its end (the node that joins branches excepted)
  bool share_scratch = true;  // a scratch buffer may take another value once its last one has been read; false: every
                              // value that waits has a scratch buffer of its own
};

/// Where a node's value is written. `none`: it has no bytes, or the model has no named buffers.
enum class Place : std::int8_t { none = -1, first = 0, second = 1, scratch = 2 };

struct Step {
  int node = -1;
  Place place = Place::none;
  int scratch = -1;  // the scratch buffer with the value or its copy; -1: it has none
};

struct ScratchBuffer {
  std::int64_t bytes = 0;
  std::vector<int> values;  // the nodes whose values it holds, one after the other
};

/// An order with everything that is stored, and where.
struct Candidate {
  std::vector<Step> steps;
  std::array<std::int64_t, 2> operational{};  // bytes
  std::vector<ScratchBuffer> scratch;
  std::int64_t total = 0;          // bytes: all buffers; liveness: the peak
  std::vector<std::int64_t> live;  // bytes alive while each step runs, its inputs and its value included
  std::int64_t scratch_bytes() const;
  std::int64_t operational_bytes() const { return operational[0] + operational[1]; }
  /// What `objective` asks to be small; liveness knows the total only.
  std::int64_t cost(const Rules& rules) const;
};

/// Bytes alive while each node of `order` runs: its inputs, its value, and all that is still to be read or kept.
std::vector<std::int64_t> live_bytes(const Graph& graph, const std::vector<int>& order);
/// The largest of these when every reader waits for a copy of its own.
std::int64_t peak_of_edge_copies(const Graph& graph, const std::vector<int>& order);

/// Replays a candidate value by value, independently of the search. @returns what is wrong with it, empty when every
/// node finds its inputs, every buffer is exactly as large as it must be and the rules are kept.
std::string fault_of(const Graph& graph, const Candidate& candidate, const Rules& rules);

}  // namespace dse::plan::branch
