// NE16, the convolution accelerator of GAP9: what its jobs go through, after the performance model of its tiler.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/libraries/counted.h"

namespace dse::hw {

/// What is counted of a call, by the name that `cycles_per_count` of a device file has for it. From DORY's model of the
/// accelerator (github.com/pulp-platform/dory, Hardware_targets/PULP/GAP9_NE16/Tiler/Ne16PerfModel.py), whose terms
/// these are: outputs are made in subtiles of 3 x 3 pixels x 32 channels (depthwise 16). For each, patches of 16 input
/// channels are loaded and multiplied one after the other; then outputs are scaled and written. With a stride of 2 a
/// subtile keeps 2 x 2 of its pixels, and each is a job of its own (ne16_nnx_dispatch_stride2x2 of
/// github.com/pulp-platform/pulp-nnx).
enum class Ne16Count {
  job,                    // jobs configured and started
  load,                   // patches of 5 x 5 pixels asked for
  load_pointwise,         // patches of 3 x 3 pixels asked for, of convolutions of 1x1
  load_pixel,             // pixels of 16 channels that come
  weight_offset,          // passes over a patch that begin with the sum for the weights' offset
  weight_offset_channel,  // channels that it is made for one by one, depthwise
  matrix_vector,          // products of a patch with filters
  weight_word,            // words of filters that these take: a channel's bits one by one, all at once with 1x1
  next,                   // steps to the next patch
  scale,                  // subtiles that are requantised
  scale_channel,          // their channels, 4 bytes of a multiplier each
  shift_word,             // fours of channels with a shift of their own
  bias,                   // subtiles that get a bias
  bias_word,              // eights of their channels
  stream,                 // subtiles written, or partial sums read
  stream_pixel,           // their pixels, in words of 32 bytes
};
constexpr int kNe16Counts = 16;
const std::vector<std::string>& ne16_count_names();

/// Convolutions of 3x3 and 1x1 and depthwise ones of 3x3 in 8 bits, with a stride of 1, or of 2 where output channels
/// are even; no dilation, groups or multiplier.
bool ne16_computes(const dse_op& op);

class Ne16 final : public CountedLibrary {
 public:
  explicit Ne16(const Engine& e);

  /// Empty of what it does not compute.
  static LoopCounts counts(const program::CallWork& work);

 protected:
  LoopCounts count(const program::CallWork& work) const override { return counts(work); }
  /// Subtiles and patches of the parts are no fewer than those of the whole.
  std::int64_t least(const program::CallWork& work, LoopCounts counts) const override;
};

}  // namespace dse::hw
