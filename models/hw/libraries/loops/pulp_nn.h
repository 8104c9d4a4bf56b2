// PULP-NN on clusters of RI5CY cores (GAP8, PULP-open): what the loops of its int8 kernels do, on the core that has
// most to do.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/libraries/counted.h"

namespace dse::hw {

/// What is counted of a call on its slowest core, by the name that `cycles_per_count` of a device file has for it. From
/// the sources of PULP-NN (github.com/pulp-platform/pulp-nn, 32bit/src and 64bit/src) as DORY calls them:
/// pulp_nn_conv_Ho_parallel, pulp_nn_pointwise_HoWo_parallel, pulp_nn_matmul, pulp_nn_depthwise_generic and
/// pulp_nn_linear.
enum class PulpCount {
  conv_block,        // inner iterations of four output channels x two pixels x four products: 6 loads, 8 dot products
  conv_rest,         // loads and products beside them: channels beyond fours, an odd pixel, products beyond fours
  im2col,            // words and single bytes copied into columns; pointwise convolutions read their input as it is
  im2col_run,        // copies that these make: per pixel one for each row of the window, at borders one for each tap
  conv_call,         // calls of pulp_nn_matmul, one for two pixels, and odd pixels
  conv_output,       // outputs requantised, what is set up for them included
  depthwise_row,     // words copied into the column buffer, per channel and column of outputs one per row of the input
  depthwise_step,    // dot products of four and single products of the window
  depthwise_output,  // outputs of these
  dense_step,        // dot products of four and single products of fully connected layers
  dense_output,      // outputs of these
};
constexpr int kPulpCounts = 11;
const std::vector<std::string>& pulp_count_names();

class PulpNn final : public CountedLibrary {
 public:
  /// The engine has a rate for every count, `cores`, and the tables for what is not counted: other kinds, groups, 16
  /// bits.
  explicit PulpNn(const Engine& e);

  /// Of the core that has most to do among `cores` > 0.
  static LoopCounts counts(const program::CallWork& work, int cores);

 protected:
  LoopCounts count(const program::CallWork& work) const override { return counts(work, cores_); }
  /// As if every core had the same share, in whichever of blocks and rests is cheaper per product.
  std::int64_t least(const program::CallWork& work, LoopCounts counts) const override;

 private:
  int cores_ = 1;
};

}  // namespace dse::hw
