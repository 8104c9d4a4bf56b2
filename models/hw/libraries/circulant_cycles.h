// Where block-circulant layers pay: what an engine takes for a layer densely, with blocks expanded, and through Fourier
// transforms.
#pragma once
#include <cstdint>

#include "models/hw/device.h"
#include "models/nn/kernels/dse_kernels.h"

namespace dse::hw {

struct CirculantCycles {
  std::int64_t dense = 0;
  std::int64_t time = 0;        // blocks are expanded on the fly: as many products, fewer bytes of weights
  std::int64_t frequency = -1;  // -1: no transforms of this length on this engine
  bool pays() const { return frequency >= 0 && frequency < dense; }
};

/// Of all outputs of a fully connected layer or convolution, dense or circulant, of any types, if it had blocks of
/// `block` (its spectra in int16): arithmetic alone, on an engine that computes. The call itself, in the domain that it
/// has, takes what is said here of that domain.
CirculantCycles circulant_cycles(const Device& device, const Engine& engine, const dse_op& layer, int block);

/// The same of one vector through a layer of in x out in int8.
CirculantCycles circulant_cycles(const Device& device, const Engine& engine, int in, int out, int block);

}  // namespace dse::hw
