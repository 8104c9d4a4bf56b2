// A network on an Ethos-U, from operators to streams that run: what commands, sweeps and tests share.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/npu/emulate/emulation.h"
#include "plan/npu/schedule/heuristics.h"
#include "plan/npu/stream/emit.h"
#include "sim/npu/npu_run.h"

namespace dse::explore::npu {

/// One schedule of a network, compiled.
struct Compiled {
  nn::NetworkPtr network;
  hw::ethos_u::Npu npu;
  std::shared_ptr<const plan::npu::Graph> graph;
  std::shared_ptr<plan::npu::Costs> costs;
  plan::npu::Schedule schedule;
  plan::npu::Places places;
  std::vector<plan::npu::Stream> streams;  // by segment
};

/// What a memory lacks for a schedule: the operation where it is fullest.
struct Shortfall {
  std::string operation;
  std::int64_t bytes = 0, limit = 0;  // needed, there
};

/// By the rule.
Compiled compile(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, plan::npu::Optimise optimise);
/// By the rule within so many bytes of SRAM; graph and coded weights are those of `like`.
Compiled within(const Compiled& like, std::int64_t arena_limit, plan::npu::Optimise optimise);
/// Places and streams of another schedule.
Compiled with_schedule(const Compiled& like, plan::npu::Schedule schedule);
/// Nothing: it fits into npu.arena_limit.
std::optional<Shortfall> shortfall(const Compiled& c);

/// Counters of all invocations, cycles summed up; kernels by operation.
struct Simulated {
  hw::ethos_u::PmuCounts pmu;
  std::vector<hw::ethos_u::KernelTime> operations;  // begin to end as a sum over its kernels; number: the operation
  std::vector<std::int64_t> invocations;            // active cycles of each
  std::string error;
};
Simulated simulate(const Compiled& c);

/// Runs streams and the CPU's operators on real bytes. @returns the network's outputs.
std::vector<std::vector<std::uint8_t>> emulate(const Compiled& c, const std::vector<std::vector<std::uint8_t>>& inputs,
                                               std::string& error);

/// The streams' outputs for a seeded input beside the interpreter's.
struct Comparison {
  std::string error;           // what the NPU stopped for
  std::vector<int> differing;  // outputs of the network, from 0
  bool equal() const { return error.empty() && differing.empty(); }
};
Comparison compare(const Compiled& c, std::uint64_t seed);

}  // namespace dse::explore::npu
