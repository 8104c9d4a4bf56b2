// Layers without weights.
#include <algorithm>

#include "models/nn/made/splitmix.h"
#include "models/nn/train/layers.h"

namespace dse::nn::train {
namespace {

template <class T>
class Pool final : public Layer<T> {
 public:
  Pool(const floating::Geometry& g, bool average, bool count_include_pad)
      : g_(g), average_(average), counts_pad_(count_include_pad) {}

  void forward(const T* x, std::int64_t rows, T* y, const Pass&) override {
    for (std::int64_t n = 0; n < rows; ++n, x += this->in, y += this->out)
      for_each_output([&](std::int64_t at, std::int64_t c, auto&& window) {
        T sum{}, most{};
        std::int64_t count = 0;
        window([&](std::int64_t from) {
          sum += x[from + c];
          most = count++ == 0 ? x[from + c] : std::max(most, x[from + c]);
        });
        y[at] = average_ ? sum / static_cast<T>(divisor(count)) : most;
      });
  }
  /// Of a maximum the first element that is it gets the gradient.
  void backward(const T* x, const T* y, const T* g, std::int64_t rows, T* dx) override {
    if (!dx) return;
    std::fill_n(dx, rows * this->in, T{});
    for (std::int64_t n = 0; n < rows; ++n, x += this->in, dx += this->in, y += this->out, g += this->out)
      for_each_output([&](std::int64_t at, std::int64_t c, auto&& window) {
        std::int64_t count = 0;
        window([&](std::int64_t) { ++count; });
        bool given = false;
        window([&](std::int64_t from) {
          if (average_)
            dx[from + c] += g[at] / static_cast<T>(divisor(count));
          else if (!given && x[from + c] == y[at])
            dx[from + c] += g[at], given = true;
        });
      });
  }

 private:
  std::int64_t divisor(std::int64_t count) const { return counts_pad_ ? g_.kernel_h * g_.kernel_w : count; }

  /// f(output element, channel, a walk over the pixels of its window).
  template <class F>
  void for_each_output(F&& f) const {
    std::int64_t at = 0;
    for (std::int64_t y = 0; y < g_.out_h; ++y)
      for (std::int64_t x = 0; x < g_.out_w; ++x)
        for (std::int64_t c = 0; c < g_.in_c; ++c, ++at)
          f(at, c, [&](auto&& visit) {
            for (std::int64_t iy = y * g_.stride_h - g_.pad_top, ky = 0; ky < g_.kernel_h; ++ky, ++iy)
              for (std::int64_t ix = x * g_.stride_w - g_.pad_left, kx = 0; kx < g_.kernel_w; ++kx, ++ix)
                if (iy >= 0 && iy < g_.in_h && ix >= 0 && ix < g_.in_w) visit(g_.in_index(iy, ix, 0));
          });
  }

  floating::Geometry g_;
  bool average_, counts_pad_;
};

template <class T>
class Rectifier final : public Layer<T> {
 public:
  Rectifier(double lo, double hi) : lo_(static_cast<T>(lo)), hi_(static_cast<T>(hi)) {}
  void forward(const T* x, std::int64_t rows, T* y, const Pass&) override {
    for (std::int64_t i = 0, n = rows * this->in; i < n; ++i) y[i] = std::min(std::max(x[i], lo_), hi_);
  }
  void backward(const T* x, const T*, const T* g, std::int64_t rows, T* dx) override {
    if (!dx) return;
    for (std::int64_t i = 0, n = rows * this->in; i < n; ++i) dx[i] = x[i] > lo_ && x[i] < hi_ ? g[i] : T{};
  }

 private:
  T lo_, hi_;
};

/// Inverted: what stays is divided by the share that stays, so that nothing needs to be done at inference.
template <class T>
class Dropout final : public Layer<T> {
 public:
  Dropout(double rate, std::uint64_t layer) : rate_(rate), layer_(layer) {}
  void forward(const T* x, std::int64_t rows, T* y, const Pass& pass) override {
    const auto n = static_cast<std::size_t>(rows * this->in);
    factor_.assign(n, T{1});
    if (pass.training) {
      SplitMix64 random(pass.seed ^ (layer_ + 1) * 0x9e3779b97f4a7c15u);
      const auto kept = static_cast<T>(1 / (1 - rate_));
      for (auto& f : factor_) f = static_cast<double>(random.draw() >> 11) * 0x1p-53 < rate_ ? T{} : kept;
    }
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * factor_[i];
  }
  void backward(const T*, const T*, const T* g, std::int64_t, T* dx) override {
    if (!dx) return;
    for (std::size_t i = 0; i < factor_.size(); ++i) dx[i] = g[i] * factor_[i];
  }

 private:
  double rate_;
  std::uint64_t layer_;
  std::vector<T> factor_;
};

template <class T, class L>
std::unique_ptr<Layer<T>> sized(std::unique_ptr<L> layer, std::int64_t in, std::int64_t out) {
  layer->in = in, layer->out = out;
  return layer;
}

}  // namespace

template <class T>
std::unique_ptr<Layer<T>> pool_layer(const floating::Geometry& g, bool average, bool count_include_pad) {
  return sized<T>(std::make_unique<Pool<T>>(g, average, count_include_pad), g.in_h * g.in_w * g.in_c,
                  g.out_h * g.out_w * g.in_c);
}
template <class T>
std::unique_ptr<Layer<T>> rectifier_layer(std::int64_t elements, double lo, double hi) {
  return sized<T>(std::make_unique<Rectifier<T>>(lo, hi), elements, elements);
}
template <class T>
std::unique_ptr<Layer<T>> dropout_layer(std::int64_t elements, double rate, std::uint64_t layer) {
  return sized<T>(std::make_unique<Dropout<T>>(rate, layer), elements, elements);
}

template std::unique_ptr<Layer<float>> pool_layer(const floating::Geometry&, bool, bool);
template std::unique_ptr<Layer<double>> pool_layer(const floating::Geometry&, bool, bool);
template std::unique_ptr<Layer<float>> rectifier_layer(std::int64_t, double, double);
template std::unique_ptr<Layer<double>> rectifier_layer(std::int64_t, double, double);
template std::unique_ptr<Layer<float>> dropout_layer(std::int64_t, double, std::uint64_t);
template std::unique_ptr<Layer<double>> dropout_layer(std::int64_t, double, std::uint64_t);

}  // namespace dse::nn::train
