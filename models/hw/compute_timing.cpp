#include "models/hw/compute_timing.h"

#include <numeric>
#include <string>

#include "base/diagnostics.h"
#include "models/hw/clocking.h"
#include "models/nn/kernels/dse_kernels.h"

namespace dse::hw {

const char* operator_key(int op_kind) {
  switch (op_kind) {
    case DSE_CONV_2D:
      return "conv";
    case DSE_DEPTHWISE_CONV_2D:
      return "depthwise";
    case DSE_FULLY_CONNECTED:
      return "fully_connected";
    case DSE_ADD:
      return "add";
    case DSE_AVERAGE_POOL_2D:
      return "average_pool";
    case DSE_MAX_POOL_2D:
      return "max_pool";
    case DSE_SOFTMAX:
      return "softmax";
    case DSE_COPY:
      return "reshape";
    default:
      return "default";
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

ComputeTiming::ComputeTiming(const Engine& e) : copy_(e.copy_bytes_per_cycle) {
  for (int kind = 0; kind < kKinds; ++kind) {
    Rate& r = rates_[static_cast<std::size_t>(kind)];
    const char* key = operator_key(kind);
    if (const Ratio* per_element = find(e.cycles_per_element, key)) r.per_element = *per_element;
    if (e.kind == EngineKind::mac_array) {
      const auto peak = e.macs_per_cycle.find("int8");
      const Ratio* share = find(e.efficiency, key);
      const Ratio efficiency = share ? *share : Ratio{1, 1};
      if (peak != e.macs_per_cycle.end() && !peak->second.zero() && !efficiency.zero()) {
        const Ratio a = reduced(peak->second.den, efficiency.num), b = reduced(efficiency.den, peak->second.num);
        r.per_mac = reduced(a.num * b.num, a.den * b.den);
        r.known = true;
      }
    } else if (const Ratio* per_mac = find(e.cycles_per_mac, key)) {
      r.per_mac = *per_mac;
      r.known = true;
    }
  }
}

std::int64_t ComputeTiming::call_cycles(const program::CallWork& w) const {
  const Rate& r = rates_[static_cast<std::size_t>(w.op_kind >= 0 && w.op_kind < kKinds ? w.op_kind : 0)];
  std::int64_t cycles = 0;
  if (w.macs > 0) {
    if (!r.known)
      throw InvariantError(std::string("engine has no multiply-accumulate rate for ") + operator_key(w.op_kind));
    cycles = scale_up(w.macs, r.per_mac.num, r.per_mac.den);
  }
  if (w.elements > 0 && !r.per_element.zero()) cycles += scale_up(w.elements, r.per_element.num, r.per_element.den);
  return cycles;
}

std::int64_t ComputeTiming::copy_cycles(std::int64_t bytes) const {
  if (copy_.zero()) throw InvariantError("engine cannot copy: it has no copy_bytes_per_cycle");
  return scale_up(bytes, copy_.den, copy_.num);
}

}  // namespace dse::hw
