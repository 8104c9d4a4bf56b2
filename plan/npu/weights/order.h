// The order in which the MAC unit of an Ethos-U takes weights. Places beside the kernel and the channels are weights of
// zero: they are multiplied, and coded. Source: the stream that Vela 3.10 writes (ethosu/mlw_codec).
#pragma once
#include <cstdint>
#include <vector>

#include "plan/npu/graph.h"

namespace dse::plan::npu {

/// Which of the output channels, and how they are walked.
struct WeightWalk {
  int first = 0, count = 0;  // output channels, of all cores
  int core = 0, cores = 1;   // those with this remainder go to this core
  int block_depth = 16;      // output channels of a block, on this core
  int ifm_ublock = 8, ofm_ublock = 8;
  bool part_kernel = false;
};

/// The weights in the order of the walk.
std::vector<std::int16_t> in_order(const Weights& w, const WeightWalk& walk);

}  // namespace dse::plan::npu
