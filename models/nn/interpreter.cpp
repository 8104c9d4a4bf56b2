// Runs a network with the reference kernels, one whole operator after the other.
#include <fmt/format.h>

#include <cstring>

#include "models/nn/evaluate_float.h"
#include "models/nn/graph/views.h"
#include "models/nn/made/splitmix.h"
#include "models/nn/network.h"

namespace dse::nn {

std::vector<std::uint8_t> filter_major_weights(const Network& n, const Operator& op) {
  if (!op.weights.empty()) return op.weights;
  const int index = operand_tensor(op, DSE_WEIGHTS);
  if (index < 0) return {};
  const Tensor& t = n.tensors[static_cast<std::size_t>(index)];
  if (op.kind != OperatorKind::depthwise_conv_2d) return t.data;  // OHWI and [out, in] are filter-major already
  const auto channels = static_cast<std::size_t>(op.kernel.out_c), size = static_cast<std::size_t>(size_of(t.type));
  const std::size_t taps = t.data.size() / size / channels;
  std::vector<std::uint8_t> out(t.data.size());
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t tap = 0; tap < taps; ++tap)
      std::memcpy(&out[(c * taps + tap) * size], &t.data[(tap * channels + c) * size], size);
  return out;
}

std::vector<std::uint8_t> seeded_input(const Tensor& t, int ordinal, std::uint64_t seed, std::uint64_t step) {
  SplitMix64 random(0x7F1A2E5D00000000u + 1000003u * seed + 7919u * static_cast<std::uint64_t>(ordinal) +
                    104729u * step);
  const auto size = static_cast<std::size_t>(size_of(t.type));
  std::vector<std::uint8_t> out(static_cast<std::size_t>(t.bytes()));
  for (std::size_t i = 0; i < out.size(); i += size) {
    const std::uint64_t bits = random.draw();
    if (t.type == DataType::float32) {
      const float f = static_cast<float>(bits >> 40) / 8388608.0f - 1.0f;
      std::memcpy(&out[i], &f, 4);
    } else {
      const std::uint64_t value = bits >> (64 - 8 * size);  // the most significant bytes of the draw, little endian
      for (std::size_t b = 0; b < size; ++b) out[i + b] = static_cast<std::uint8_t>(value >> (8 * b));
    }
  }
  return out;
}

std::vector<std::vector<std::uint8_t>> seeded_inputs(const Network& n, std::uint64_t seed, std::uint64_t step) {
  std::vector<std::vector<std::uint8_t>> out;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    out.push_back(seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], static_cast<int>(i), seed, step));
  return out;
}

TensorBytes initial_state(const Network& n) {
  TensorBytes out(n.tensors.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Tensor& t = n.tensors[i];
    if (t.kind != TensorKind::variable) continue;
    out[i] = t.data;
    if (!out[i].empty()) continue;
    // TensorFlow Lite for Microcontrollers fills int8 variables with their zero point and every other type with 0.
    const bool zero_point = t.type == DataType::int8 && !t.quantization.zero_point.empty();
    out[i].assign(static_cast<std::size_t>(t.bytes()),
                  zero_point ? static_cast<std::uint8_t>(t.quantization.zero_point[0]) : 0);
  }
  return out;
}

void run_operator(const Network& n, const Operator& op, TensorBytes& bytes) {
  const std::vector<std::uint8_t> weights = filter_major_weights(n, op);
  std::vector<std::uint8_t> scratch;
  // The kernels take one kind of pointer; they never write to constants.
  const auto constant = [](const auto& v) {
    return reinterpret_cast<std::uint8_t*>(const_cast<void*>(static_cast<const void*>(v.data())));
  };
  const auto base = [&](int tensor, std::size_t role) {
    if (tensor >= 0) {
      const Tensor& t = n.tensors[static_cast<std::size_t>(tensor)];
      return t.kind == TensorKind::constant ? constant(t.data) : bytes[static_cast<std::size_t>(tensor)].data();
    }
    return role == DSE_WEIGHTS   ? constant(weights)
           : role == DSE_QPARAMS ? constant(op.channel_params)
           : role == DSE_LUT     ? constant(op.table)
                                 : scratch.data();
  };
  for (const KernelCall& c : op.calls) {
    dse_call call{};
    call.op = &c.op;
    call.tile = c.tile;
    scratch.assign(static_cast<std::size_t>(dse_scratch_bytes(call.op, &call.tile)), 0);
    for (std::size_t role = 0; role < DSE_ROLES; ++role) {
      const auto& operand = c.operands[role];
      if (!operand.present) continue;
      call.view[role] = operand.view;
      call.view[role].base = base(operand.tensor, role) + operand.offset;
    }
    if (!scratch.empty()) call.view[DSE_SCRATCH].base = scratch.data();
    ensure(dse_run_call(&call) == 0, fmt::format("operator {} has no kernel or lacks an operand", op.name));
  }
}

TensorBytes interpret(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs, TensorBytes& state) {
  ensure(inputs.size() == n.inputs.size(),
         fmt::format("{} inputs given, the network has {}", inputs.size(), n.inputs.size()));
  TensorBytes bytes = state;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto t = static_cast<std::size_t>(n.inputs[i]);
    ensure(static_cast<std::int64_t>(inputs[i].size()) == n.tensors[t].bytes(),
           fmt::format("input {} has {} bytes, expected {}", i, inputs[i].size(), n.tensors[t].bytes()));
    bytes[t] = inputs[i];
  }
  for (const auto& op : n.operators) {
    for (const int t : op.outputs)
      if (n.tensors[static_cast<std::size_t>(t)].kind == TensorKind::activation)
        bytes[static_cast<std::size_t>(t)].assign(
            static_cast<std::size_t>(n.tensors[static_cast<std::size_t>(t)].bytes()), 0);
    if (op.evaluation == Evaluation::floating) {
      evaluate_float(n, op, bytes);
      continue;
    }
    ensure(op.evaluation == Evaluation::kernel, "operator " + op.name + " cannot be run: " + op.unsupported);
    run_operator(n, op, bytes);
  }
  for (std::size_t i = 0; i < state.size(); ++i)
    if (n.tensors[i].kind == TensorKind::variable) state[i] = bytes[i];
  return bytes;
}

TensorBytes interpret(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs) {
  TensorBytes state = initial_state(n);
  return interpret(n, inputs, state);
}

}  // namespace dse::nn
