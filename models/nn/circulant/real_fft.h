// Fourier transforms of real vectors of any length, behind one small interface.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dse::nn::circulant {

/// Transforms of vectors of one length n >= 1; half a spectrum is its values 0 to n / 2, the others are their
/// conjugates. Not to be shared by threads. T: float or double.
template <class T>
class RealFft {
 public:
  explicit RealFft(std::int64_t n);
  ~RealFft();
  RealFft(const RealFft&) = delete;
  RealFft& operator=(const RealFft&) = delete;

  std::int64_t size() const { return n_; }
  std::int64_t half() const { return n_ / 2 + 1; }
  /// x[n] -> half a spectrum: X_k = sum over t of x_t e^(-2 pi i k t / n).
  void forward(const T* x, std::complex<T>* spectrum);
  /// And back, the division by n included. The spectrum is left as it is.
  void backward(const std::complex<T>* spectrum, T* x);

 private:
  struct Plan;
  std::int64_t n_;
  std::unique_ptr<Plan> plan_;
};

/// Half a spectrum as n real values: [X0, X(n/2), re X1, im X1, ...] for even n, [X0, re X1, im X1, ...] for odd n.
template <class T>
void pack(const std::complex<T>* half, std::int64_t n, T* packed);
template <class T>
void unpack(const T* packed, std::int64_t n, std::complex<T>* half);

}  // namespace dse::nn::circulant
