// The float32 form of a network description.
#include "models/nn/made/fill.h"
#include "models/nn/made/seeded_network.h"

namespace dse::nn {
namespace {

class FloatBuilder {
 public:
  explicit FloatBuilder(const NetworkSpec& spec) : spec_(spec) {}

  Network build() {
    net_.name = spec_.name;
    net_.inputs = {add("input", spec_.input_shape, TensorKind::input)};
    // How inputs of 8 bits are to be read; the float network itself does not need it.
    net_.tensors[0].quantization = {{spec_.input_scale}, {spec_.input_zero_point}, 0, {}};
    for (const auto& layer : spec_.layers) add_layer(layer);
    for (const int layer : output_layers(spec_)) net_.outputs.push_back(source(layer));
    return with_he_normal_weights(std::move(net_), spec_.seed);
  }

 private:
  int add(const std::string& name, const std::vector<std::int64_t>& shape, TensorKind kind) {
    Tensor t;
    t.name = name, t.shape = shape, t.kind = kind, t.type = DataType::float32;
    if (kind == TensorKind::constant) t.fill = Fill{};
    net_.tensors.push_back(std::move(t));
    return static_cast<int>(net_.tensors.size()) - 1;
  }
  int source(int layer) const { return layer < 0 ? net_.inputs[0] : outputs_[static_cast<std::size_t>(layer)]; }

  void add_layer(const LayerSpec& l) {
    Operator op;
    op.kind = operator_of(l), op.name = l.name, op.options = l.options;
    op.inputs = {source(l.from)};
    for (const int other : l.with) op.inputs.push_back(source(other));
    if (has_filters(l.kind)) {
      const auto shape = weights_shape(l, net_.tensors[static_cast<std::size_t>(op.inputs[0])].shape);
      op.inputs.push_back(add(l.name + "/weights", shape, TensorKind::constant));
      op.inputs.push_back(l.bias ? add(l.name + "/bias", {l.shape.back()}, TensorKind::constant) : -1);
    }
    if (family_of(l.kind) != OperatorFamily::pool) op.options.filter_h = op.options.filter_w = 0;
    op.outputs = {add(l.name, l.shape, TensorKind::activation)};
    outputs_.push_back(op.outputs[0]);
    net_.operators.push_back(std::move(op));
  }

  const NetworkSpec& spec_;
  Network net_;
  std::vector<int> outputs_;  // per layer
};

}  // namespace

Network seeded_float_network(const NetworkSpec& spec) { return FloatBuilder(spec).build(); }

}  // namespace dse::nn
