// Elements picked by indices that are known when a file is read, by operators that only move values.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Makes `op` the last of the operators that take `indices` (within the extent) along `axis` from tensor `from`, and
/// appends those before it: a slice where the indices are evenly spaced; reshape, transpose, reshape where they deal
/// the channels of groups out in turn; up to 16 slices end to end otherwise. @param scalar the axis disappears (one
/// index). @param fresh_name names tensors in between.
/// @returns false, with `op` and `n` untouched, where that takes more slices.
bool gather_by_moves(Network& n, Operator& op, int from, std::size_t axis, const std::vector<std::int64_t>& indices,
                     bool scalar, const std::function<std::string()>& fresh_name);

/// Makes `op` lay its first input end to end along `axis`. @returns false, with `op` untouched, for fewer copies than 1
/// or more than 64.
bool repeat_by_moves(Operator& op, std::size_t axis, std::int64_t copies);

/// Contents of a constant of `in` repeated to `out`, which has as many dimensions: element i of a dimension is element
/// i modulo the extent of `in`. @param size bytes of an element.
std::vector<std::uint8_t> repeated(const std::vector<std::uint8_t>& data, const std::vector<std::int64_t>& in,
                                   const std::vector<std::int64_t>& out, std::int64_t size);

}  // namespace dse::nn
