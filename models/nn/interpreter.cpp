// Runs a network with the reference kernels, one whole operator after the other.
#include <fmt/format.h>

#include <cstring>

#include "models/nn/network.h"
#include "models/nn/splitmix.h"
#include "models/nn/views.h"

namespace dse::nn {

std::vector<std::int8_t> filter_major_weights(const Network& n, const Operator& op) {
  const int index = operand_tensor(op, DSE_WEIGHTS);
  if (index < 0) return {};
  const Tensor& t = n.tensors[static_cast<std::size_t>(index)];
  std::vector<std::int8_t> out(t.data.size());
  if (op.kind != OperatorKind::depthwise_conv_2d) {  // OHWI and [out, in] are filter-major already
    std::memcpy(out.data(), t.data.data(), out.size());
    return out;
  }
  const auto channels = static_cast<std::size_t>(op.kernel.out_c);
  const std::size_t taps = out.size() / channels;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t tap = 0; tap < taps; ++tap)
      out[c * taps + tap] = static_cast<std::int8_t>(t.data[tap * channels + c]);
  return out;
}

std::vector<std::uint8_t> seeded_input(const Tensor& t, int ordinal, std::uint64_t seed) {
  SplitMix64 random(0x7F1A2E5D00000000u + 1000003u * seed + 7919u * static_cast<std::uint64_t>(ordinal));
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

namespace {

void run_operator(const Network& n, const Operator& op, std::vector<std::vector<std::uint8_t>>& bytes) {
  const auto data = [&](int t) {
    const Tensor& tensor = n.tensors[static_cast<std::size_t>(t)];
    // The kernels take one kind of pointer; they never write to an input.
    return tensor.kind == TensorKind::constant ? const_cast<std::uint8_t*>(tensor.data.data())
                                               : bytes[static_cast<std::size_t>(t)].data();
  };
  std::vector<std::int8_t> weights = filter_major_weights(n, op);
  std::vector<std::int32_t> params = op.channel_params;
  dse_call call{};
  call.op = &op.kernel;
  call.tile = full_tile(op);
  for (const dse_role role : {DSE_IN0, DSE_IN1, DSE_OUT}) {
    const int t = operand_tensor(op, role);
    if (t >= 0) call.view[role] = full_view(n, op, role, data(t));
  }
  if (!weights.empty()) {
    call.view[DSE_WEIGHTS] = full_view(n, op, DSE_WEIGHTS, reinterpret_cast<std::uint8_t*>(weights.data()));
    call.view[DSE_QPARAMS] = full_view(n, op, DSE_QPARAMS, reinterpret_cast<std::uint8_t*>(params.data()));
  }
  ensure(dse_run(&call) == 0, fmt::format("operator {} has no kernel or lacks an operand", op.name));
}

}  // namespace

std::vector<std::vector<std::uint8_t>> interpret(const Network& n,
                                                 const std::vector<std::vector<std::uint8_t>>& inputs) {
  ensure(inputs.size() == n.inputs.size(),
         fmt::format("{} inputs given, the network has {}", inputs.size(), n.inputs.size()));
  std::vector<std::vector<std::uint8_t>> bytes(n.tensors.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto t = static_cast<std::size_t>(n.inputs[i]);
    ensure(static_cast<std::int64_t>(inputs[i].size()) == n.tensors[t].bytes(),
           fmt::format("input {} has {} bytes, expected {}", i, inputs[i].size(), n.tensors[t].bytes()));
    bytes[t] = inputs[i];
  }
  for (const auto& op : n.operators) {
    const auto out = static_cast<std::size_t>(op.outputs[0]);
    bytes[out].assign(static_cast<std::size_t>(n.tensors[out].bytes()), 0);
    run_operator(n, op, bytes);
  }
  return bytes;
}

}  // namespace dse::nn
