// Which tensors are alive while a layer runs, and what they take.
#pragma once
#include <utility>
#include <vector>

#include "explore/compose/graph/sections.h"

namespace dse::explore {

/// The homes of the tensors that are alive between two layers: root tensor and index into Space::homes, ascending.
using LiveState = std::vector<std::pair<int, int>>;
/// The index of a tensor's home in a state; -1: it is not alive.
int home_in(const LiveState& state, int tensor);

/// Bytes of variables, which are alive in every section, in the io memory.
std::int64_t variable_bytes(const nn::Network& network, const hw::Device& device);

class LiveTensors {
 public:
  /// `memories`: of a section graph.
  LiveTensors(const Space& space, const std::vector<int>& memories)
      : space_(space), memories_(memories), kept_(variable_bytes(*space.network, *space.device)) {}

  /// From now on tensors count only where they are alive in every order.
  void bound_orders();

  /// The state after `op` with its output at this home. `executed`: with it. `live`: bytes of tensors alive in it.
  LiveState pass(int op, const std::vector<char>& executed, const LiveState& before, int home,
                 MemoryVector& live) const;
  /// A tensor stays alive when these have run.
  bool is_wanted(int tensor, const std::vector<char>& executed) const;
  bool is_streamed(int tensor) const;

  void add_variables(MemoryVector& live) const { add_bytes(live, space_.device->io, kept_); }
  void add(MemoryVector& live, int tensor, const plan::Placement& home, int sign = 1) const;
  void add_bytes(MemoryVector& live, int memory, std::int64_t bytes, int sign = 1) const;

 private:
  bool counts(int tensor, int op) const;
  bool made_by_reader(const std::vector<int>& readers, int op) const;

  const Space& space_;
  const std::vector<int>& memories_;
  const std::int64_t kept_;
  std::vector<std::vector<char>> before_;  // empty: what is alive counts
};

}  // namespace dse::explore
