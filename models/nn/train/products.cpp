// Layers with weights.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "models/nn/circulant/blocks.h"
#include "models/nn/float/patches.h"
#include "models/nn/train/layers.h"

namespace dse::nn::train {
namespace {

using circulant::Blocks;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using View = Eigen::Map<Matrix<T>>;
template <class T>
using ConstView = Eigen::Map<const Matrix<T>>;

/// By operations: those of a matrix product are done four at a time, those of transforms mostly one by one.
bool fourier_is_faster(const Blocks& s) {
  const auto b = static_cast<double>(s.size);
  const auto blocks = static_cast<double>(s.p() * s.columns());
  const double transforms = static_cast<double>(s.p() + s.columns()) * 2.5 * b * std::log2(std::max(b, 2.0));
  return s.size > 1 && 2 * transforms + 2 * blocks * b < static_cast<double>(s.out * s.taps * s.in) / 2;
}

/// Rows times the weights, either way.
template <class T>
class Weights {
 public:
  Weights(const Blocks& s, Way way)
      : s_(s), product_(s), fourier_(s.size > 1 && (way == Way::faster ? fourier_is_faster(s) : way == Way::fourier)) {}
  const Blocks& shape() const { return s_; }

  void set(const std::vector<T>& w) {
    if (fourier_)
      product_.set_weights(w);
    else
      dense_ = s_.size == 1 ? w : circulant::expanded<T>(s_, w);
  }
  void forward(const T* x, std::int64_t rows, T* y) {
    if (fourier_) return product_.forward(x, rows, y);
    View<T>(y, rows, s_.out).noalias() = ConstView<T>(x, rows, depth()) * matrix().transpose();
  }
  /// @param again forward() of other rows came in between.
  void backward(const T* x, const T* g, std::int64_t rows, std::vector<T>& dw, T* dx, bool again) {
    if (fourier_) {
      if (again) {
        unused_.resize(static_cast<std::size_t>(rows * s_.out));
        product_.forward(x, rows, unused_.data());
      }
      return product_.backward(g, rows, dw.data(), dx);
    }
    const ConstView<T> gradient(g, rows, s_.out);
    Matrix<T> of_matrix(s_.out, depth());
    of_matrix.noalias() = gradient.transpose() * ConstView<T>(x, rows, depth());
    const std::span<const T> values(of_matrix.data(), static_cast<std::size_t>(of_matrix.size()));
    if (s_.size == 1) {
      for (std::size_t i = 0; i < dw.size(); ++i) dw[i] += values[i];
    } else {
      const auto folded = circulant::gathered<T>(s_, values);
      for (std::size_t i = 0; i < dw.size(); ++i) dw[i] += folded[i];
    }
    if (dx) View<T>(dx, rows, depth()).noalias() = gradient * matrix();
  }

 private:
  std::int64_t depth() const { return s_.taps * s_.in; }
  ConstView<T> matrix() const { return ConstView<T>(dense_.data(), s_.out, depth()); }

  Blocks s_;
  circulant::Product<T> product_;
  bool fourier_;
  std::vector<T> dense_, unused_;
};

template <class T>
class Weighted : public Layer<T> {
 public:
  Weighted(const Blocks& s, Way way, Parameter<T> weights, Parameter<T> bias)
      : product_(s, way), weights_(std::move(weights)), bias_(std::move(bias)) {}
  std::vector<Parameter<T>*> parameters() override {
    std::vector<Parameter<T>*> all{&weights_};
    if (!bias_.value.empty()) all.push_back(&bias_);
    return all;
  }

 protected:
  void add_bias(T* y, std::int64_t rows) const {
    const auto n = static_cast<std::int64_t>(bias_.value.size());
    for (std::int64_t i = 0; i < rows * n; ++i) y[i] += bias_.value[static_cast<std::size_t>(i % n)];
  }
  void add_bias_gradient(const T* g, std::int64_t rows) {
    const auto n = static_cast<std::int64_t>(bias_.value.size());
    for (std::int64_t i = 0; i < rows * n; ++i) bias_.gradient[static_cast<std::size_t>(i % n)] += g[i];
  }

  Weights<T> product_;
  Parameter<T> weights_, bias_;
};

template <class T>
class FullyConnected final : public Weighted<T> {
 public:
  using Weighted<T>::Weighted;
  void forward(const T* x, std::int64_t rows, T* y, const Pass&) override {
    this->product_.set(this->weights_.value);
    this->product_.forward(x, rows, y);
    this->add_bias(y, rows);
  }
  void backward(const T* x, const T*, const T* g, std::int64_t rows, T* dx) override {
    this->product_.backward(x, g, rows, this->weights_.gradient, dx, false);
    this->add_bias_gradient(g, rows);
  }
};

template <class T>
class Convolution final : public Weighted<T> {
 public:
  Convolution(const floating::Geometry& g, const Blocks& s, Way way, Parameter<T> weights, Parameter<T> bias)
      : Weighted<T>(s, way, std::move(weights), std::move(bias)), g_(g) {}

  void forward(const T* x, std::int64_t rows, T* y, const Pass&) override {
    this->product_.set(this->weights_.value);
    patches_.resize(static_cast<std::size_t>(pixels() * depth()));
    for (std::int64_t n = 0; n < rows; ++n, x += this->in, y += this->out) {
      gather(x);
      this->product_.forward(patches_.data(), pixels(), y);
      this->add_bias(y, pixels());
    }
  }
  void backward(const T* x, const T*, const T* g, std::int64_t rows, T* dx) override {
    std::vector<T> of_patches(dx ? patches_.size() : 0);
    if (dx) std::fill_n(dx, rows * this->in, T{});
    for (std::int64_t n = 0; n < rows; ++n, x += this->in, g += this->out) {
      gather(x);
      this->product_.backward(patches_.data(), g, pixels(), this->weights_.gradient, dx ? of_patches.data() : nullptr,
                              true);
      this->add_bias_gradient(g, pixels());
      if (dx) scatter(of_patches.data(), dx + n * this->in);
    }
  }

 private:
  std::int64_t pixels() const { return g_.out_h * g_.out_w; }
  std::int64_t depth() const { return g_.kernel_h * g_.kernel_w * g_.in_c; }

  floating::Patches<T> patches_of(const T* image) const { return {g_, image, 0, g_.in_c}; }
  void gather(const T* image) { patches_of(image).rows(0, pixels(), patches_.data()); }
  /// The adjoint of gather().
  void scatter(const T* patches, T* image) const {
    const auto p = patches_of(image);
    for (std::int64_t out_y = 0; out_y < g_.out_h; ++out_y)
      for (std::int64_t out_x = 0; out_x < g_.out_w; ++out_x)
        for (std::int64_t ky = 0; ky < g_.kernel_h; ++ky)
          for (std::int64_t kx = 0; kx < g_.kernel_w; ++kx, patches += g_.in_c) {
            const std::int64_t y = p.row(out_y, ky), x = p.column(out_x, kx);
            if (y < 0 || x < 0) continue;
            for (std::int64_t c = 0; c < g_.in_c; ++c) image[g_.in_index(y, x, c)] += patches[c];
          }
  }

  floating::Geometry g_;
  std::vector<T> patches_;
};

}  // namespace

template <class T>
std::unique_ptr<Layer<T>> fully_connected_layer(std::int64_t in, std::int64_t out, std::int64_t block, Way way,
                                                Parameter<T> weights, Parameter<T> bias) {
  const Blocks s{out, in, block, 1};
  auto layer = std::make_unique<FullyConnected<T>>(s, way, std::move(weights), std::move(bias));
  layer->in = in, layer->out = out;
  return layer;
}

template <class T>
std::unique_ptr<Layer<T>> convolution_layer(const floating::Geometry& g, std::int64_t block, Way way,
                                            Parameter<T> weights, Parameter<T> bias) {
  const Blocks s{g.out_c, g.in_c, block, g.kernel_h * g.kernel_w};
  auto layer = std::make_unique<Convolution<T>>(g, s, way, std::move(weights), std::move(bias));
  layer->in = g.in_h * g.in_w * g.in_c, layer->out = g.out_h * g.out_w * g.out_c;
  return layer;
}

template std::unique_ptr<Layer<float>> fully_connected_layer(std::int64_t, std::int64_t, std::int64_t, Way,
                                                             Parameter<float>, Parameter<float>);
template std::unique_ptr<Layer<double>> fully_connected_layer(std::int64_t, std::int64_t, std::int64_t, Way,
                                                              Parameter<double>, Parameter<double>);
template std::unique_ptr<Layer<float>> convolution_layer(const floating::Geometry&, std::int64_t, Way, Parameter<float>,
                                                         Parameter<float>);
template std::unique_ptr<Layer<double>> convolution_layer(const floating::Geometry&, std::int64_t, Way,
                                                          Parameter<double>, Parameter<double>);

}  // namespace dse::nn::train
