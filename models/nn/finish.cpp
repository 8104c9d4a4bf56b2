#include "models/nn/finish.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace dse::nn {

bool Derivation::fail(const std::string& what, const std::string& hint) {
  diags_.error({file_, 0, 0}, where_ + ": " + what, hint);
  return false;
}

bool Derivation::quantized_int8(int index, const char* role) {
  const Tensor& t = tensor(index);
  if (t.type != DataType::int8)
    return fail(fmt::format("{} '{}' has type {}", role, t.name, name_of(t.type)),
                "only int8 activations are supported");
  const auto& q = t.quantization;
  if (q.scale.size() != 1 || q.zero_point.size() != 1)
    return fail(fmt::format("{} '{}' has {} scales and {} zero points, not one of each", role, t.name, q.scale.size(),
                            q.zero_point.size()),
                "quantise the model to int8 first");
  if (!std::isfinite(q.scale[0]) || !(q.scale[0] > 0.0f))
    return fail(fmt::format("{} '{}' has scale {}", role, t.name, q.scale[0]));
  if (q.zero_point[0] < -128 || q.zero_point[0] > 127)
    return fail(fmt::format("{} '{}' has zero point {}, outside int8", role, t.name, q.zero_point[0]));
  return true;
}

bool Derivation::image_of_batch_1(int index, const char* role) {
  const auto& shape = tensor(index).shape;
  if (shape.size() != 4)
    return fail(fmt::format("{} '{}' has shape {}, not [1, H, W, C]", role, tensor(index).name, text_of(shape)));
  if (shape[0] != 1)
    return fail(fmt::format("{} '{}' has batch {}", role, tensor(index).name, shape[0]), "only batch 1 is supported");
  return true;
}

bool Derivation::output_is(const std::vector<std::int64_t>& shape) {
  if (output().shape == shape) return true;
  return fail(fmt::format("output '{}' has shape {}, but the operator makes {}", output().name, text_of(output().shape),
                          text_of(shape)));
}

float scale_of(const Tensor& t) { return t.quantization.scale[0]; }
std::int32_t zero_of(const Tensor& t) { return static_cast<std::int32_t>(t.quantization.zero_point[0]); }

std::string text_of(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

namespace {

bool check_tensors(const Network& n, const std::string& file, Diagnostics& diags) {
  bool ok = true;
  for (std::size_t i = 0; i < n.tensors.size(); ++i) {
    const Tensor& t = n.tensors[i];
    const auto fail = [&](const std::string& what) {
      diags.error({file, 0, 0}, fmt::format("tensor {} ('{}'): {}", i, t.name, what));
      ok = false;
    };
    std::int64_t elements = 1;
    for (const auto d : t.shape) {
      if (d < 1 || d > max_elements / elements) {
        fail(fmt::format("shape {} {}", text_of(t.shape),
                         d < 1 ? "has an extent below 1" : "has more than 64 M elements"));
        elements = -1;
        break;
      }
      elements *= d;
    }
    if (elements > 0 && t.kind == TensorKind::constant && static_cast<std::int64_t>(t.data.size()) != t.bytes())
      fail(fmt::format("constant has {} bytes of data, shape {} needs {}", t.data.size(), text_of(t.shape), t.bytes()));
  }
  return ok;
}

struct Arity {
  std::size_t min_inputs, max_inputs;
};
Arity arity(OperatorKind k) {
  switch (k) {
    case OperatorKind::conv_2d:
    case OperatorKind::depthwise_conv_2d:
    case OperatorKind::fully_connected:
      return {2, 3};
    case OperatorKind::add:
      return {2, 2};
    default:
      return {1, 1};
  }
}

/// Indices, arity, and that every input exists before it is read and every output is made once.
bool check_wiring(Derivation& d, std::vector<bool>& made) {
  Operator& op = d.op;
  const Arity a = arity(op.kind);
  if (op.inputs.size() < a.min_inputs || op.inputs.size() > a.max_inputs)
    return d.fail(fmt::format("has {} inputs, expected {}{}", op.inputs.size(), a.min_inputs,
                              a.min_inputs == a.max_inputs ? "" : fmt::format(" to {}", a.max_inputs)));
  if (op.outputs.size() != 1) return d.fail(fmt::format("has {} outputs, expected 1", op.outputs.size()));
  const auto count = static_cast<int>(d.network.tensors.size());
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const int t = op.inputs[i];
    if (t == -1 && i >= 2) continue;  // no bias
    if (t < 0 || t >= count) return d.fail(fmt::format("input {} is tensor {}, but there are {} tensors", i, t, count));
    if (d.tensor(t).kind == TensorKind::variable)
      return d.fail(fmt::format("input {} '{}' is a variable", i, d.tensor(t).name),
                    "stateful networks are not supported");
    if (!made[static_cast<std::size_t>(t)])
      return d.fail(fmt::format("input {} '{}' is read before it is made", i, d.tensor(t).name));
  }
  const int out = op.outputs[0];
  if (out < 0 || out >= count) return d.fail(fmt::format("output is tensor {}, but there are {} tensors", out, count));
  if (d.tensor(out).kind != TensorKind::activation)
    return d.fail(fmt::format("output '{}' is not an activation", d.tensor(out).name));
  if (made[static_cast<std::size_t>(out)])
    return d.fail(fmt::format("output '{}' is already made", d.tensor(out).name));
  made[static_cast<std::size_t>(out)] = true;
  if (a.max_inputs == 3) op.inputs.resize(3, -1);
  return true;
}

bool check_options(Derivation& d) {
  const OperatorOptions& o = d.op.options;
  for (const int v : {o.stride_h, o.stride_w, o.dilation_h, o.dilation_w})
    if (v < 1 || v > max_window)
      return d.fail(fmt::format("stride or dilation {} is not within 1 to {}", v, max_window));
  return true;
}

bool derive(Derivation& d) {
  switch (d.op.kind) {
    case OperatorKind::conv_2d:
    case OperatorKind::depthwise_conv_2d:
      return derive_convolution(d);
    case OperatorKind::fully_connected:
      return derive_fully_connected(d);
    case OperatorKind::add:
      return derive_add(d);
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
      return derive_pool(d);
    case OperatorKind::reshape:
      return derive_reshape(d);
    case OperatorKind::softmax:
      return derive_softmax(d);
  }
  return false;
}

void name_operators(Network& n) {
  std::map<OperatorKind, int> running;
  std::set<std::string> taken;
  for (const auto& op : n.operators) taken.insert(op.name);
  for (auto& op : n.operators) {
    int& number = running[op.kind];
    if (!op.name.empty()) {
      ++number;
      continue;
    }
    do op.name = key_of(op.kind) + std::to_string(number++);
    while (!taken.insert(op.name).second);
  }
}

bool check_ports(const Network& n, const std::vector<bool>& made, const std::string& file, Diagnostics& diags) {
  bool ok = true;
  const auto count = static_cast<int>(n.tensors.size());
  const auto check = [&](const std::vector<int>& ports, const char* role) {
    if (ports.empty()) diags.error({file, 0, 0}, fmt::format("the network has no {}", role)), ok = false;
    for (const int t : ports) {
      if (t < 0 || t >= count)
        diags.error({file, 0, 0}, fmt::format("network {} is tensor {}, but there are {} tensors", role, t, count)),
            ok = false;
      else if (!made[static_cast<std::size_t>(t)])
        diags.error({file, 0, 0},
                    fmt::format("network {} '{}' is never made", role, n.tensors[static_cast<std::size_t>(t)].name)),
            ok = false;
    }
  };
  check(n.inputs, "input");
  check(n.outputs, "output");
  return ok;
}

}  // namespace

NetworkPtr finish_network(Network network, Diagnostics& diags, const std::string& file) {
  if (!check_tensors(network, file, diags)) return nullptr;
  if (network.operators.empty()) diags.error({file, 0, 0}, "the network has no operators");
  std::vector<bool> made(network.tensors.size());
  for (std::size_t t = 0; t < made.size(); ++t)
    made[t] = network.tensors[t].kind == TensorKind::constant || network.tensors[t].kind == TensorKind::input;
  bool ok = !network.operators.empty();
  for (std::size_t o = 0; o < network.operators.size(); ++o) {
    Operator& op = network.operators[o];
    Derivation d(network, op, fmt::format("operator {} ({})", o, name_of(op.kind)), file, diags);
    const bool wired = check_wiring(d, made);
    ok = wired && check_options(d) && derive(d) && ok;
  }
  ok = check_ports(network, made, file, diags) && ok;
  if (!ok) return nullptr;
  name_operators(network);
  return std::make_shared<const Network>(std::move(network));
}

}  // namespace dse::nn
