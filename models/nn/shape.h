// Arithmetic on shapes: extents per dimension, outermost first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dse::nn {

/// "[1, 2, 3]"
std::string text_of(const std::vector<std::int64_t>& shape);
/// Row-major strides in elements.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape);
/// Extents of the dimensions from `first` to before `last` multiplied; those behind the last dimension count as 1.
std::int64_t product_of(const std::vector<std::int64_t>& shape, std::size_t first, std::size_t last);

/// NumPy's broadcasting stretches `from` to `to`.
bool broadcasts(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);
/// Row-major strides of `from`, in elements, in the dimensions of `to`: 0 where it is stretched or lacks a dimension.
std::vector<std::int64_t> broadcast_strides(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);

}  // namespace dse::nn
