// Block-circulant matrices ("FFT-Based Deep Learning Deployment in Embedded Systems", arXiv:1712.04910): p x q blocks
// of size b, each defined by its first column w: M[i b + r][j b + s] = w[i][j][(r - s) mod b].
#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "models/nn/circulant/real_fft.h"

namespace dse::nn::circulant {

/// The shape of a block-circulant product. A window of several taps is a matrix of each tap's channels, one behind the
/// other: blocks do not reach from one tap into the next. Weights are [p][taps][q][b].
struct Blocks {
  std::int64_t out = 1, in = 1;  // channels; what is missing to whole blocks counts as zeros, or is cut off
  std::int64_t size = 1;         // b
  std::int64_t taps = 1;
  std::int64_t p() const { return (out + size - 1) / size; }
  std::int64_t q() const { return (in + size - 1) / size; }
  std::int64_t columns() const { return taps * q(); }
  std::int64_t half() const { return size / 2 + 1; }
  std::int64_t parameters() const { return p() * columns() * size; }
};

/// The matrix [out][taps][in].
template <class T>
std::vector<T> expanded(const Blocks& s, std::span<const T> w);
/// The sum of what each weight stands for in a matrix: the adjoint of expanded(). Of a gradient by the matrix, that by
/// the weights.
template <class T>
std::vector<T> gathered(const Blocks& s, std::span<const T> matrix);

/// The nearest block-circulant matrix in the Frobenius norm: means over the wrapped diagonals, of the entries that
/// there are.
struct Projection {
  std::vector<double> weights;
  double error = 0, norm = 0;  // squared: of the difference, of the matrix
  /// || matrix - nearest || / || matrix ||, 0 of nothing: how much of a layer is lost without training.
  double relative() const;
};
Projection project(const Blocks& s, std::span<const double> matrix);

/// Each block's weights as half a spectrum in real values (real_fft.h, pack), and back.
template <class T>
std::vector<T> to_frequency(const Blocks& s, std::span<const T> w);
template <class T>
std::vector<T> to_time(const Blocks& s, std::span<const T> spectra);

/// Products through Fourier transforms. Rows are vectors [taps][in] or [out], one behind the other.
template <class T>
class Product {
 public:
  explicit Product(const Blocks& s) : s_(s), fft_(s.size) {}
  const Blocks& shape() const { return s_; }

  /// Keeps FFT(w), of weights in either domain.
  void set_weights(std::span<const T> w);
  void set_spectra(std::span<const T> packed);
  /// y[rows][out] = M x; keeps FFT(x) for backward().
  void forward(const T* x, std::int64_t rows, T* y);
  /// After forward(): dw += what g = dL/dy says of the weights, and dx = dL/dx where it is asked for:
  /// dw_ij = irfft(sum over rows of rfft(g_i) conj(rfft(x_j))), dx_j = irfft(sum over i of conj(rfft(w_ij)) rfft(g_i)).
  void backward(const T* g, std::int64_t rows, T* dw, T* dx);

 private:
  using Complex = std::complex<T>;
  void transform(const T* x, std::int64_t rows, std::int64_t groups, std::int64_t channels, std::vector<Complex>& to);

  Blocks s_;
  RealFft<T> fft_;
  std::vector<Complex> w_, x_, g_, sum_;
  std::vector<T> line_;
};

}  // namespace dse::nn::circulant
