// How much of a program a kernel library computes.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

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

/// Of CMSIS-NN (dse_cmsis_nn.h).
LibraryUse cmsis_use(const program::Program& program);
/// Bytes that a package of these programs has for it; never 0.
std::int64_t cmsis_memory(const std::vector<const program::Program*>& points);
/// With the count of its calls.
inline std::int64_t cmsis_ram(const std::vector<const program::Program*>& points) {
  return cmsis_memory(points) + static_cast<std::int64_t>(sizeof(std::uint32_t));
}

}  // namespace dse::deploy
