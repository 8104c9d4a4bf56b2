// CMSIS-NN on cores with the DSP extension (Cortex-M4, M7, M33): what the loops of its int8 kernels do.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/libraries/rate_table.h"

namespace dse::hw {

/// What is counted of a call, by the name that `cycles_per_count` of a device file has for it. From the sources of
/// CMSIS-NN 4 to 6 (arm_convolve_s8, arm_convolve_1x1_s8_fast, arm_nn_mat_mult_kernel_s8_s16, arm_nn_mat_mult_nt_t_s8,
/// arm_depthwise_conv_s8 and _s8_opt, arm_nn_vec_mat_mult_t_s8):
enum class CmsisCount {
  conv_block,        // multiply-accumulates in blocks of two output channels x two pixels x four products
  conv_rest,         // those beside them: an odd channel or pixel, products beyond the last four
  im2col,            // bytes widened into columns; convolutions of 1x1 with stride 1 read their input as it is
  conv_tap,          // columns begun: of each pixel, one per tap of the window; not of 1x1 with stride 1
  conv_output,       // outputs requantised
  depthwise_mac,     // multiply-accumulates of depthwise convolutions
  depthwise_output,  // outputs of these
  dense_mac,         // multiply-accumulates of fully connected layers
  dense_output,      // outputs of these
};
constexpr int kCmsisCounts = 9;
const std::vector<std::string>& cmsis_count_names();

class CmsisNn final : public LibraryTiming {
 public:
  using Counts = std::array<std::int64_t, kCmsisCounts>;

  /// The engine has a rate for every count, and the tables for what is not counted: other kinds, and 16 bits.
  explicit CmsisNn(const Engine& e);
  std::int64_t cycles(const program::CallWork& work) const override;
  /// In blocks as far as rates go, without rests: no cut has less of anything else.
  std::int64_t least_cycles(const program::CallWork& work) const override;
  int kernel(const program::CallWork& work) const override { return rest_.kernel(work); }

  /// All zero for what is not counted.
  static Counts counts(const program::CallWork& work);

 private:
  std::int64_t price(const Counts& counts) const;

  std::array<Ratio, kCmsisCounts> rates_{};
  RateTable rest_;
};

}  // namespace dse::hw
