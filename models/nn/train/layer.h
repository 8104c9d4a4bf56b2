// One layer of a chain that can be trained.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::nn::train {

/// Values that training changes; `tensor` of the network holds them.
template <class T>
struct Parameter {
  std::vector<T> value, gradient;
  int tensor = -1;
  bool decays = false;  // weights, not biases
};

/// How circulant layers are computed: through Fourier transforms or as the dense matrix, whatever is faster. The
/// gradients are the same.
enum class Way { faster, fourier, matrix };

/// What a forward pass is for.
struct Pass {
  bool training = false;
  std::uint64_t seed = 0;  // of what dropout drops in this pass
};

/// One layer. Rows are images (or vectors) one behind the other.
template <class T>
class Layer {
 public:
  virtual ~Layer() = default;
  virtual void forward(const T* x, std::int64_t rows, T* y, const Pass& pass) = 0;
  /// After forward() of the same rows: adds to the gradients of its parameters. dx may be null.
  virtual void backward(const T* x, const T* y, const T* g, std::int64_t rows, T* dx) = 0;
  virtual std::vector<Parameter<T>*> parameters() { return {}; }
  std::int64_t in = 0, out = 0;  // elements per row
};

}  // namespace dse::nn::train
