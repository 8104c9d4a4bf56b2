#include <algorithm>
#include <cstring>

#include "plan/layer/layer.h"
#include "plan/layer/whole/whole_layer.h"

namespace dse::plan {
namespace {

int taps_of(const dse_op& op) { return op.kind == DSE_FULLY_CONNECTED ? 1 : op.kernel_h * op.kernel_w; }
int inputs_of(const dse_op& op) { return op.kind == DSE_DEPTHWISE_CONV_2D ? 1 : op.in_c; }

void put_params(std::uint8_t* to, const nn::Operator& op, int channel) {
  const int words = dse_record_bytes(&op.kernel) / 4;
  for (int i = 0; i < words; ++i) {
    const auto v = static_cast<std::uint32_t>(op.channel_params[words * channel + i]);
    for (int b = 0; b < 4; ++b) to[4 * i + b] = static_cast<std::uint8_t>(v >> (8 * b));
  }
}

}  // namespace

int input_element(const dse_op& op, int input) { return dse_type_bytes(input == 0 ? op.in_type : op.in2_type); }

std::int64_t filter_record_bytes(const dse_op& op) {
  return round_up(dse_record_bytes(&op) + std::int64_t{taps_of(op)} * inputs_of(op) * dse_type_bytes(op.weight_type),
                  4);
}

std::int64_t packed_bytes(const nn::Network& network, const nn::Operator& op, WeightForm form) {
  const auto& k = op.kernel;
  switch (form) {
    case WeightForm::none:
      return 0;
    case WeightForm::filter_major:
      return filter_record_bytes(k) * k.out_c;
    case WeightForm::apart:
    case WeightForm::plane_major:
      return std::int64_t{dse_record_bytes(&k)} * k.out_c +
             std::int64_t{k.out_c} * taps_of(k) * inputs_of(k) * dse_type_bytes(k.weight_type);
    case WeightForm::blob:
      return ConstantBlob(network, op).size();
  }
  return 0;
}

std::vector<std::uint8_t> pack_weights(const nn::Network& network, const nn::Operator& op, WeightForm form) {
  if (form == WeightForm::blob) return ConstantBlob(network, op).bytes();
  std::vector<std::uint8_t> out(packed_bytes(network, op, form), 0);
  if (form == WeightForm::none) return out;
  const auto weights = nn::filter_major_weights(network, op);  // [out][tap][in]
  const int outs = op.kernel.out_c, taps = taps_of(op.kernel), ins = inputs_of(op.kernel);
  const int head = dse_record_bytes(&op.kernel), elem = dse_type_bytes(op.kernel.weight_type);
  if (form == WeightForm::filter_major) {
    const auto record = filter_record_bytes(op.kernel);
    for (int o = 0; o < outs; ++o) {
      put_params(&out[o * record], op, o);
      std::memcpy(&out[o * record + head], &weights[std::int64_t{o} * taps * ins * elem],
                  static_cast<std::size_t>(taps) * ins * elem);
    }
    return out;
  }
  for (int o = 0; o < outs; ++o) put_params(&out[head * o], op, o);
  std::uint8_t* planes = out.data() + std::int64_t{head} * outs;
  if (form == WeightForm::apart && op.kernel.kind != DSE_DEPTHWISE_CONV_2D) {
    std::copy(weights.begin(), weights.end(), planes);
    return out;
  }
  // In planes, tap after tap of each output channel; apart, each output channel of a tap.
  const int per_out = form == WeightForm::apart ? 1 : taps, per_tap = form == WeightForm::apart ? outs : 1;
  for (int i = 0; i < ins; ++i)
    for (int o = 0; o < outs; ++o)
      for (int t = 0; t < taps; ++t)
        std::memcpy(&planes[(std::int64_t{i} * outs * taps + std::int64_t{o} * per_out + t * per_tap) * elem],
                    &weights[((std::int64_t{o} * taps + t) * ins + i) * elem], elem);
  return out;
}

}  // namespace dse::plan
