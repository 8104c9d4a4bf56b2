// The reference kernels of TensorFlow Lite for Microcontrollers: what their loops do. No SIMD, no blocks, no columns:
// every product computes where its operands lie.
#pragma once
#include <string>
#include <vector>

#include "models/hw/libraries/counted.h"

namespace dse::hw {

/// What is counted of a call, by the name that `cycles_per_count` of a device file has for it. From the sources of
/// TensorFlow Lite for Microcontrollers (kernels/internal/reference/integer_ops: ConvPerChannel,
/// DepthwiseConvPerChannel, FullyConnected, AveragePool, MaxPool), of 8 and of 16 bits:
enum class ReferenceCount {
  conv_mac,          // products of convolutions, of taps inside the image: two indices of four dimensions for each
  conv_tap,          // taps of the windows, inside or not: of each output, each is compared with the image's borders
  conv_output,       // outputs: bias, a multiplication of 64 bits, limits
  depthwise_mac,     // of depthwise convolutions, whatever their multiplier; a tap is a product, so that nothing of
                     // an index stays from one to the next
  depthwise_tap,     // taps of these, inside or not
  depthwise_output,  // outputs of these
  dense_mac,         // products of fully connected layers: two indices of a matrix for each
  dense_output,      // outputs of these
  pool_element,      // inputs under windows of average and max pools, which are cut to the image before
  pool_output,       // outputs of average pools: the window's limits, a division
  max_pool_output,   // outputs of max pools
};
const std::vector<std::string>& reference_count_names();

class TflmReference final : public CountedLibrary {
 public:
  /// The engine has a rate for every count, and the tables for what is not counted: other kinds, and 16 bits where it
  /// has no rates for these.
  explicit TflmReference(const Engine& e) : CountedLibrary(e, reference_count_names(), reference_count_names()) {}
  static LoopCounts counts(const program::CallWork& work);

  /// All weights are read for each pixel, and a window for each output channel. Of a fully connected layer the input
  /// is.
  Readings readings(const program::CallWork& work, int i) const override;
  bool tells_readings() const override { return true; }

 protected:
  LoopCounts count(const program::CallWork& work) const override { return counts(work); }
  /// Parts do as much as the whole, each tap once. But what is asked about may stand for a part that lies elsewhere in
  /// the image, with more of its windows outside.
  std::int64_t least(const program::CallWork& work, LoopCounts counts) const override;
};

}  // namespace dse::hw
