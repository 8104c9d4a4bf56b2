#include "models/hw/libraries/rate_table.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/diagnostics.h"
#include "models/hw/clocking.h"
#include "models/nn/graph/technique.h"
#include "models/nn/kernels/dse_factors.h"

namespace dse::hw {

__extension__ typedef __int128 Int128;

const char* operator_key(int op_kind) {
  switch (op_kind) {
    case DSE_CONV_2D:
    case DSE_TRANSPOSE_CONV:
      return "conv";
    case DSE_DEPTHWISE_CONV_2D:
      return "depthwise";
    case DSE_FULLY_CONNECTED:
    case DSE_MATMUL:
    case DSE_CIRCULANT:
    case DSE_SVDF:
    case DSE_LSTM:
      return "fully_connected";
    case DSE_AVERAGE_POOL_2D:
    case DSE_MEAN:
    case DSE_RESIZE_BILINEAR:
      return "average_pool";
    case DSE_MAX_POOL_2D:
    case DSE_REDUCE_MAX:
    case DSE_REDUCE_MIN:
    case DSE_ARG_MAX:
    case DSE_ARG_MIN:
      return "max_pool";
    case DSE_SOFTMAX:
    case DSE_LOG_SOFTMAX:
    case DSE_L2_NORMALIZATION:
      return "softmax";
    case DSE_COPY:
    case DSE_GATHER:
    case DSE_PAD:
    case DSE_MIRROR_PAD:
    case DSE_RESIZE_NEAREST_NEIGHBOR:
      return "reshape";
    default:
      return op_kind > 0 && op_kind < DSE_OP_KINDS ? "add" : "default";  // element-wise kinds
  }
}

namespace {

/// The rate of the technique, where there is one, else of the key.
const Ratio* find(const std::map<std::string, Ratio>& table, const char* key, const char* technique) {
  auto it = technique ? table.find(technique) : table.end();
  if (it == table.end()) it = table.find(key);
  if (it == table.end()) it = table.find("default");
  return it == table.end() ? nullptr : &it->second;
}

Ratio reduced(std::int64_t num, std::int64_t den) {
  const std::int64_t g = std::gcd(num, den);
  return g ? Ratio{num / g, den / g} : Ratio{num, den};
}

}  // namespace

RateTable::RateTable(const Engine& e)
    : shift_(e.cycles_per_shift),
      rescaled_per_cycle_(e.rescaled_per_cycle),
      complex_mac_(e.cycles_per_complex_mac),
      transforms_in_products_(!e.is_array()),
      dispatch_(e.dispatch),
      per_batch_(e.per_batch) {
  for (const auto& [length, cycles] : e.cycles_per_transform) transforms_[std::stoll(length)] = cycles;
  for (int kind = 0; kind < DSE_OP_KINDS; ++kind)
    rates_[static_cast<std::size_t>(kind)] = rate_of(e, operator_key(kind), nullptr);
  for (int t = 1; t < DSE_TECHNIQUES; ++t) {
    const auto& name = nn::technique_names()[static_cast<std::size_t>(t)];
    const auto speed = e.techniques.find(name);
    if (speed == e.techniques.end()) continue;
    auto& rate = techniques_[static_cast<std::size_t>(t)];
    rate = rate_of(e, operator_key(t == DSE_SEPARABLE ? DSE_DEPTHWISE_CONV_2D : DSE_CONV_2D), name.c_str());
    rate.arranges = speed->second;
  }
}

RateTable::Rate RateTable::rate_of(const Engine& e, const char* key, const char* technique) const {
  Rate r;
  for (const int wide : {0, 1}) {
    const Ratio* own = wide ? find(e.cycles_per_element_int16, key, nullptr) : nullptr;
    if (const Ratio* per_element = own ? own : find(e.cycles_per_element, key, nullptr))
      r.per_element[wide] = *per_element;
  }
  if (e.is_array()) {
    const Ratio* share = find(e.efficiency, key, technique);
    const Ratio efficiency = share ? *share : Ratio{1, 1};
    for (const int wide : {0, 1}) {
      const auto peak = e.macs_per_cycle.find(wide ? "int16" : "int8");
      if (peak == e.macs_per_cycle.end() || peak->second.zero() || efficiency.zero()) continue;
      const Ratio a = reduced(peak->second.den, efficiency.num), b = reduced(efficiency.den, peak->second.num);
      r.per_mac[wide] = reduced(a.num * b.num, a.den * b.den);
      r.known[wide] = true;
    }
  } else if (const Ratio* per_mac = find(e.cycles_per_mac, key, technique)) {
    const Ratio* own = find(e.cycles_per_mac_int16, key, technique);
    r.per_mac[0] = *per_mac, r.per_mac[1] = own ? *own : *per_mac;
    r.known[0] = r.known[1] = true;
  }
  return r;
}

std::int64_t batches_ahead(std::int64_t n, std::int64_t batch, std::int64_t summing, std::int64_t rescaling) {
  const std::int64_t count = ceil_div(n, batch);
  if (count < 2) return summing + rescaling;
  // All batches but the last are equal; the last takes what is left.
  const auto share = [&](std::int64_t all) { return static_cast<std::int64_t>(static_cast<Int128>(all) * batch / n); };
  const std::int64_t sum = share(summing), rescale = share(rescaling);
  const std::int64_t last_sum = summing - (count - 1) * sum, last_rescale = rescaling - (count - 1) * rescale;
  const std::int64_t rescaled = (count - 1) * std::max(sum, rescale) + std::min(sum, rescale);  // all but the last
  const std::int64_t summed = sum + (count - 2) * std::max(sum, rescale) + last_sum;
  return std::max(rescaled, summed) + last_rescale;
}

std::int64_t RateTable::cycles(const program::CallWork& work) const {
  const auto& tile = work.tile;
  const bool by_row = dse_technique_of(work.op) == DSE_IM2ROW_BY_ROW && tile.y.hi > tile.y.lo;
  const auto a = program::arithmetic_of(work);
  const auto summed = summing(work, a) + (by_row ? (tile.y.hi - tile.y.lo - 1) * dispatch_ : 0);
  if (a.rescaled == 0) return summed;
  return ceil_div(a.rescaled, a.batch) * per_batch_ +
         (a.ahead ? batches_ahead(a.rescaled, a.batch, summed, rescaling(a)) : summed + rescaling(a));
}

std::int64_t RateTable::least_cycles(const program::CallWork& work) const {
  const auto a = program::arithmetic_of(work);
  const auto summed = summing(work, a);
  if (a.rescaled == 0) return summed;
  return a.ahead ? std::max(summed, rescaling(a)) : summed + rescaling(a);
}

std::int64_t RateTable::rescaling(const program::Arithmetic& a) const {
  if (rescaled_per_cycle_.zero()) return measuring(a);
  return scale_up(a.rescaled + a.measured, rescaled_per_cycle_.den, rescaled_per_cycle_.num);
}

std::int64_t RateTable::factor_cycles(const program::CallWork& work) const {
  if (!dse_takes_factors(work.op->kind) || !dse_has_factors(work.op)) return 0;
  const auto a = program::arithmetic_of(work);
  return (shift_.zero() ? 0 : scale_up(a.shifts, shift_.num, shift_.den)) + measuring(a);
}

std::int64_t RateTable::measuring(const program::Arithmetic& a) const {
  const Ratio& per_element = rates_[DSE_REQUANTIZE].per_element[a.wide ? 1 : 0];
  return a.measured > 0 && !per_element.zero() ? scale_up(a.measured, per_element.num, per_element.den) : 0;
}

std::int64_t RateTable::summing(const program::CallWork& work, const program::Arithmetic& a) const {
  const auto technique = dse_technique_of(work.op);
  if (technique == DSE_DIRECT) return cycles(work.op->kind, a);
  ensure(technique > 0 && technique < DSE_TECHNIQUES, "a call by no known technique");
  const auto& rate = techniques_[static_cast<std::size_t>(technique)];
  ensure(!rate.arranges.zero(), "a call by a technique that the engine does not have");
  return cycles(rate, operator_key(work.op->kind), a) + scale_up(a.arranged, rate.arranges.den, rate.arranges.num);
}

std::int64_t RateTable::transforming(const Rate& r, const program::Arithmetic& a) const {
  if (a.transforms == 0) return 0;
  if (transforms_.empty()) {
    // Half-complex radix 2 takes n log2 n real products and 1.5 n log2 n + n / 2 sums; a complex product four.
    if (!transforms_in_products_ || !r.known[1]) throw InvariantError("engine has no rate for Fourier transforms");
    const std::int64_t each = (5 * program::Arithmetic::transform_products(a.transform) + a.transform) / 2;
    return scale_up(a.transforms * each + 4 * a.spectrum_macs, r.per_mac[1].num, r.per_mac[1].den);
  }
  auto known = transforms_.lower_bound(a.transform);
  if (known == transforms_.end()) --known;
  const std::int64_t n = program::Arithmetic::transform_products(a.transform),
                     of_known = program::Arithmetic::transform_products(known->first);
  const Ratio& each = known->second;
  const auto all = static_cast<Int128>(a.transforms) * n * each.num;
  const auto per = static_cast<Int128>(of_known) * each.den;
  return static_cast<std::int64_t>((all + per - 1) / per) +
         scale_up(a.spectrum_macs, complex_mac_.num, complex_mac_.den);
}

std::int64_t RateTable::cycles(int op_kind, const program::Arithmetic& a) const {
  if (a.cycles >= 0) return a.cycles;
  ensure(op_kind > 0 && op_kind < DSE_OP_KINDS, "a call of no known kind of operator");
  return cycles(rates_[static_cast<std::size_t>(op_kind)], operator_key(op_kind), a);
}

std::int64_t RateTable::cycles(const Rate& r, const char* key, const program::Arithmetic& a) const {
  std::int64_t cycles = transforming(r, a);
  // A correction factor is one more multiplication per output.
  const std::int64_t products = a.macs + a.corrections;
  const int wide = a.wide ? 1 : 0;
  if (products > 0) {
    if (!r.known[wide])
      throw InvariantError(std::string("engine has no multiply-accumulate rate for ") + key +
                           (wide ? " in 16 bits" : ""));
    cycles += scale_up(products, r.per_mac[wide].num, r.per_mac[wide].den);
  }
  if (a.shifts > 0 && !shift_.zero()) cycles += scale_up(a.shifts, shift_.num, shift_.den);
  const Ratio& per_element = r.per_element[wide];
  if (a.elements > 0 && !per_element.zero()) cycles += scale_up(a.elements, per_element.num, per_element.den);
  return cycles;
}

}  // namespace dse::hw
