// Shapes of what operators make, from the shapes of what they read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Output shapes of `op`, one per output, from the shapes of its inputs and its options, in either layout
/// (`options.channels_first`). Checks everything of shapes and options that an evaluator of the operator relies on:
/// ranks, extents, axes, windows, broadcasting; no product of extents of an accepted operator overflows
/// (max_elements). Types, quantisation and wiring are not looked at, beyond that every index must be a tensor.
///
/// Layouts of weights: convolution OIHW / OHWI (channels first / last), depthwise O1HW / 1HWO, transposed convolution
/// I(O/groups)HW / OHWI, fully connected [out, in].
///
/// Kinds whose result the shapes and options leave open take it from the output tensor (empty = not known yet):
/// reshape (must be known), transpose_conv and resize_* (must be known; checked against the window or the ranks),
/// fully_connected ([rows, out] unless known), slices (dimensions of extent 1 may be left out).
/// Reductions reduce exactly `axes`; squeeze's axes are the input's, expand_dims's axes are the output's.
/// @returns false with the reason in `why`, one clause without a full stop.
bool infer_shapes(const Network& n, const Operator& op, std::vector<std::vector<std::int64_t>>& out, std::string& why);

/// Output extent of a window of `kernel` elements, `dilation` apart, moved in steps of `stride` over `in` elements and
/// the padding before and after them; 0 if it fits nowhere. `ceil_mode`: a last partial window counts if it starts
/// inside the image or the padding before it. All arguments below 2^31.
std::int64_t window_extent(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                           std::int64_t pad_before, std::int64_t pad_after, bool ceil_mode);

/// Numpy's broadcasting of two shapes. @returns false if they do not fit.
bool broadcast_shapes(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                      std::vector<std::int64_t>& out);

}  // namespace dse::nn
