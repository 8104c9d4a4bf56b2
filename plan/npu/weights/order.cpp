#include "plan/npu/weights/order.h"

#include <algorithm>

#include "base/index.h"
#include "base/units.h"

namespace dse::plan::npu {
namespace {

class Walk {
 public:
  Walk(const Weights& w, const WeightWalk& walk)
      : w_(w), walk_(walk), channels_((walk.count - walk.core + walk.cores - 1) / walk.cores) {}

  std::vector<std::int16_t> run() && {
    const bool narrow = walk_.part_kernel || w_.input_bits == 16;
    const int block = narrow ? 16 : 32, in = w_.depthwise ? 1 : w_.in;
    for (int out = 0; out < channels_; out += walk_.block_depth)
      for (int from = 0; from < in; from += block) sub_kernels(out, from, block);
    return std::move(made_);
  }

 private:
  void sub_kernels(int out, int from, int block) {
    const int most_h = 8 / w_.dilation_h, most_w = 8 / w_.dilation_w;
    for (int y = 0; y < w_.h; y += most_h)
      for (int x = 0; x < w_.w; x += most_w)
        sub_kernel(out, from, block, y, x, std::min(most_h, w_.h - y), std::min(most_w, w_.w - x));
  }

  /// `h` x `w` elements at (y, x) of the kernel. Part-kernel: the micro blocks of inputs outside the elements, else
  /// inside.
  void sub_kernel(int out, int from, int block, int y, int x, int h, int w) {
    const int depth = w_.depthwise ? walk_.ifm_ublock : walk_.part_kernel ? std::min(block, w_.in - from) : block;
    int elements = h * w;
    if (w_.depthwise || (walk_.part_kernel && w_.input_bits == 8))
      elements = static_cast<int>(round_up(elements, 4));
    else if (walk_.part_kernel)
      elements = static_cast<int>(round_up(elements, 2));
    const int outside = walk_.part_kernel ? depth : 1, inside = walk_.part_kernel ? 1 : depth;
    const int out_depth = std::min(walk_.block_depth, channels_ - out);
    for (int outer = 0; outer < outside; outer += walk_.ifm_ublock)
      for (int micro = 0; micro < out_depth; micro += walk_.ofm_ublock)
        for (int e = 0; e < elements; ++e)
          for (int inner = 0; inner < inside; inner += walk_.ifm_ublock)
            micro_block(out + micro, from + outer + inner, y + e / w, x + e % w, e / w < h);
  }

  void micro_block(int out, int in, int y, int x, bool there) {
    const int deep = w_.depthwise ? 1 : walk_.ifm_ublock;
    for (int o = out; o < out + walk_.ofm_ublock; ++o)
      for (int i = in; i < in + deep; ++i)
        made_.push_back(there && o < channels_ && i < w_.in ? at(o, y, x, i) : std::int16_t{0});
  }

  std::int16_t at(int o, int y, int x, int i) const {
    const int out = walk_.first + walk_.core + o * walk_.cores;
    return w_.values[((index(out) * index(w_.h) + index(y)) * index(w_.w) + index(x)) * index(w_.in) + index(i)];
  }

  const Weights& w_;
  const WeightWalk& walk_;
  int channels_;
  std::vector<std::int16_t> made_;
};

}  // namespace

std::vector<std::int16_t> in_order(const Weights& w, const WeightWalk& walk) { return Walk(w, walk).run(); }

}  // namespace dse::plan::npu
