#include "models/hw/libraries/rate_table.h"

#include <numeric>
#include <string>

#include "base/diagnostics.h"
#include "models/hw/clocking.h"

namespace dse::hw {

const char* operator_key(int op_kind) {
  switch (op_kind) {
    case DSE_CONV_2D:
    case DSE_TRANSPOSE_CONV:
      return "conv";
    case DSE_DEPTHWISE_CONV_2D:
      return "depthwise";
    case DSE_FULLY_CONNECTED:
    case DSE_MATMUL:
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

const Ratio* find(const std::map<std::string, Ratio>& table, const char* key) {
  auto it = table.find(key);
  if (it == table.end()) it = table.find("default");
  return it == table.end() ? nullptr : &it->second;
}

Ratio reduced(std::int64_t num, std::int64_t den) {
  const std::int64_t g = std::gcd(num, den);
  return g ? Ratio{num / g, den / g} : Ratio{num, den};
}

}  // namespace

RateTable::RateTable(const Engine& e) : shift_(e.cycles_per_shift) {
  for (int kind = 0; kind < DSE_OP_KINDS; ++kind) {
    Rate& r = rates_[static_cast<std::size_t>(kind)];
    const char* key = operator_key(kind);
    for (const int wide : {0, 1}) {
      const Ratio* own = wide ? find(e.cycles_per_element_int16, key) : nullptr;
      if (const Ratio* per_element = own ? own : find(e.cycles_per_element, key)) r.per_element[wide] = *per_element;
    }
    if (e.is_array()) {
      const Ratio* share = find(e.efficiency, key);
      const Ratio efficiency = share ? *share : Ratio{1, 1};
      for (const int wide : {0, 1}) {
        const auto peak = e.macs_per_cycle.find(wide ? "int16" : "int8");
        if (peak == e.macs_per_cycle.end() || peak->second.zero() || efficiency.zero()) continue;
        const Ratio a = reduced(peak->second.den, efficiency.num), b = reduced(efficiency.den, peak->second.num);
        r.per_mac[wide] = reduced(a.num * b.num, a.den * b.den);
        r.known[wide] = true;
      }
    } else if (const Ratio* per_mac = find(e.cycles_per_mac, key)) {
      const Ratio* own = find(e.cycles_per_mac_int16, key);
      r.per_mac[0] = *per_mac, r.per_mac[1] = own ? *own : *per_mac;
      r.known[0] = r.known[1] = true;
    }
  }
}

std::int64_t RateTable::cycles(int op_kind, const program::Arithmetic& a) const {
  if (a.cycles >= 0) return a.cycles;
  ensure(op_kind > 0 && op_kind < DSE_OP_KINDS, "a call of no known kind of operator");
  const Rate& r = rates_[static_cast<std::size_t>(op_kind)];
  std::int64_t cycles = 0;
  // A correction factor is one more multiplication per output.
  const std::int64_t products = a.macs + a.corrections;
  const int wide = a.wide ? 1 : 0;
  if (products > 0) {
    if (!r.known[wide])
      throw InvariantError(std::string("engine has no multiply-accumulate rate for ") + operator_key(op_kind) +
                           (wide ? " in 16 bits" : ""));
    cycles = scale_up(products, r.per_mac[wide].num, r.per_mac[wide].den);
  }
  if (a.shifts > 0 && !shift_.zero()) cycles += scale_up(a.shifts, shift_.num, shift_.den);
  const Ratio& per_element = r.per_element[wide];
  if (a.elements > 0 && !per_element.zero()) cycles += scale_up(a.elements, per_element.num, per_element.den);
  return cycles;
}

}  // namespace dse::hw
