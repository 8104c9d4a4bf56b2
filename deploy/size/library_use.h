// How much of a program a kernel library computes.
#pragma once
#include <cstdint>
#include <map>

#include "models/nn/network.h"
#include "program/program.h"

namespace dse::deploy {

struct LibraryUse {
  struct Calls {
    std::int64_t all = 0, taken = 0;  // calls of kernels; those that the library takes
  };
  Calls calls, macs;            // macs: multiply-accumulates
  std::map<int, Calls> layers;  // calls, by operator of the network
  std::int64_t memory = 0;      // bytes that the library needs beside operands, of the call that needs most
};

/// What a package has in RAM for so much of it: the count of its calls besides.
inline std::int64_t cmsis_ram(std::int64_t memory) { return memory + static_cast<std::int64_t>(sizeof(std::uint32_t)); }

/// Of CMSIS-NN (dse_cmsis_nn.h). `memory` is never 0, as C99 knows no empty array.
LibraryUse cmsis_use(const program::Program& program);
/// Bytes that a package of this network has for it: what its operators need at most, however a plan cuts them. So it is
/// known before there is a plan, and all points of a front have as much.
std::int64_t cmsis_memory(const nn::Network& network);

}  // namespace dse::deploy
