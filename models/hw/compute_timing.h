// What a MAC array or a CPU does with a kernel call, in cycles of its own clock. The tables of the device file are
// resolved once, per kind of operator.
#pragma once
#include <array>
#include <cstdint>

#include "models/hw/device.h"
#include "program/cost.h"

namespace dse::hw {

/// Key of an operator kind (enum dse_op_kind) in the tables of a device file: "conv", "depthwise", ... Kinds without a
/// key of their own are timed as the nearest one that has: transposed convolutions as conv; matrix products, SVDF and
/// LSTM as fully_connected; element-wise operators as add; reductions and resizing as pools; other movements as
/// reshape.
const char* operator_key(int op_kind);

class ComputeTiming {
 public:
  ComputeTiming() = default;
  explicit ComputeTiming(const Engine& e);

  /// mac-array: ceil(products / (macs_per_cycle[type] * efficiency[op])) + ceil(elements * cycles_per_element[op]).
  /// cpu:       ceil(products * cycles_per_mac[op])                      + ceil(elements * cycles_per_element[op]).
  /// products = multiply-accumulates + correction factors; type = int16 if an operand has 16 bits. Both plus
  /// ceil(shifts * cycles_per_shift) for Q formats that the accumulator's high half does not give.
  /// A missing key falls back to "default", then to efficiency 1 and 0 cycles per element.
  /// @throws InvariantError when the engine has no rate for the multiply-accumulates of this kind.
  std::int64_t call_cycles(const program::CallWork& w) const;
  /// ceil(bytes / copy_bytes_per_cycle). @throws InvariantError when the engine cannot copy.
  std::int64_t copy_cycles(std::int64_t bytes) const;

  /// Whether a call's time follows from the bytes that it reads and writes, too. A mac-array's operands stream while it
  /// computes, and the slower of the two counts. A cpu reads and writes between its products: what that takes is part
  /// of a rate per product or element, made for whatever memories that rate was measured with.
  bool times_accesses() const { return streams_; }
  /// Whether 16-bit products have a rate of their own. A cpu's table has one for all.
  bool tells_widths_apart() const { return by_width_; }

 private:
  static constexpr int kKinds = 41;  // > DSE_OP_KINDS
  struct Rate {
    Ratio per_mac[2], per_element;  // cycles; [1]: 16-bit operands
    bool known[2] = {false, false};
  };
  std::array<Rate, kKinds> rates_{};
  Ratio copy_{0, 1}, shift_{0, 1};
  bool streams_ = false, by_width_ = false;
};

}  // namespace dse::hw
