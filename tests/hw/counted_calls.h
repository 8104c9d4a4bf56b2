// Calls of counted kernel libraries, whole and cut, for their tests.
#pragma once
#include <algorithm>

#include "models/hw/device.h"
#include "models/hw/libraries/library_timing.h"

namespace dse::hw::test {

/// An engine with these rates for the counts, which tell each from the others, and the tables for what is not counted.
inline Engine counted_engine(const std::vector<std::string>& names, const std::vector<std::int64_t>& rates) {
  Engine e;
  e.cycles_per_mac["default"] = {11, 1};
  e.cycles_per_element["default"] = {3, 1};
  for (std::size_t k = 0; k < names.size(); ++k) e.cycles_per_count[names[k]] = {rates.at(k), 1};
  return e;
}

/// A convolution of squares.
inline dse_op square_conv(int in, int channels, int out, int filters, int kernel, int stride) {
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = op.in_w = in, op.in_c = channels, op.out_h = op.out_w = out, op.out_c = filters;
  op.kernel_h = op.kernel_w = kernel, op.stride_h = op.stride_w = stride, op.dilation_h = op.dilation_w = 1;
  return op;
}

/// Extents of the parts of a call.
struct Cut {
  int rows, columns, filters, depth;
};

/// What all parts take together.
inline std::int64_t cycles_of_cut(const LibraryTiming& library, const dse_op& op, const Cut& cut) {
  std::int64_t sum = 0;
  for (int y = 0; y < op.out_h; y += cut.rows)
    for (int x = 0; x < op.out_w; x += cut.columns)
      for (int c = 0; c < op.out_c; c += cut.filters)
        for (int k = 0; k < op.in_c; k += cut.depth) {
          auto part = program::whole_call(op);
          part.tile.y = {y, std::min(y + cut.rows, op.out_h)}, part.tile.x = {x, std::min(x + cut.columns, op.out_w)};
          part.tile.c = {c, std::min(c + cut.filters, op.out_c)}, part.tile.k = {k, std::min(k + cut.depth, op.in_c)};
          part.tile.flags = (k == 0 ? unsigned{DSE_FIRST} : 0u) | (k + cut.depth >= op.in_c ? unsigned{DSE_LAST} : 0u);
          sum += library.cycles(part);
        }
  return sum;
}

}  // namespace dse::hw::test
