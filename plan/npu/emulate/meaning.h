// What the kernels of a command stream compute, as the C99 emulation of the NPU takes it (dse_npu_stream.h): kernel
// calls block by block. Softmax and other operators that are taken apart are computed as one at their first piece, and
// written when their last piece ends.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "plan/npu/stream/emit.h"

namespace dse::plan::npu {

/// A region of a stream: bytes of an arena.
struct RegionAt {
  int arena = 0;
  std::int64_t offset = 0, size = 0;
};

/// `regions`: constants (as constants_image() has them), the fast memory, that of feature maps. `operators`: the calls'
/// parameters are put behind what is there; a meaning counts from where it began.
std::vector<std::uint8_t> meaning_of(const nn::Network& network, const Costs& costs, const Schedule& schedule,
                                     const Places& places, const Stream& stream, const std::array<RegionAt, 3>& regions,
                                     std::deque<dse_op>& operators);

}  // namespace dse::plan::npu
