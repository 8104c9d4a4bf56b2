// What the blocks of an Ethos-U do for one kernel of a command stream: block by block what is read, decoded,
// multiplied, scaled and written, parts of blocks at the edges as they are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/ethos_u/job.h"
#include "models/hw/ethos_u/stream/commands.h"

namespace dse::hw::ethos_u {

/// What goes over an AXI port: beats of its width.
struct Traffic {
  Area area = Area::sram;
  std::int64_t beats = 0;
};

/// One pass over inputs: a block of outputs over some input channels and a part of the kernel.
struct Step {
  Traffic ifm, ifm2;
  std::int64_t weight_bytes = 0, weight_values = 0;
  std::int64_t mac_cycles = 0;
  bool last = false;  // of its block
};

struct OutputBlock {
  std::int64_t output_cycles = 0;
  Traffic ofm;
};

struct Walk {
  std::vector<Step> steps;
  std::vector<OutputBlock> blocks;
  Area weights = Area::sram;
  int blockdep = 0;
  bool elementwise = false;
  int bits = 8;
  int input_buffers = 2, accumulator_sets = 2;  // blocks that are held
  int decoded_per_cycle = 8;                    // weights, of all cores
};

/// Kernels of more steps, or of a larger window, are refused: no network has them, a damaged stream may.
constexpr std::int64_t kMostSteps = 1 << 20;
constexpr int kMostRows = 256, kMostElements = 65536;

/// Steps of the walk.
std::int64_t step_count(const Job& job, const BlockConfig& block);

/// The job that registers describe. `why`: what is wrong with them, where something is.
std::optional<Job> job_of(const Npu& npu, const Registers& r, BlockConfig& block, std::string& why);

/// Its blocks, channels inside, rows outside.
Walk walk(const Npu& npu, const Registers& r, const Job& job, const BlockConfig& block);

/// Who moves what, as far as a U85 limits it.
enum class Mover { copies, inputs, operands, weights, outputs, commands };
/// Cycles that the NPU's side of a transfer takes, however wide the memory is: a beat each, of a U85 what its ports and
/// its buffers let through.
std::int64_t port_cycles(const Npu& npu, const Traffic& t, Mover mover, bool writes);

/// What of TRAVERSAL says how many of the weights are zero, in 256ths, for the decoder of a U85.
constexpr int kZerosShift = 8;
constexpr std::uint32_t kZerosWhole = 256;

Area area_of(const Npu& npu, Region r);

}  // namespace dse::hw::ethos_u
