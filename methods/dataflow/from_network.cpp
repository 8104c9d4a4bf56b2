#include "methods/dataflow/from_network.h"

#include <algorithm>
#include <set>

#include "base/index.h"

namespace dse::plan::phases {
namespace {

using nn::OperatorFamily;
using nn::OperatorKind;

class Reader {
 public:
  explicit Reader(const nn::Network& n) : n_(n), maker_(n.tensors.size(), -1) {
    channels_first_ =
        std::any_of(n.operators.begin(), n.operators.end(), [](const auto& op) { return op.options.channels_first; });
    g_.name = n.name;
  }

  LayerGraph read() {
    for (const int t : n_.inputs) {
      maker_[index(t)] = add(tensor(t).name, t);
      g_.layers.back().source = true;
    }
    for (const auto& op : n_.operators) {
      const int layer = add(op.name, op.outputs[0]);
      const std::size_t first_edge = g_.edges.size();
      std::set<int> read;
      std::int64_t joined = 0;  // rows of a concatenation's inputs so far
      for (const int t : op.inputs) {
        if (t < 0) continue;
        const bool flows = tensor(t).kind != nn::TensorKind::constant && maker_[index(t)] >= 0;
        if (flows && read.insert(t).second)
          g_.edges.push_back({maker_[index(t)], layer, rows(t), row_elements(t), window(op, t, joined), t});
        joined += rows(t);
      }
      for (const int t : op.outputs) maker_[index(t)] = layer;
      Layer& l = g_.layers.back();
      l.source = g_.edges.size() == first_edge;
      l.output = std::any_of(op.outputs.begin(), op.outputs.end(), [&](int t) { return is_output(t); });
      l.elementwise = g_.edges.size() == first_edge + 1 && op.outputs.size() == 1 && row_wise(op) &&
                      g_.edges.back().rows == l.rows && op.kind != OperatorKind::concatenation;
      for (std::size_t e = first_edge; e < g_.edges.size(); ++e) l.at_once = l.at_once || covers_all(op, g_.edges[e]);
    }
    return std::move(g_);
  }

 private:
  const nn::Tensor& tensor(int t) const { return n_.tensors[index(t)]; }
  bool is_output(int t) const { return std::find(n_.outputs.begin(), n_.outputs.end(), t) != n_.outputs.end(); }

  std::size_t row_axis(std::size_t rank) const { return channels_first_ && rank == 4 ? 2 : 1; }
  std::int64_t rows(int t) const {
    const auto& shape = tensor(t).shape;
    return shape.size() < 3 ? 1 : std::max<std::int64_t>(1, shape[row_axis(shape.size())]);
  }
  std::int64_t row_elements(int t) const { return std::max<std::int64_t>(1, tensor(t).elements() / rows(t)); }

  int add(const std::string& name, int output) {
    Layer l;
    l.name = name, l.rows = rows(output), l.row_elements = row_elements(output);
    g_.layers.push_back(l);
    return static_cast<int>(g_.layers.size()) - 1;
  }

  /// Each output row is computed from the same row of every operand.
  bool row_wise(const nn::Operator& op) const {
    if (!nn::facts_of(op.kind).keeps_rows()) return false;
    const auto rank = tensor(op.outputs[0]).shape.size();
    const bool along_axis = op.kind == OperatorKind::softmax || op.kind == OperatorKind::log_softmax;
    return !(along_axis && rank >= 3 && op.options.axis >= 0 &&
             static_cast<std::size_t>(op.options.axis) == row_axis(rank) && rows(op.outputs[0]) > 1 && channels_first_);
  }

  Window sliding(const nn::Operator& op, int input, std::int64_t kernel) const {
    const auto& o = op.options;
    const std::int64_t extent = (kernel - 1) * o.dilation_h + 1;
    std::int64_t pad = 0;
    if (o.explicit_padding)
      pad = o.pad_top;
    else if (o.same_padding)
      pad = std::max<std::int64_t>(0, (rows(op.outputs[0]) - 1) * o.stride_h + extent - rows(input)) / 2;
    return {extent, o.stride_h, pad, false};
  }

  /// `joined`: rows of the operands before this one.
  Window window(const nn::Operator& op, int input, std::int64_t joined) const {
    const Window whole{1, 1, 0, true};
    const auto& shape = tensor(input).shape;
    const auto rank = shape.size();
    const auto axis = row_axis(rank);
    const auto& o = op.options;
    const Window usual = row_wise(op) && rows(input) == rows(op.outputs[0]) ? Window{} : whole;
    if (rank < 3 || rank != tensor(op.outputs[0]).shape.size()) return usual;
    switch (nn::family_of(op.kind)) {
      case OperatorFamily::convolution: {
        if (input != op.inputs[0] || rank != 4 || op.inputs.size() < 2 || op.inputs[1] < 0) return whole;
        const auto& filter = tensor(op.inputs[1]).shape;
        return filter.size() == 4 ? sliding(op, input, filter[channels_first_ ? 2 : 1]) : whole;
      }
      case OperatorFamily::pool:
        return sliding(op, input, o.filter_h);
      case OperatorFamily::pad:
        if (op.kind == OperatorKind::mirror_pad || o.pad_before.size() != rank) return whole;
        return {1, 1, o.pad_before[axis], false};
      case OperatorFamily::slice:
        if (o.begin.size() != rank || o.strides.size() != rank || o.strides[axis] <= 0) return whole;
        return {1, o.strides[axis], -o.begin[axis], false};
      case OperatorFamily::concatenation:
        return {1, 1, static_cast<std::size_t>(o.axis) == axis ? joined : 0, false};
      case OperatorFamily::split:
        return static_cast<std::size_t>(o.axis) == axis ? whole : Window{};
      case OperatorFamily::copy:
        if (!nn::is_view(op.kind)) return usual;
        // Rows that stay what they are: the same extents up to and including that of the rows.
        return std::equal(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                          tensor(op.outputs[0]).shape.begin())
                   ? Window{}
                   : whole;
      default:
        return usual;
    }
  }

  bool covers_all(const nn::Operator& op, const Edge& e) const {
    return e.window.whole || (nn::slides(op.kind) && e.window.kernel >= e.rows && e.window.pad == 0);
  }

  const nn::Network& n_;
  LayerGraph g_;
  std::vector<int> maker_;
  bool channels_first_ = false;
};

}  // namespace

LayerGraph layers_of(const nn::Network& n) { return Reader(n).read(); }

}  // namespace dse::plan::phases
