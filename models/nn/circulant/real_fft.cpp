#include "models/nn/circulant/real_fft.h"

#include <algorithm>
#include <unsupported/Eigen/FFT>

#include "base/diagnostics.h"

namespace dse::nn::circulant {

// Eigen's module for Fourier transforms, which is kissfft and takes any length.
template <class T>
struct RealFft<T>::Plan {
  Eigen::FFT<T> fft;
  std::vector<std::complex<T>> copy;
};

template <class T>
RealFft<T>::RealFft(std::int64_t n) : n_(n), plan_(std::make_unique<Plan>()) {
  ensure(n >= 1, "a Fourier transform of nothing");
  plan_->fft.SetFlag(Eigen::FFT<T>::HalfSpectrum);
  plan_->copy.resize(static_cast<std::size_t>(half()));
}

template <class T>
RealFft<T>::~RealFft() = default;

template <class T>
void RealFft<T>::forward(const T* x, std::complex<T>* spectrum) {
  if (n_ == 1) {
    *spectrum = *x;
    return;
  }
  plan_->fft.fwd(spectrum, x, static_cast<int>(n_));
}

template <class T>
void RealFft<T>::backward(const std::complex<T>* spectrum, T* x) {
  if (n_ == 1) {
    *x = spectrum->real();
    return;
  }
  std::copy_n(spectrum, half(), plan_->copy.begin());
  plan_->fft.inv(x, plan_->copy.data(), static_cast<int>(n_));
}

template <class T>
void pack(const std::complex<T>* half, std::int64_t n, T* packed) {
  *packed++ = half[0].real();
  if (n % 2 == 0) *packed++ = half[n / 2].real();
  for (std::int64_t k = 1; 2 * k < n; ++k) *packed++ = half[k].real(), *packed++ = half[k].imag();
}

template <class T>
void unpack(const T* packed, std::int64_t n, std::complex<T>* half) {
  half[0] = *packed++;
  if (n % 2 == 0) half[n / 2] = *packed++;
  for (std::int64_t k = 1; 2 * k < n; ++k, packed += 2) half[k] = {packed[0], packed[1]};
}

template class RealFft<float>;
template class RealFft<double>;
template void pack(const std::complex<float>*, std::int64_t, float*);
template void pack(const std::complex<double>*, std::int64_t, double*);
template void unpack(const float*, std::int64_t, std::complex<float>*);
template void unpack(const double*, std::int64_t, std::complex<double>*);

}  // namespace dse::nn::circulant
