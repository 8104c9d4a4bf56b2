// What schedules are made from: the operations of a graph on one NPU, their jobs, estimated cycles, formats and coded
// weights.
#pragma once
#include <vector>

#include "models/hw/ethos_u/estimate.h"
#include "plan/npu/schedule/schedule.h"

namespace dse::plan::npu {

class Costs {
 public:
  /// `coder`: what has coded weights of this graph for this accelerator before, if anything has.
  Costs(const Graph& graph, const hw::ethos_u::Npu& npu, Formats formats, WeightCoderPtr coder = nullptr);

  const Graph& graph() const { return graph_; }
  const hw::ethos_u::Npu& npu() const { return npu_; }
  int count() const { return static_cast<int>(graph_.operations.size()); }
  const Operation& op(int i) const { return graph_.operations[static_cast<std::size_t>(i)]; }
  const Tensor& tensor(int t) const { return graph_.tensors[static_cast<std::size_t>(t)]; }
  Format format(int t) const { return formats_[static_cast<std::size_t>(t)]; }
  hw::ethos_u::Area area(int t) const { return areas_[static_cast<std::size_t>(t)]; }
  void set_area(int t, hw::ethos_u::Area a) { areas_[static_cast<std::size_t>(t)] = a; }
  const WeightCoderPtr& coder() const { return coder_; }

  /// Bytes of a tensor in its format, rounded.
  std::int64_t bytes(int t) const;
  /// It lies in the fast memory while it lives.
  bool in_fast(int t) const;

  /// The whole operation; `weights`: where they are read.
  hw::ethos_u::Job job(int i, hw::ethos_u::Area weights) const;
  /// A plan without stripes shorter than `stripe` rows, slices or staging; blocks by the rule for that height.
  OperationPlan plan(int i, int stripe_rows);
  /// Estimated cycles for so many output channels, weights in the fast memory.
  std::int64_t cycles(int i, const OperationPlan& plan, int depth) const;
  /// Kernel elements of its weights go inside the input channels.
  bool part_kernel(int i) const;
  WeightStreamPtr weights(int i, const OperationPlan& plan, const std::vector<int>& slices);

 private:
  void choose_formats(Formats formats);

  const Graph& graph_;
  hw::ethos_u::Npu npu_;
  std::vector<Format> formats_;
  std::vector<hw::ethos_u::Area> areas_;
  WeightCoderPtr coder_;
};

}  // namespace dse::plan::npu
