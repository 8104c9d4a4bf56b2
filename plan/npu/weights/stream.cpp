#include "plan/npu/weights/stream.h"

#include <algorithm>

#include "base/index.h"
#include "base/units.h"
#include "plan/npu/weights/encode.h"
#include "plan/npu/weights/order.h"

namespace dse::plan::npu {

WeightStreamPtr WeightCoder::code(const WeightsPtr& weights, int block_depth, int ublock_depth, bool part_kernel,
                                  std::span<const int> slices) {
  const Weights& w = *weights;
  const int depth = std::min(block_depth, w.out);  // a block deeper than there are channels is no other walk
  const Key key{weights.get(), depth, ublock_depth, part_kernel, {slices.begin(), slices.end()}};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  auto out = std::make_shared<WeightStream>();
  for (std::size_t s = 0; s + 1 < slices.size(); ++s) {
    const std::int64_t begin = out->bytes;
    const int count = slices[s + 1] - slices[s];
    for (int core = 0; core < std::min(a_.cores, w.out); ++core) {
      const int core_depth = (depth + a_.cores - 1 - core) / a_.cores,
                channels = (count - core + a_.cores - 1) / a_.cores;
      if (core_depth == 0) continue;
      WeightWalk walk{.first = slices[s],
                      .count = count,
                      .core = core,
                      .cores = a_.cores,
                      .block_depth = core_depth,
                      .ifm_ublock = a_.ifm_ublock_depth,
                      .ofm_ublock = ublock_depth,
                      .part_kernel = part_kernel};
      const auto ordered = in_order(w, walk);
      WeightStream::Range range{.slice = static_cast<int>(s),
                                .core = core,
                                .offset = out->bytes,
                                .scale_bytes = std::int64_t{hw::ethos_u::kScaleBytes} * channels,
                                .weight_bytes = 0,
                                .values = static_cast<std::int64_t>(ordered.size()),
                                .zeros = std::count(ordered.begin(), ordered.end(), 0)};
      out->coded.push_back(encode(ordered));
      range.weight_bytes = static_cast<std::int64_t>(out->coded.back().size());
      out->bytes += range.total();
      out->ranges.push_back(range);
    }
    out->slice_bytes.push_back(out->bytes - begin);
    out->buffers[s % 2] = std::max(out->buffers[s % 2], out->bytes - begin);
  }
  held_.push_back(weights);
  return known_[key] = out;
}

}  // namespace dse::plan::npu
