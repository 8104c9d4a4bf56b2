// A convolution's tile as kernels see it: pixels, output channels, and the window under each.
#pragma once
#include <algorithm>
#include <cstdint>

#include "models/hw/libraries/library_timing.h"
#include "program/view.h"

namespace dse::hw {

struct Windows {
  std::int64_t pixels = 0, channels = 0;  // outputs are pixels x channels
  std::int64_t taps = 1;                  // of the window
  std::int64_t depth = 0;                 // products per output: taps x input channels of a group
  std::int64_t groups = 1;                // of a convolution, that the output channels are of
  std::int64_t overlap = 1;               // outputs in whose window a value of the input is, rounded up
  std::int64_t rows = 1;                  // of the input under a window
  std::int64_t input_rows = 1;
  bool direct = false;  // is_direct(): the input is its own column

  /// The input's bytes are read once per window that they are under; between two such readings lie the rows of one.
  Readings under_taps(std::int64_t bytes) const { return {overlap, bytes * std::min(rows, input_rows) / input_rows}; }
};

Windows windows_of(const program::CallWork& work);
/// As CMSIS-NN goes about them: of 16 bits it makes columns of 1x1 convolutions as well.
Windows cmsis_windows_of(const program::CallWork& work);

/// Of all windows over these outputs: the taps that are inside the image, for kernels that skip the others.
std::int64_t taps_inside(const program::CallWork& work);
/// The same of as many rows and columns of outputs, wherever they are: where there are fewest.
std::int64_t fewest_taps_inside(const program::CallWork& work);

/// 1x1 with stride 1.
bool is_direct(const dse_op& op);

/// Weights, and what requantises: the bytes that a call reads of them.
std::int64_t constant_bytes(const program::CallWork& work);

/// How the loops of a library read an operand, where libraries differ.
struct LoopReadings {
  Readings conv_constants, direct_input, depthwise_constants, dense_input;
};

/// Of operand `i` of a convolution, a depthwise one, an average pool or a fully connected layer: where
/// libraries do not differ, an input is read once per window that a value is under, weights of a fully connected layer
/// once. Nothing is told of others.
Readings readings_of(const program::CallWork& work, int i, const Windows& windows, const LoopReadings& loops);

}  // namespace dse::hw
