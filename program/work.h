// What a task does, as its kind describes it and as the device's timing classes (models/hw) take it.
#pragma once
#include <array>
#include <cstdint>

#include "models/nn/kernels/dse_kernels.h"
#include "program/view.h"

namespace dse::program {

/// A rectangular copy after merging contiguous axes.
struct CopyWork {
  int from_arena = -1, to_arena = -1;  // from -1 = fill with a constant
  std::int64_t bytes = 0;
  std::int64_t run = 0;     // contiguous bytes on both sides
  std::int64_t rows = 1;    // runs per plane
  std::int64_t planes = 1;  // planes of equally spaced rows; ring wraps split planes
  std::int64_t pieces = 1;  // boxes with constant strides that ring wraps and bricks cut the copy into

  Spread from_spread, to_spread;  // of what has gaps, if asked
};

/// A kernel call: an operator, the tile of it that is computed, and what is read and written in which arena.
struct CallWork {
  const dse_op* op = nullptr;
  dse_tile tile{};  // ranges, not extents: borders are known; flags say whether sums begin and end here
  struct Operand {
    dse_role role;
    int arena;
    std::int64_t bytes;  // each byte once: the engine reuses what it holds
    bool write;
    bool dense;       // they lie without a gap
    Spread spread{};  // with gaps, if asked
  };
  std::array<Operand, 12> operands;  // the first operand_count
  int operand_count = 0;
};

/// A call of an operator on these ranges. Operands are left out.
inline CallWork call_on(const dse_op& op, const dse_tile& tile) {
  CallWork work;
  work.op = &op, work.tile = tile;
  return work;
}
/// All of an operator at once, sums begun and ended. Operands are left out.
CallWork whole_call(const dse_op& op);

/// The arithmetic of a call in counts. Everybody who prices a call counts by this.
struct Arithmetic {
  std::int64_t macs = 0;      // by the technique of the call
  std::int64_t elements = 0;  // outputs written; pools: outputs x window; 0 for a partial sum that is not requantised
  std::int64_t shifts = 0;    // Q formats: outputs that a shift has to bring to their format
  std::int64_t corrections = 0;  // Q formats: outputs that a correction factor is multiplied into
  std::int64_t cycles = -1;      // >= 0: what it takes, whatever the engine
  std::int64_t arranged = 0;     // bytes that a technique writes to scratch before it multiplies (dse_technique.h)
  std::int64_t transforms = 0;   // real Fourier transforms of `transform` values each (dse_circulant.h)
  std::int64_t transform = 0;
  std::int64_t spectrum_macs = 0;  // complex multiply-accumulates of spectra
  bool wide = false;               // an operand of the products has 16 bits
  std::int64_t rescaled = 0;       // sums that stand in memory and are made into outputs (dse_batches.h)
  std::int64_t batch = 0;          // of them, in a full batch
  std::int64_t measured = 0;       // sums that are read once more, for the factor of their batch (dse_factors.h)
  bool ahead = false;              // a batch is summed while the one before is rescaled
  /// Real products, those of transforms (half-complex, radix 2: n log2 n each) and of spectra (four each) as well.
  std::int64_t products() const { return macs + transforms * transform_products(transform) + 4 * spectrum_macs; }
  /// n log2 n of a power of two.
  static std::int64_t transform_products(std::int64_t n) {
    std::int64_t bits = 0;
    while (n >> (bits + 1)) ++bits;
    return n * bits;
  }
  bool operator==(const Arithmetic&) const = default;
};
Arithmetic arithmetic_of(const CallWork& work);

}  // namespace dse::program
