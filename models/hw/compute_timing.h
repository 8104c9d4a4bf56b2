// What a MAC array or a CPU does with a kernel call, in cycles of its own clock. The tables of the device file are
// resolved once, per kind of operator.
#pragma once
#include <array>
#include <cstdint>

#include "models/hw/device.h"
#include "program/cost.h"

namespace dse::hw {

/// Key of an operator kind (enum dse_op_kind) in the tables of a device file: "conv", "depthwise", ...; "default" for
/// others.
const char* operator_key(int op_kind);

class ComputeTiming {
 public:
  ComputeTiming() = default;
  explicit ComputeTiming(const Engine& e);

  /// mac-array: ceil(macs / (macs_per_cycle[int8] * efficiency[op])) + ceil(elements * cycles_per_element[op]).
  /// cpu:       ceil(macs * cycles_per_mac[op])                      + ceil(elements * cycles_per_element[op]).
  /// A missing key falls back to "default", then to efficiency 1 and 0 cycles per element.
  /// @throws InvariantError when the engine has no rate for the multiply-accumulates of this kind.
  std::int64_t call_cycles(const program::CallWork& w) const;
  /// ceil(bytes / copy_bytes_per_cycle). @throws InvariantError when the engine cannot copy.
  std::int64_t copy_cycles(std::int64_t bytes) const;

 private:
  static constexpr int kKinds = 16;
  struct Rate {
    Ratio per_mac, per_element;
    bool known = false;
  };  // cycles
  std::array<Rate, kKinds> rates_{};
  Ratio copy_{0, 1};
};

}  // namespace dse::hw
