#include <cstring>

#include "plan/layer.h"

namespace dse::plan {
namespace {

int taps_of(const dse_op& op) { return op.kind == DSE_FULLY_CONNECTED ? 1 : op.kernel_h * op.kernel_w; }
int inputs_of(const dse_op& op) { return op.kind == DSE_DEPTHWISE_CONV_2D ? 1 : op.in_c; }

void put_params(std::uint8_t* to, const nn::Operator& op, int channel) {
  for (int i = 0; i < 3; ++i) {
    const auto v = static_cast<std::uint32_t>(op.channel_params[3 * channel + i]);
    for (int b = 0; b < 4; ++b) to[4 * i + b] = static_cast<std::uint8_t>(v >> (8 * b));
  }
}

}  // namespace

std::int64_t filter_record_bytes(const dse_op& op) {
  return round_up(12 + std::int64_t{taps_of(op)} * inputs_of(op), 4);
}

std::int64_t packed_bytes(const nn::Operator& op, WeightForm form) {
  const auto& k = op.kernel;
  switch (form) {
    case WeightForm::none:
      return 0;
    case WeightForm::filter_major:
      return filter_record_bytes(k) * k.out_c;
    case WeightForm::plane_major:
      return std::int64_t{12} * k.out_c + std::int64_t{k.out_c} * taps_of(k) * inputs_of(k);
  }
  return 0;
}

std::vector<std::uint8_t> pack_weights(const nn::Network& network, const nn::Operator& op, WeightForm form) {
  std::vector<std::uint8_t> out(packed_bytes(op, form), 0);
  if (form == WeightForm::none) return out;
  const auto weights = nn::filter_major_weights(network, op);  // [out][tap][in]
  const int outs = op.kernel.out_c, taps = taps_of(op.kernel), ins = inputs_of(op.kernel);
  if (form == WeightForm::filter_major) {
    const auto record = filter_record_bytes(op.kernel);
    for (int o = 0; o < outs; ++o) {
      put_params(&out[o * record], op, o);
      std::memcpy(&out[o * record + 12], &weights[std::int64_t{o} * taps * ins], static_cast<std::size_t>(taps) * ins);
    }
    return out;
  }
  for (int o = 0; o < outs; ++o) put_params(&out[12 * o], op, o);
  std::uint8_t* planes = out.data() + std::int64_t{12} * outs;
  for (int i = 0; i < ins; ++i)
    for (int o = 0; o < outs; ++o)
      for (int t = 0; t < taps; ++t)
        planes[(std::int64_t{i} * outs + o) * taps + t] =
            static_cast<std::uint8_t>(weights[(std::int64_t{o} * taps + t) * ins + i]);
  return out;
}

}  // namespace dse::plan
