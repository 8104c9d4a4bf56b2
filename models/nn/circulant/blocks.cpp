#include "models/nn/circulant/blocks.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostics.h"

namespace dse::nn::circulant {
namespace {

/// f(index in the matrix, index of its weight) for every entry of the matrix.
template <class F>
void for_each_entry(const Blocks& s, F&& f) {
  std::int64_t at = 0;
  for (std::int64_t o = 0; o < s.out; ++o) {
    const std::int64_t i = o / s.size, r = o % s.size;
    for (std::int64_t tap = 0; tap < s.taps; ++tap)
      for (std::int64_t c = 0; c < s.in; ++c, ++at) {
        const std::int64_t j = c / s.size, t = r - c % s.size;
        f(static_cast<std::size_t>(at),
          static_cast<std::size_t>(((i * s.taps + tap) * s.q() + j) * s.size + (t < 0 ? t + s.size : t)));
      }
  }
}

std::size_t matrix_size(const Blocks& s) { return static_cast<std::size_t>(s.out * s.taps * s.in); }

}  // namespace

template <class T>
std::vector<T> expanded(const Blocks& s, std::span<const T> w) {
  std::vector<T> matrix(matrix_size(s));
  for_each_entry(s, [&](std::size_t at, std::size_t weight) { matrix[at] = w[weight]; });
  return matrix;
}

template <class T>
std::vector<T> gathered(const Blocks& s, std::span<const T> matrix) {
  std::vector<T> w(static_cast<std::size_t>(s.parameters()));
  for_each_entry(s, [&](std::size_t at, std::size_t weight) { w[weight] += matrix[at]; });
  return w;
}

double Projection::relative() const { return norm > 0 ? std::sqrt(error / norm) : 0; }

Projection project(const Blocks& s, std::span<const double> matrix) {
  ensure(matrix.size() == matrix_size(s), "a matrix of another shape is projected");
  Projection out;
  out.weights = gathered(s, matrix);
  std::vector<std::int64_t> count(out.weights.size());
  for_each_entry(s, [&](std::size_t, std::size_t weight) { ++count[weight]; });
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] > 0) out.weights[k] /= static_cast<double>(count[k]);
  for_each_entry(s, [&](std::size_t at, std::size_t weight) {
    const double d = matrix[at] - out.weights[weight];
    out.error += d * d, out.norm += matrix[at] * matrix[at];
  });
  return out;
}

template <class T>
std::vector<T> to_frequency(const Blocks& s, std::span<const T> w) {
  RealFft<T> fft(s.size);
  std::vector<std::complex<T>> half(static_cast<std::size_t>(fft.half()));
  std::vector<T> out(w.size());
  for (std::size_t at = 0; at < w.size(); at += static_cast<std::size_t>(s.size)) {
    fft.forward(&w[at], half.data());
    pack(half.data(), s.size, &out[at]);
  }
  return out;
}

template <class T>
std::vector<T> to_time(const Blocks& s, std::span<const T> spectra) {
  RealFft<T> fft(s.size);
  std::vector<std::complex<T>> half(static_cast<std::size_t>(fft.half()));
  std::vector<T> out(spectra.size());
  for (std::size_t at = 0; at < spectra.size(); at += static_cast<std::size_t>(s.size)) {
    unpack(&spectra[at], s.size, half.data());
    fft.backward(half.data(), &out[at]);
  }
  return out;
}

template <class T>
void Product<T>::set_weights(std::span<const T> w) {
  ensure(static_cast<std::int64_t>(w.size()) == s_.parameters(), "weights of another shape");
  const std::int64_t blocks = s_.p() * s_.columns();
  w_.resize(static_cast<std::size_t>(blocks * s_.half()));
  for (std::int64_t n = 0; n < blocks; ++n) fft_.forward(&w[n * s_.size], &w_[n * s_.half()]);
}

template <class T>
void Product<T>::set_spectra(std::span<const T> packed) {
  ensure(static_cast<std::int64_t>(packed.size()) == s_.parameters(), "weights of another shape");
  const std::int64_t blocks = s_.p() * s_.columns();
  w_.resize(static_cast<std::size_t>(blocks * s_.half()));
  for (std::int64_t n = 0; n < blocks; ++n) unpack(&packed[n * s_.size], s_.size, &w_[n * s_.half()]);
}

/// Spectra of `groups` pieces of `channels` each per row, every piece cut into blocks.
template <class T>
void Product<T>::transform(const T* x, std::int64_t rows, std::int64_t groups, std::int64_t channels,
                           std::vector<Complex>& to) {
  const std::int64_t blocks = (channels + s_.size - 1) / s_.size;
  to.resize(static_cast<std::size_t>(rows * groups * blocks * s_.half()));
  line_.resize(static_cast<std::size_t>(s_.size));
  Complex* at = to.data();
  for (std::int64_t g = 0; g < rows * groups; ++g, x += channels)
    for (std::int64_t j = 0; j < blocks; ++j, at += s_.half()) {
      const std::int64_t n = std::min(s_.size, channels - j * s_.size);
      if (n == s_.size) {
        fft_.forward(x + j * s_.size, at);
        continue;
      }
      std::copy_n(x + j * s_.size, n, line_.begin());
      std::fill(line_.begin() + n, line_.end(), T{});
      fft_.forward(line_.data(), at);
    }
}

namespace {

/// sum += a b, or a conj(b). Spelt out in real values, which compilers make vectors of.
template <bool conjugate, class T>
void multiply(std::complex<T>* sum, const std::complex<T>* a, const std::complex<T>* b, std::int64_t n) {
  T* s = reinterpret_cast<T*>(sum);
  const T *x = reinterpret_cast<const T*>(a), *y = reinterpret_cast<const T*>(b);
  for (std::int64_t k = 0; k < 2 * n; k += 2) {
    const T yi = conjugate ? -y[k + 1] : y[k + 1];
    s[k] += x[k] * y[k] - x[k + 1] * yi;
    s[k + 1] += x[k] * yi + x[k + 1] * y[k];
  }
}

}  // namespace

template <class T>
void Product<T>::forward(const T* x, std::int64_t rows, T* y) {
  const std::int64_t h = s_.half(), q = s_.columns();
  transform(x, rows, s_.taps, s_.in, x_);
  sum_.resize(static_cast<std::size_t>(h));
  line_.resize(static_cast<std::size_t>(s_.size));
  for (std::int64_t row = 0; row < rows; ++row, y += s_.out)
    for (std::int64_t i = 0; i < s_.p(); ++i) {
      std::fill(sum_.begin(), sum_.end(), Complex{});
      for (std::int64_t j = 0; j < q; ++j)
        multiply<false>(sum_.data(), &x_[(row * q + j) * h], &w_[(i * q + j) * h], h);
      fft_.backward(sum_.data(), line_.data());
      std::copy_n(line_.begin(), std::min(s_.size, s_.out - i * s_.size), y + i * s_.size);
    }
}

template <class T>
void Product<T>::backward(const T* g, std::int64_t rows, T* dw, T* dx) {
  const std::int64_t h = s_.half(), q = s_.columns(), p = s_.p();
  transform(g, rows, 1, s_.out, g_);
  sum_.resize(static_cast<std::size_t>(h));
  line_.resize(static_cast<std::size_t>(s_.size));
  for (std::int64_t i = 0; i < p; ++i)
    for (std::int64_t j = 0; j < q; ++j, dw += s_.size) {
      std::fill(sum_.begin(), sum_.end(), Complex{});
      for (std::int64_t row = 0; row < rows; ++row)
        multiply<true>(sum_.data(), &g_[(row * p + i) * h], &x_[(row * q + j) * h], h);
      fft_.backward(sum_.data(), line_.data());
      for (std::int64_t k = 0; k < s_.size; ++k) dw[k] += line_[static_cast<std::size_t>(k)];
    }
  if (!dx) return;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t j = 0; j < q; ++j) {
      std::fill(sum_.begin(), sum_.end(), Complex{});
      for (std::int64_t i = 0; i < p; ++i) multiply<true>(sum_.data(), &g_[(row * p + i) * h], &w_[(i * q + j) * h], h);
      fft_.backward(sum_.data(), line_.data());
      const std::int64_t tap = j / s_.q(), at = j % s_.q() * s_.size;
      std::copy_n(line_.begin(), std::min(s_.size, s_.in - at), dx + (row * s_.taps + tap) * s_.in + at);
    }
}

template std::vector<float> expanded(const Blocks&, std::span<const float>);
template std::vector<double> expanded(const Blocks&, std::span<const double>);
template std::vector<float> gathered(const Blocks&, std::span<const float>);
template std::vector<double> gathered(const Blocks&, std::span<const double>);
template std::vector<float> to_frequency(const Blocks&, std::span<const float>);
template std::vector<double> to_frequency(const Blocks&, std::span<const double>);
template std::vector<float> to_time(const Blocks&, std::span<const float>);
template std::vector<double> to_time(const Blocks&, std::span<const double>);
template class Product<float>;
template class Product<double>;

}  // namespace dse::nn::circulant
