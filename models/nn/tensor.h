// Tensors of a network: shape, type, quantisation, and the bytes of constants.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dse::nn {

enum class DataType { int8, uint8, int16, int32, int64, float32, boolean };
std::int64_t size_of(DataType t);
/// Upper-case TFLite names ("INT8"), as in golden `tensors.json`.
const char* name_of(DataType t);

/// Per-tensor (one entry) or per-channel (one entry per index of `axis`) affine quantisation: real = scale * (q -
/// zero_point).
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  int axis = 0;
  /// Q formats, weights only: the integer factor that the weights were divided by, per tensor or per channel; real =
  /// scale * q * correction.
  std::vector<std::int32_t> correction{};
};

/// Values of a constant that a file gives by a rule instead of by bytes (or that are made up: weights of files that
/// come without). Element i depends on i alone, so nothing needs to be expanded before it is used.
struct Fill {
  enum class Kind { value, he_normal };
  Kind kind = Kind::value;
  double value = 0;         // Kind::value: every element
  std::uint64_t seed = 0;   // Kind::he_normal: see fill.h
  std::int64_t fan_in = 1;  // Kind::he_normal: standard deviation sqrt(2 / fan_in)
};

enum class TensorKind { input, activation, constant, variable };

struct Tensor {
  std::string name;
  std::vector<std::int64_t>
      shape;  // NHWC for images; constants: OHWI (conv), 1HWO (depthwise), [out, in] (fully connected)
  DataType type = DataType::int8;
  TensorKind kind = TensorKind::activation;
  Quantization quantization;
  std::vector<std::uint8_t> data;  // constants, raw little endian; variables: the initial value (empty: all zero
                                   // points)
  std::optional<Fill> fill;        // constants: instead of `data`
  bool opaque = false;             // of a type that is not known: how many bytes it takes is not, either
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * size_of(type); }
  /// The tensor seen as an image (h, w, c) of batch 1: trailing dimension = channels, the one before = width, all
  /// others = height. [N, K] is N rows, 1 column, K channels; [K] is 1 x 1 x K.
  struct Image {
    std::int64_t h, w, c;
  };
  Image image() const;
};

/// Scale and zero point are equal, or neither tensor has any.
bool same_scales(const Tensor& a, const Tensor& b);
/// Equal bytes are equal values: the type is the same as well.
bool same_values(const Tensor& a, const Tensor& b);

}  // namespace dse::nn
