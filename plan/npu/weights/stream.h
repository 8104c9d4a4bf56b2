// The weights and scales of an operation as they lie in memory: per slice of output channels and per core 10 bytes for
// each channel, then the coded weights, each begun at a multiple of 16 bytes.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "models/hw/ethos_u/accelerator.h"
#include "plan/npu/graph.h"

namespace dse::plan::npu {

constexpr std::int64_t kQuantum = 16;  // what lies in memory begins at multiples of it

struct WeightStream {
  struct Range {
    int slice = 0, core = 0;
    std::int64_t offset = 0, scale_bytes = 0, weight_bytes = 0;  // scales first; padded to 16
    std::int64_t values = 0;  // weights that are decoded, zeros of the padding included
    std::int64_t zeros = 0;   // of these, zeros
    std::int64_t total() const { return round_up(scale_bytes, kQuantum) + weight_bytes; }
  };
  std::vector<Range> ranges;
  std::vector<std::int64_t> slice_bytes;         // of each slice, all cores
  std::array<std::int64_t, 2> buffers{};         // the largest of the even slices, of the odd ones
  std::int64_t bytes = 0;                        // of all
  std::vector<std::vector<std::uint8_t>> coded;  // by range
  std::int64_t largest_slice() const { return buffers[0] > buffers[1] ? buffers[0] : buffers[1]; }
  std::int64_t double_buffer() const { return buffers[0] + buffers[1]; }
};
using WeightStreamPtr = std::shared_ptr<const WeightStream>;

/// Codes weights, and remembers: a search asks for the same ones again and again.
class WeightCoder {
 public:
  explicit WeightCoder(const hw::ethos_u::Accelerator& a) : a_(a) {}
  /// `slices`: first channels, and the end. Output channels of a block, and of a micro block.
  WeightStreamPtr code(const WeightsPtr& weights, int block_depth, int ublock_depth, bool part_kernel,
                       std::span<const int> slices);

 private:
  using Key = std::tuple<const Weights*, int, int, bool, std::vector<int>>;
  const hw::ethos_u::Accelerator& a_;
  std::map<Key, WeightStreamPtr> known_;
  std::vector<WeightsPtr> held_;  // so that no other weights get the address of known ones
};
using WeightCoderPtr = std::shared_ptr<WeightCoder>;

}  // namespace dse::plan::npu
