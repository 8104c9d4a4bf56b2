// What Arm's compiler estimates for a job: the arithmetic of Vela 3.10 (ethosu/vela/npu_performance.py), step by step,
// so that a difference from it is a finding. An estimate: the blocks of this folder that SystemC runs are the model.
#pragma once
#include <cstdint>

#include "models/hw/ethos_u/job.h"

namespace dse::hw::ethos_u {

struct Estimate {
  std::int64_t cycles = 0;  // of the NPU
  std::int64_t macs = 0;
};

/// Of the outputs that `job` names: shapes are those of the part that is looked at.
Estimate estimate(const Npu& npu, const Job& job, const BlockConfig& block);

/// Elements that a job moves; the users know their bits.
struct Accesses {
  std::int64_t ifm = 0, ifm2 = 0, ofm = 0;
  std::int64_t weights = 0, scales = 0;  // weights uncompressed, as often as blocks of rows and columns need them
};
Accesses accesses(const Job& job, const BlockConfig& block);

/// `bytes` of a map, weighed with what bursts of its format and block waste of the memory's.
double with_bursts(const Npu& npu, const Map& map, const Block& block, bool reads, double bytes);

/// Cycles that the DMA takes for so many bytes.
double transfer_cycles(const Npu& npu, Area from, Area to, std::int64_t bytes);

}  // namespace dse::hw::ethos_u
