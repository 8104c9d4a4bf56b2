// Makes the operations of a graph one after the other: what the functions that take operators apart share.
#pragma once
#include <string>
#include <utility>

#include "plan/npu/graph.h"

namespace dse::plan::npu {

class Builder {
 public:
  Builder(const nn::Network& network, const hw::ethos_u::Accelerator& accelerator)
      : network_(network), accelerator_(accelerator) {
    graph_.of_network.assign(network.tensors.size(), -1);
  }

  const nn::Network& network() const { return network_; }
  const hw::ethos_u::Accelerator& accelerator() const { return accelerator_; }
  const nn::Operator& op() const { return network_.operators[static_cast<std::size_t>(source_)]; }
  const nn::Tensor& source(int tensor) const { return network_.tensors[static_cast<std::size_t>(tensor)]; }
  Graph& graph() { return graph_; }

  /// Operations from here on are pieces of this operator.
  void begin(int source) { source_ = source; }
  int current() const { return source_; }

  /// The tensor of the graph for one of the network; made when it is first asked for.
  int tensor(int network_tensor);
  /// Between two pieces, of `bits`.
  int between(const std::string& what, const Shape& shape, int bits);
  /// A constant that a piece needs.
  int constant(const std::string& what, const Shape& shape, int bits);

  /// An operation with the shapes of its tensors; more is for the caller to set.
  Operation& add(Function f, int ifm, int ofm, int ifm2 = -1);
  /// A copy through the pooling unit: changes scale, place or activation.
  Operation& add_nop(int ifm, int ofm) { return add(Function::average_pool, ifm, ofm); }

  /// The operator is the CPU's: its tensors lie whole and channels last.
  void fall_back(const std::string& why);

  /// From now on the graph's tensor is what stands for the network's (behind reshapes).
  void stands_for(int network_tensor, int graph_tensor);

 private:
  const nn::Network& network_;
  const hw::ethos_u::Accelerator& accelerator_;
  Graph graph_;
  int source_ = -1;
};

/// Zeros around an input of `size` for `outputs` of them, before and after; `before`: where they are given and not
/// those of SAME.
std::pair<int, int> zeros_around(int size, int outputs, int stride, int reach, bool same, int before);

// Each adds the operations of the operator that begun. Products, pools, element by element, data movement, and what is
// taken apart.
void add_product(Builder& b);
void add_transpose_conv(Builder& b);
void add_pool(Builder& b);
void add_mean(Builder& b);
void add_elementwise(Builder& b);
void add_table(Builder& b);
void add_relu(Builder& b);
void add_requantize(Builder& b);
void add_view(Builder& b);
void add_concatenation(Builder& b);
void add_split(Builder& b);
void add_resize(Builder& b);
void add_softmax(Builder& b);
void add_lstm(Builder& b);

}  // namespace dse::plan::npu
