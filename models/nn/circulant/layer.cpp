#include "models/nn/circulant/layer.h"

#include <fmt/format.h>

#include <cstring>

#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/made/fill.h"

namespace dse::nn::circulant {

Blocks blocks_of(const Network& n, const Operator& op) {
  const auto tensor = [&](int t) -> const Tensor& { return n.tensors[static_cast<std::size_t>(t)]; };
  const Tensor &x = tensor(op.inputs[0]), &w = tensor(op.inputs[1]), &y = tensor(op.outputs[0]);
  Blocks s;
  s.size = op.options.block;
  s.out = y.shape.empty() ? 1 : y.shape.back();
  const bool conv = op.kind == OperatorKind::circulant_conv_2d;
  const std::int64_t rows = x.shape.size() == 2 ? x.shape[0] : 1;
  s.in = conv ? x.shape.back() : x.elements() / std::max<std::int64_t>(rows, 1);
  if (conv && w.shape.size() == 5) s.taps = w.shape[1] * w.shape[2];
  return s;
}

std::vector<std::int64_t> weights_shape(const Blocks& s, std::int64_t kernel_h, std::int64_t kernel_w, bool conv) {
  if (!conv) return {s.p(), s.q(), s.size};
  return {s.p(), kernel_h, kernel_w, s.q(), s.size};
}

std::string why_no_block(std::int64_t block, bool spectral) {
  if (block < 1 || block > DSE_LARGEST_BLOCK)
    return fmt::format("blocks of {} are not within 1 to {}", block, static_cast<int>(DSE_LARGEST_BLOCK));
  if (spectral && !dse_transforms(static_cast<std::int32_t>(block)))
    return fmt::format("integers have Fourier transforms of powers of two from 2 to {}, not of {}",
                       static_cast<int>(DSE_LARGEST_TRANSFORM), block);
  return {};
}

Network in_domain(Network n, bool spectral, bool transformable_only) {
  for (Operator& op : n.operators) {
    if (!is_circulant(op.kind) || op.options.spectral == spectral) continue;
    if (transformable_only && spectral && !why_no_block(op.options.block, true).empty()) continue;
    const Blocks s = blocks_of(n, op);
    Tensor& t = n.tensors[static_cast<std::size_t>(op.inputs[1])];
    const auto values = values_of(t);
    const std::vector<double> w(values.begin(), values.end());
    const auto made = spectral ? to_frequency<double>(s, w) : to_time<double>(s, w);
    set_values(t, std::vector<float>(made.begin(), made.end()));
    op.options.spectral = spectral;
  }
  return n;
}

}  // namespace dse::nn::circulant
