// Circulant layers in float32, through Fourier transforms.
#include "models/nn/circulant/layer.h"
#include "models/nn/float/patches.h"

namespace dse::nn::floating {

void circulant(Call& c) {
  const nn::circulant::Blocks s = nn::circulant::blocks_of(c.network(), c.op);
  nn::circulant::Product<float> product(s);
  const std::span<const float> w(c.in(1), static_cast<std::size_t>(s.parameters()));
  if (c.o.spectral)
    product.set_spectra(w);
  else
    product.set_weights(w);
  if (c.op.kind == OperatorKind::circulant_fully_connected) {
    product.forward(c.in(), c.size() / s.in, c.out());
  } else {
    const Geometry g = geometry(c.o, c.shape(), c.out_shape(), c.shape(1)[1], c.shape(1)[2]);
    std::vector<float> patch(static_cast<std::size_t>(s.taps * s.in));
    const float* x = c.in();
    float* y = c.out();
    for (std::int64_t n = 0; n < g.batch; ++n, x += g.in_h * g.in_w * g.in_c)
      for (std::int64_t pixel = 0; pixel < g.out_h * g.out_w; ++pixel, y += s.out) {
        Patches<float>{g, x, 0, s.in}.rows(pixel, 1, patch.data());
        product.forward(patch.data(), 1, y);
      }
  }
  if (c.has(2)) {
    const float* bias = c.in(2);
    for (std::int64_t i = 0, n = c.out_size(); i < n; ++i) c.out()[i] += bias[i % s.out];
  }
  c.activate();
}

}  // namespace dse::nn::floating
