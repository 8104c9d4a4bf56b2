// A chain of layers that can be trained: forward, loss, gradients.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "models/nn/network.h"
#include "models/nn/train/layer.h"

namespace dse::nn::train {

/// T: float, or double to check gradients.
template <class T>
class Model {
 public:
  /// A float network that is one chain of convolutions, fully connected and circulant layers, pools, rectifiers,
  /// dropout and reshapes, with or without a softmax at its end. Any other operator goes to `diags`, and the model is
  /// empty. Weights that are given by a rule start as the rule says, those of each
  /// circulant block less their mean, and their biases at 0.
  Model(const Network& n, const std::string& file, Diagnostics& diags, Way way = Way::faster);
  bool ok() const { return !layers_.empty(); }
  std::int64_t inputs() const { return layers_.front()->in; }
  std::int64_t outputs() const { return layers_.back()->out; }
  std::vector<Parameter<T>*> parameters() const;

  /// The mean cross-entropy of softmax(outputs) over the rows; `hits`: how many largest outputs are the labels'.
  T loss(std::span<const T> x, std::span<const std::uint8_t> labels, const Pass& pass, std::int64_t* hits = nullptr);
  /// And, after loss() of the same rows, its gradients.
  void gradients(std::span<const T> x, std::span<const std::uint8_t> labels);
  /// Outputs before the softmax, after loss().
  std::span<const T> logits() const { return values_.back(); }
  /// The network with these parameters. @param spectra circulant weights as Fourier transforms.
  Network written(Network n, bool spectra) const;

 private:
  std::vector<std::unique_ptr<Layer<T>>> layers_;
  std::vector<std::vector<T>> values_;  // of every layer
};

}  // namespace dse::nn::train
