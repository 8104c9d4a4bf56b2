// Cycles per multiply-accumulate and per element, by kind of operator: the tables of a device file.
#pragma once
#include <array>
#include <cstdint>
#include <map>

#include "models/hw/device.h"
#include "models/hw/libraries/library_timing.h"
#include "models/nn/kernels/dse_technique.h"

namespace dse::hw {

/// Key of an operator kind (enum dse_op_kind) in the tables of a device file: "conv", "depthwise", ... Kinds without a
/// key of their own are timed as the nearest one that has: transposed convolutions as conv; matrix products, circulant
/// ones, SVDF and LSTM as fully_connected; element-wise operators as add; reductions and resizing as pools; other
/// movements as reshape.
const char* operator_key(int op_kind);

/// How long n outputs take that are summed in `summing` cycles and rescaled in `rescaling`, in batches of `batch`: a
/// batch is rescaled once it is summed, and summed once one of two buffers is free.
std::int64_t batches_ahead(std::int64_t n, std::int64_t batch, std::int64_t summing, std::int64_t rescaling);

/// mac-array: ceil(products / (macs_per_cycle[type] * efficiency[op])) + ceil(elements * cycles_per_element[op]).
/// cpu:       ceil(products * cycles_per_mac[op])                      + ceil(elements * cycles_per_element[op]).
/// products = multiply-accumulates + correction factors; type = int16 if an operand has 16 bits. Both plus
/// ceil(shifts * cycles_per_shift) for Q formats that the accumulator's high half does not give.
/// Where an operand has 16 bits, those of cycles_per_mac_int16 and cycles_per_element_int16, where these have the
/// operator or "default". A missing key falls back to "default", then to efficiency 1 and 0 cycles per element.
/// Circulant layers in the frequency domain: cycles_per_transform of each transform, and cycles_per_complex_mac.
/// A call by a technique: its products at the technique's own rate, where the tables have one, and
/// ceil(bytes arranged / bytes per cycle); im2row by row pays `dispatch` for every further row.
/// Sums that stand in memory (dse_batches.h): `per_batch` for each batch and ceil(sums / rescaled_per_cycle) for all of
/// them, after what summed them; sums that are read for the factor of their batch count twice. With a unit that
/// rescales apart and two buffers, batch after batch passes through both: the products of the next one hide behind
/// rescaling, or rescaling behind products.
class RateTable final : public LibraryTiming {
 public:
  explicit RateTable(const Engine& e);
  /// @throws InvariantError when the engine has no rate for the multiply-accumulates of this kind.
  std::int64_t cycles(const program::CallWork& work) const override;
  /// Rates are per product, element and byte, so parts take as long as the whole, and each part is rounded up.
  std::int64_t least_cycles(const program::CallWork& work) const override;
  int kernel(const program::CallWork& work) const override { return work.op->kind; }

  std::int64_t cycles(int op_kind, const program::Arithmetic& arithmetic) const;
  /// Dynamic rescaling (dse_factors.h), beside what a library that knows nothing of it takes: the shifts of sums of
  /// equal factor, and reading sums for the factor of their batch, as long as requantising as many elements.
  std::int64_t factor_cycles(const program::CallWork& work) const;

 private:
  struct Rate {
    Ratio per_mac[2], per_element[2];  // cycles; [1]: 16-bit operands
    bool known[2] = {false, false};
    Ratio arranges{0, 1};  // bytes per cycle; of a technique
  };
  Rate rate_of(const Engine& e, const char* key, const char* technique) const;
  std::int64_t cycles(const Rate& rate, const char* key, const program::Arithmetic& arithmetic) const;
  /// By its technique, without what rescales its sums.
  std::int64_t summing(const program::CallWork& work, const program::Arithmetic& arithmetic) const;
  /// Fourier transforms and products of spectra (dse_circulant.h).
  std::int64_t transforming(const Rate& rate, const program::Arithmetic& arithmetic) const;
  /// Of all the sums that stand in memory.
  std::int64_t rescaling(const program::Arithmetic& arithmetic) const;
  /// Of sums that are read for the factor of their batch, where nothing says how fast sums are rescaled.
  std::int64_t measuring(const program::Arithmetic& arithmetic) const;

  std::array<Rate, DSE_OP_KINDS> rates_{};
  std::array<Rate, DSE_TECHNIQUES> techniques_{};
  std::map<std::int64_t, Ratio> transforms_;  // cycles by length
  Ratio shift_{0, 1}, rescaled_per_cycle_{0, 1}, complex_mac_{0, 1};
  bool transforms_in_products_ = false;  // a processor makes them of products where no table says what they take
  std::int64_t dispatch_ = 0, per_batch_ = 0;
};

}  // namespace dse::hw
