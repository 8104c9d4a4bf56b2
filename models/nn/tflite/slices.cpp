// STRIDED_SLICE: begins, ends and strides per index, with masks, to those per dimension of the input.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "models/nn/graph/derivation.h"
#include "models/nn/tflite/reading.h"

namespace dse::nn {
namespace {

/// Far outside every extent, and sums of two of them do not overflow.
std::int64_t bounded(std::int64_t v) { return std::clamp(v, -(std::int64_t{1} << 32), std::int64_t{1} << 32); }

/// One index of the slice, as the file has it.
struct Index {
  std::int64_t begin, end, stride;
  bool whole_begin, whole_end, single, relative;
};

/// Appends the index as resolved for a dimension of `extent` elements. @returns false when it selects nothing.
bool resolve(const Index& i, std::int64_t extent, OperatorOptions& to) {
  if (extent < 1) return false;
  const bool forward = i.stride > 0;
  const std::int64_t lowest = forward ? 0 : -1, highest = forward ? extent : extent - 1;
  const auto placed = [&](std::int64_t v) { return std::clamp(v < 0 ? v + extent : v, lowest, highest); };
  const std::int64_t begin = i.whole_begin ? (forward ? 0 : extent - 1) : placed(bounded(i.begin));
  if (begin < 0 || begin >= extent) return false;
  std::int64_t end = bounded(i.end) + (i.relative ? begin : 0);
  // A longer step leaves the dimension just as well.
  std::int64_t stride = std::clamp(i.stride, -extent, extent);
  if (i.single)
    end = begin + 1, stride = 1;
  else if (i.whole_end)
    end = forward ? extent : -1;
  else
    end = placed(end);
  if (forward || i.single ? end <= begin : end >= begin) return false;
  const std::int64_t next = begin + stride;
  if (forward || i.single ? next >= end : next <= end) end = begin + 1, stride = 1;  // one element, one way to say so
  to.begin.push_back(begin), to.end.push_back(end), to.strides.push_back(stride);
  return true;
}

}  // namespace

bool resolve_strided_slice(const tflite::StridedSliceOptions* masks, const std::vector<std::int64_t>& shape,
                           const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end,
                           const std::vector<std::int64_t>& strides, Operator& op) {
  const auto fail = [&](const std::string& what) {
    op.unsupported = what;
    return false;
  };
  if (begin.size() > 2 * max_tflite_rank) return fail(fmt::format("slices {} dimensions", begin.size()));
  const auto mask = [&](auto field) { return masks ? static_cast<std::uint32_t>((masks->*field)()) : 0u; };
  using O = tflite::StridedSliceOptions;
  const std::uint32_t all = (1u << begin.size()) - 1, ellipsis = mask(&O::ellipsis_mask) & all,
                      added = mask(&O::new_axis_mask) & all & ~ellipsis,
                      single = mask(&O::shrink_axis_mask) & ~added & ~ellipsis;
  if (std::popcount(ellipsis) > 1) return fail("has two ellipses");
  const std::size_t named = begin.size() - static_cast<std::size_t>(std::popcount(ellipsis | added));
  if (named > shape.size()) return fail(fmt::format("slices {} of {} dimensions", named, shape.size()));
  OperatorOptions& to = op.options;
  const auto whole = [&] {
    const std::int64_t extent = shape[to.begin.size()];
    to.begin.push_back(0), to.end.push_back(extent), to.strides.push_back(1);
  };
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const std::uint32_t bit = 1u << i;
    if (added & bit) continue;  // the output tensor has the new axis in its shape
    if (ellipsis & bit) {
      for (std::size_t d = named; d < shape.size(); ++d) whole();
      continue;
    }
    const std::size_t d = to.begin.size();
    if (strides[i] == 0) return fail(fmt::format("stride {}", strides[i]));
    const Index index{begin[i],
                      end[i],
                      strides[i],
                      (mask(&O::begin_mask) & bit) != 0,
                      (mask(&O::end_mask) & bit) != 0,
                      (single & bit) != 0,
                      masks && masks->offset()};
    if (!resolve(index, shape[d], to))
      return fail(
          fmt::format("slice from {} to {} by {} of an extent of {} is empty", begin[i], end[i], strides[i], shape[d]));
  }
  while (to.begin.size() < shape.size()) whole();
  return true;
}

}  // namespace dse::nn
