// CMSIS-NN on cores with vectors (Arm Helium: Cortex-M52, M55, M85): what the loops of its kernels do.
#pragma once
#include <string>
#include <vector>

#include "models/hw/libraries/counted.h"

namespace dse::hw {

/// What is counted of a call, by the name that `cycles_per_count` of a device file has for it. Vectors have 16 bytes.
/// From the sources of CMSIS-NN 4 to 6 with ARM_MATH_MVEI (arm_convolve_s8, arm_nn_mat_mult_nt_t_s8,
/// arm_depthwise_conv_s8_opt, arm_nn_depthwise_conv_nt_t_s8, arm_nn_vec_mat_mult_t_s8, arm_avgpool_s8):
enum class MveCount {
  conv_vector,       // 16 products for an output channel of four pixels: one load of weights, four of columns
  conv_rest,         // 16 products for one output, of the pixels beyond the last four
  im2col,            // bytes copied into columns; convolutions of 1x1 with stride 1 read their input as it is
  conv_tap,          // columns begun: of each pixel, one per tap of the window; not of 1x1 with stride 1
  conv_output,       // outputs requantised
  depthwise_vector,  // a tap of four channels of four pixels; with several output channels for an input channel there
                     // are no vectors
  depthwise_tap,     // columns begun: of each pixel, one per tap
  depthwise_output,  // outputs of depthwise convolutions
  multiplied_mac,    // multiply-accumulates of those with several output channels for an input channel
  dense_vector,      // 16 products of four outputs of a fully connected layer
  dense_output,      // outputs of these
  pool_element,      // inputs under windows of average pools
  pool_output,       // outputs of these
};
const std::vector<std::string>& mve_count_names();

/// Of activations of 16 bits the same, in vectors of 8 products, but for pixels beyond the last four: there 4 products
/// for one output. A 1x1 convolution has columns too. And one more, `long_mac`: sums are of 32 bits, so that products
/// beyond the first 512 of a sum are added one by one, to one of 64 bits. From the sources with ARM_MATH_MVEI of
/// arm_convolve_s16, arm_nn_mat_mult_nt_t_s16, arm_depthwise_conv_fast_s16, arm_nn_vec_mat_mult_t_s16, arm_avgpool_s16.
const std::vector<std::string>& mve_wide_count_names();

class CmsisNnMve final : public CountedLibrary {
 public:
  /// The engine has a rate for every count, and the tables for what is not counted: other kinds, and 16 bits where it
  /// has no rates for these.
  explicit CmsisNnMve(const Engine& e) : CountedLibrary(e, mve_count_names(), mve_wide_count_names()) {}
  static LoopCounts counts(const program::CallWork& work);

  /// Weights of a convolution are read for each four pixels; a 1x1 convolution reads its input for each channel,
  /// another once per tap that a value is under.
  Readings readings(const program::CallWork& work, int i) const override;
  bool tells_readings() const override { return true; }

 protected:
  LoopCounts count(const program::CallWork& work) const override { return counts(work); }
  /// Single pixels where four of them cost less than one vector of four; of long sums, which shorter ones of a cut do
  /// without, whatever does a product for least. Nothing else gets less by cutting.
  std::int64_t least(const program::CallWork& work, LoopCounts counts) const override;

 private:
  /// Of 16 bits, where sums are long or pixels go by fours.
  std::int64_t least_of_sums(const program::CallWork& work, LoopCounts counts) const;
};

}  // namespace dse::hw
