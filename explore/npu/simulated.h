// Schedules of an Ethos-U on the simulated one: counters, and real bytes.
#pragma once
#include <string>
#include <vector>

#include "plan/npu/emulate/emulation.h"
#include "plan/npu/program/compiled.h"
#include "sim/npu/npu_run.h"

namespace dse::explore::npu {

using plan::npu::Compiled, plan::npu::compile, plan::npu::shortfall, plan::npu::Shortfall, plan::npu::with_schedule,
    plan::npu::within;

/// Counters of all invocations, cycles summed up; kernels by operation.
struct Simulated {
  hw::ethos_u::PmuCounts pmu;
  std::vector<hw::ethos_u::KernelTime> operations;  // begin to end as a sum over its kernels; number: the operation
  std::vector<std::int64_t> invocations;            // active cycles of each
  std::string error;
};
Simulated simulate(const Compiled& c);

/// Runs of a network that remembers, one after the other, so that what one leaves is read by the next.
constexpr std::uint64_t kSteps = 4;

/// The outputs of streams and of the CPU's operators, on real bytes, beside the interpreter's: for a seeded input, or
/// for kSteps of them where the network has variables.
struct Comparison {
  std::string error;           // what the NPU stopped for
  std::vector<int> differing;  // outputs of the network, from 0
  bool equal() const { return error.empty() && differing.empty(); }
};
Comparison compare(const Compiled& c, std::uint64_t seed);

}  // namespace dse::explore::npu
