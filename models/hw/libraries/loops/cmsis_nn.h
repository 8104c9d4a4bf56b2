// CMSIS-NN on cores with the DSP extension (Cortex-M4, M7, M33): what the loops of its kernels do.
#pragma once
#include <string>
#include <vector>

#include "models/hw/libraries/counted.h"

namespace dse::hw {

/// What is counted of a call, by the name that `cycles_per_count` of a device file has for it. From the sources of
/// CMSIS-NN 4 to 6 (arm_convolve_s8, arm_convolve_1x1_s8_fast, arm_nn_mat_mult_kernel_s8_s16, arm_nn_mat_mult_nt_t_s8,
/// arm_depthwise_conv_wrapper_s8, arm_nn_vec_mat_mult_t_s8, arm_avgpool_s8, and those of 16 bits with the same blocks:
/// arm_convolve_s16, arm_nn_mat_mult_kernel_s16, arm_depthwise_conv_wrapper_s16, arm_nn_vec_mat_mult_t_s16,
/// arm_avgpool_s16):
enum class CmsisCount {
  conv_block,        // multiply-accumulates in blocks of two output channels x two pixels x four products
  conv_rest,         // those beside them: an odd channel or pixel, products beyond the last four
  im2col,            // values copied into columns, of 8 bits widened; 1x1 convolutions of these with stride 1 make none
  conv_tap,          // columns begun: of each pixel, one per tap of the window, where there are any
  conv_output,       // outputs requantised
  depthwise_mac,     // multiply-accumulates of depthwise convolutions with an output channel for each input channel
  depthwise_output,  // outputs of these
  multiplied_mac,    // multiply-accumulates of those with several output channels for an input channel
  multiplied_output,  // outputs of these
  dense_mac,          // multiply-accumulates of fully connected layers
  dense_output,       // outputs of these
  pool_element,       // inputs under windows of average pools
  pool_output,        // outputs of these
};
const std::vector<std::string>& cmsis_count_names();

class CmsisNn final : public CountedLibrary {
 public:
  /// The engine has a rate for every count, and the tables for what is not counted: other kinds, and 16 bits where it
  /// has no rates for these.
  explicit CmsisNn(const Engine& e) : CountedLibrary(e, cmsis_count_names(), cmsis_count_names()) {}
  static LoopCounts counts(const program::CallWork& work);

  /// Weights of a convolution are read for each two pixels, of a depthwise one for each; a 1x1 convolution reads its
  /// input for each two channels, another once per tap that a value is under.
  Readings readings(const program::CallWork& work, int i) const override;
  bool tells_readings() const override { return true; }

 protected:
  LoopCounts count(const program::CallWork& work) const override { return counts(work); }
  /// In blocks as far as rates go, without rests: no cut has less of anything else.
  std::int64_t least(const program::CallWork& work, LoopCounts counts) const override;
};

}  // namespace dse::hw
