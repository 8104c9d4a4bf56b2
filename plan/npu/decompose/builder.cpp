#include "plan/npu/decompose/builder.h"

#include <algorithm>

#include "base/index.h"

namespace dse::plan::npu {

int Builder::tensor(int network_tensor) {
  int& at = graph_.of_network[index(network_tensor)];
  if (at >= 0) return at;
  const nn::Tensor& t = source(network_tensor);
  Tensor out;
  out.name = t.name;
  out.shape = shape_of(t);
  out.bits = static_cast<int>(nn::size_of(t.type) * 8);
  out.constant = t.kind == nn::TensorKind::constant;
  out.variable = t.kind == nn::TensorKind::variable;
  const auto in = [&](const std::vector<int>& list) {
    return std::find(list.begin(), list.end(), network_tensor) != list.end();
  };
  out.input = in(network_.inputs);
  out.output = in(network_.outputs);
  out.persists = out.input || out.output;
  out.source = network_tensor;
  graph_.tensors.push_back(std::move(out));
  return at = static_cast<int>(graph_.tensors.size()) - 1;
}

int Builder::between(const std::string& what, const Shape& shape, int bits) {
  Tensor out;
  out.name = op().name + "." + what;
  out.shape = shape;
  out.bits = bits;
  graph_.tensors.push_back(std::move(out));
  return static_cast<int>(graph_.tensors.size()) - 1;
}

int Builder::constant(const std::string& what, const Shape& shape, int bits) {
  const int out = between(what, shape, bits);
  graph_.tensors.back().constant = true;
  return out;
}

Operation& Builder::add(Function f, int ifm, int ofm, int ifm2) {
  Operation out;
  out.function = f;
  out.source = source_;
  out.name = op().name;
  out.ifm = ifm, out.ifm2 = ifm2, out.ofm = ofm;
  out.ifm_shape = graph_.tensors[index(ifm)].shape;
  if (ifm2 >= 0) out.ifm2_shape = graph_.tensors[index(ifm2)].shape;
  out.ofm_shape = graph_.tensors[index(ofm)].shape;
  const dse_op& kernel = op().kernel;
  const bool inside = graph_.tensors[index(ofm)].bits == 32;
  out.ifm_zero = kernel.in_zero, out.ifm2_zero = kernel.in2_zero, out.ofm_zero = inside ? 0 : kernel.out_zero;
  out.activation_min = inside ? 0 : kernel.act_min, out.activation_max = inside ? 0 : kernel.act_max;
  out.multiplier = static_cast<std::uint32_t>(f == Function::add || f == Function::sub ? kernel.m3 : kernel.m1);
  out.multiplier1 = static_cast<std::uint32_t>(kernel.m1), out.multiplier2 = static_cast<std::uint32_t>(kernel.m2);
  graph_.operations.push_back(std::move(out));
  return graph_.operations.back();
}

void Builder::fall_back(const std::string& why) {
  Fallback out{.source = source_, .why = why, .before = static_cast<int>(graph_.operations.size()), .tensors = {}};
  for (const auto* list : {&op().inputs, &op().outputs})
    for (const int t : *list)
      if (t >= 0) out.tensors.push_back(tensor(t));
  for (const int t : out.tensors) graph_.tensors[index(t)].persists = graph_.tensors[index(t)].on_cpu = true;
  graph_.fallbacks.push_back(std::move(out));
}

void Builder::stands_for(int network_tensor, int graph_tensor) {
  graph_.of_network[index(network_tensor)] = graph_tensor;
}

std::pair<int, int> zeros_around(int size, int outputs, int stride, int reach, bool same, int before) {
  const int total = std::max(0, (outputs - 1) * stride + reach - size);
  return same ? std::pair{total / 2, total - total / 2} : std::pair{before, std::max(0, total - before)};
}

}  // namespace dse::plan::npu
