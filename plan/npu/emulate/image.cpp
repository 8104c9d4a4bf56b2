#include "plan/npu/emulate/image.h"

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"
#include "base/index.h"
#include "base/units.h"

namespace dse::plan::npu {
namespace {

/// A record of DSE_QPARAMS as the NPU has it: bias of 40 bits, multiplier, shift to the right.
void put_scale(std::uint8_t* to, const std::int32_t* record, bool wide) {
  std::int64_t bias = record[0];
  if (wide)
    bias = static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(record[0])) |
                                     static_cast<std::uint64_t>(static_cast<std::uint32_t>(record[1])) << 32);
  const auto multiplier = static_cast<std::uint32_t>(record[wide ? 2 : 1]);
  const int shift = 31 - record[wide ? 3 : 2];
  for (int b = 0; b < 5; ++b) to[b] = static_cast<std::uint8_t>(bias >> (8 * b));
  for (int b = 0; b < 4; ++b) to[5 + b] = static_cast<std::uint8_t>(multiplier >> (8 * b));
  to[9] = static_cast<std::uint8_t>(std::clamp(shift, 0, 63));
}

}  // namespace

std::vector<std::uint8_t> constants_image(const nn::Network& network, const Costs& costs, const Schedule& schedule,
                                          const Places& places) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(places.constant_bytes), 0);
  for (int i = 0; i < costs.count(); ++i) {
    const Operation& o = costs.op(i);
    const nn::Operator& source = network.operators[index(o.source)];
    if (const std::int64_t at = places.stream[index(i)]; at >= 0) {
      const WeightStream& w = *schedule.operations[index(i)].weights;
      const auto& slices = schedule.operations[index(i)].slices;
      const bool own = nn::has_filters(source.kind);
      const bool wide = source.kernel.acc_bytes == 8;
      const std::size_t words = wide ? 4 : 3;
      for (std::size_t r = 0; r < w.ranges.size(); ++r) {
        const auto& range = w.ranges[r];
        std::uint8_t* to = out.data() + at + range.offset;
        if (own)
          for (int c = slices[index(range.slice)] + range.core, n = 0; c < slices[index(range.slice) + 1];
               c += costs.npu().acc().cores, ++n)
            put_scale(to + hw::ethos_u::kScaleBytes * n, &source.channel_params[index(c) * words], wide);
        std::memcpy(to + round_up(range.scale_bytes, kQuantum), w.coded[r].data(), w.coded[r].size());
      }
    }
    if (const std::int64_t at = places.table[index(i)]; at >= 0) {
      const auto& table = network.operators[index(o.fused >= 0 ? o.fused : o.source)].table;
      std::copy_n(table.begin(), std::min<std::size_t>(table.size(), static_cast<std::size_t>(o.table_bytes)),
                  out.begin() + at);
    }
  }
  for (std::size_t t = 0; t < costs.graph().tensors.size(); ++t) {
    const Tensor& x = costs.graph().tensors[t];
    if (!x.constant || x.source < 0 || places.tensor[t] < 0) continue;
    const auto& data = network.tensors[index(x.source)].data;
    std::copy(data.begin(), data.end(), out.begin() + places.tensor[t]);
  }
  return out;
}

}  // namespace dse::plan::npu
