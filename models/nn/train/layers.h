// The layers of a trainable chain.
#pragma once
#include <memory>

#include "models/nn/float/operands.h"
#include "models/nn/train/layer.h"

namespace dse::nn::train {

/// y = W x + b, W dense (blocks of 1) or block-circulant.
template <class T>
std::unique_ptr<Layer<T>> fully_connected_layer(std::int64_t in, std::int64_t out, std::int64_t block, Way way,
                                                Parameter<T> weights, Parameter<T> bias);
/// The same on the patches of an image, [h, w, c] with channels last.
template <class T>
std::unique_ptr<Layer<T>> convolution_layer(const floating::Geometry& g, std::int64_t block, Way way,
                                            Parameter<T> weights, Parameter<T> bias);
template <class T>
std::unique_ptr<Layer<T>> pool_layer(const floating::Geometry& g, bool average, bool count_include_pad);
/// Values cut to [lo, hi].
template <class T>
std::unique_ptr<Layer<T>> rectifier_layer(std::int64_t elements, double lo, double hi);
template <class T>
std::unique_ptr<Layer<T>> dropout_layer(std::int64_t elements, double rate, std::uint64_t layer);

}  // namespace dse::nn::train
