// Weights and scales of a kernel as they lie in memory: decoded, and brought back into the order of the interpreter's.
#include <algorithm>

#include "base/index.h"
#include "base/units.h"
#include "models/nn/kernels/npu/dse_npu.h"
#include "plan/npu/emulate/emulation.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

bool Emulation::read_weights(const Registers& r, const Part& part) {
  const Operation& o = costs_.op(part.operation);
  const nn::Operator& source = network_.operators[index(o.source)];
  const Weights& w = *o.weights;
  const auto& memory = r[Register::weight_region] == static_cast<std::uint32_t>(Region::constants) ? constants_ : fast_;
  const int cores = costs_.npu().acc().cores;
  const auto& file = network_.tensors[index(source.inputs[1])];
  const auto& zeros = file.quantization.zero_point;
  const std::size_t raw_size = nn::filter_major_weights(network_, source).size(), per_filter = raw_size / index(w.out);
  const std::size_t words = source.kernel.acc_bytes == 8 ? 4 : 3;
  weights_.assign(raw_size, 0);
  records_.assign(index(w.out) * words, 0);
  for (int core = 0; core < std::min(cores, part.c1 - part.c0); ++core) {
    const std::int64_t base = r[core ? Register::weight1_base : Register::weight_base],
                       length = r[core ? Register::weight1_length : Register::weight_length];
    const int channels = (part.c1 - part.c0 - core + cores - 1) / cores;
    const std::int64_t scale_bytes = round_up(std::int64_t{kScaleBytes} * channels, kQuantum);
    if (base < scale_bytes || base + length > static_cast<std::int64_t>(memory.size())) return false;
    const int depth = std::min(schedule_.operations[index(part.operation)].block.ofm.c, w.out);
    dse_npu_walk walk{w.h,
                      w.w,
                      w.depthwise ? 1 : w.in,
                      channels,
                      (depth + cores - 1 - core) / cores,
                      costs_.npu().acc().ifm_ublock_depth,
                      schedule_.operations[index(part.operation)].block.ublock.c,
                      kSubKernel / w.dilation_h,
                      kSubKernel / w.dilation_w,
                      static_cast<std::int32_t>(r[Register::traversal] & 1),
                      w.depthwise ? 1 : 0,
                      w.input_bits};
    struct Context {
      std::vector<std::int16_t> stream;
      std::vector<std::int16_t> made;
      bool padding_is_zero = true;
    } context;
    context.made.assign(index(walk.out) * index(walk.h) * index(walk.w) * index(walk.in), 0);
    const std::int32_t count = dse_npu_decode(memory.data() + base, static_cast<std::int32_t>(length), nullptr, 0);
    if (count < 0) return false;
    context.stream.resize(index(count));
    dse_npu_decode(memory.data() + base, static_cast<std::int32_t>(length), context.stream.data(), count);
    const auto place = [](void* c, std::int32_t number, std::int32_t at) {
      auto& x = *static_cast<Context*>(c);
      if (index(number) >= x.stream.size()) return;
      if (at < 0)
        x.padding_is_zero = x.padding_is_zero && x.stream[index(number)] == 0;
      else
        x.made[index(at)] = x.stream[index(number)];
    };
    if (dse_npu_for_each_weight(&walk, place, &context) != count || !context.padding_is_zero) return false;
    std::vector<std::int32_t> records(index(channels) * words);
    dse_npu_scales(memory.data() + base - scale_bytes, channels, source.kernel.acc_bytes, records.data());
    const std::size_t filter = context.made.size() / index(channels);
    for (int n = 0; n < channels; ++n) {
      const std::size_t out = index(part.c0 + core + n * cores);
      std::copy_n(records.begin() + static_cast<std::ptrdiff_t>(index(n) * words), words,
                  records_.begin() + static_cast<std::ptrdiff_t>(out * words));
      for (std::size_t i = 0; i < filter; ++i) {
        const std::int32_t raw = w.raw[out * filter + i];
        if (raw < 0) continue;
        const std::int64_t zero = zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : index(raw) / per_filter];
        weights_[index(raw)] = static_cast<std::uint8_t>(context.made[index(n) * filter + i] + zero);
      }
    }
  }
  return true;
}

}  // namespace dse::plan::npu
