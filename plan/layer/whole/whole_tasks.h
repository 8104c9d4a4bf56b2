// What the tasks of whole layers have in common, at once or in pieces: copies, constants, where operands lie.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "plan/layer/layer_views.h"
#include "plan/layer/whole/whole_layer.h"

namespace dse::plan {

class WholeTasks {
 public:
  WholeTasks(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o)
      : p_(p),
        n_(*c.network),
        device_(*c.device),
        op_(n_.operators[c.op]),
        index_(c.op),
        g_(g),
        o_(o),
        views_(g, o),
        blob_(n_, op_),
        inputs_(activations(n_, op_)) {}

 protected:
  using Range = program::Range;
  using View = program::View;
  using Dependencies = std::vector<program::Dependency>;

  /// Slots: one per queue that copies in ahead of everything; from kOwn on those of emitters; the calls.
  static constexpr int kOwn = 11, kCall = 15;

  void copy(int from, std::int64_t from_offset, int to, std::int64_t to_offset, std::int64_t bytes, int slot,
            int channel, Dependencies after);
  /// `slot` < 0: that of the queue.
  void issue(std::shared_ptr<program::CopyPayload> payload, int slot, int channel, Dependencies after);
  /// Everything constant, to where the calls read it.
  void load_constants();
  /// The payload of a call but for its inputs, output, variables and ranges.
  std::shared_ptr<program::CallPayload> payload_of(const nn::KernelCall& c);
  void issue_call(std::shared_ptr<program::CallPayload> payload, Dependencies after);
  /// Of everything that went into slots of queues.
  Dependencies loaded() const;

  View constant(const nn::KernelCall::Operand& operand, int role) const;
  /// An input or output in its home.
  View at_home(const nn::KernelCall::Operand& operand) const;
  std::ptrdiff_t input_of(int tensor) const {
    return std::find(inputs_.begin(), inputs_.end(), tensor) - inputs_.begin();
  }
  bool is_constant(int tensor) const { return tensor < 0 || n_.tensors[tensor].kind == nn::TensorKind::constant; }

  program::Program& p_;
  const nn::Network& n_;
  const hw::Device& device_;
  const nn::Operator& op_;
  const int index_;
  const LayerGeometry& g_;
  const LayerOffsets& o_;
  LayerViews views_;
  ConstantBlob blob_;
  std::vector<int> inputs_, copiers_;
};

}  // namespace dse::plan
