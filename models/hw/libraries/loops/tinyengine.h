// TinyEngine on cores with the DSP extension (Cortex-M4, M7): what the loops of its kernels do.
#pragma once
#include <string>
#include <vector>

#include "models/hw/libraries/counted.h"

namespace dse::hw {

/// What is counted of a call, by the name that `cycles_per_count` of a device file has for it. From the sources of
/// TinyEngine (TinyEngine/src/kernels/int_forward_op: convolve_1x1_s8, convolve_s8_kernel3_stride1_pad1,
/// convolve_s8_kernel3_inputch3_stride2_pad1, mat_mult_kernels, fully_connected, avgpooling; the depthwise kernels that
/// code_generator/codetemplate/depthwiseTemplate.py writes):
enum class TinyCount {
  conv_block,        // multiply-accumulates in blocks of two output channels x two pixels x four products, unrolled
  conv_rest,         // those beside them
  widened,           // inputs widened to columns of 16 bits: each value once per window, of 1x1 convolutions as well
  kernel_widened,    // weights widened to 16 bits, where windows are larger than 1x1: once per call
  conv_output,       // outputs requantised
  depthwise_mac,     // multiply-accumulates of depthwise convolutions, two outputs of a row at a time
  depthwise_rest,    // those of the last output of a row of odd length
  depthwise_value,   // inputs copied into the padded plane of their channel
  depthwise_output,  // outputs of these
  dense_mac,         // multiply-accumulates of fully connected layers
  dense_output,      // outputs of these
  pool_element,      // inputs under windows of average pools
  pool_output,       // outputs of these
};
const std::vector<std::string>& tiny_count_names();

class TinyEngine final : public CountedLibrary {
 public:
  /// The engine has a rate for every count, and the tables for what is not counted: other kinds, and 16 bits, which the
  /// library does not compute.
  explicit TinyEngine(const Engine& e) : CountedLibrary(e, tiny_count_names(), {}) {}
  static LoopCounts counts(const program::CallWork& work);

  /// Weights of a convolution are read for each two pixels, its input once per tap that a value is under; the input of
  /// a depthwise one is read once, into its plane, the weights for each two outputs.
  Readings readings(const program::CallWork& work, int i) const override;
  bool tells_readings() const override { return true; }

 protected:
  LoopCounts count(const program::CallWork& work) const override { return counts(work); }
  /// In blocks as far as rates go, without rests; planes are left out, whose parts may overlap or not.
  std::int64_t least(const program::CallWork& work, LoopCounts counts) const override;
};

}  // namespace dse::hw
