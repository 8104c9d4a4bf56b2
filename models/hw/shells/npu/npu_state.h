// What the blocks of one simulated Ethos-U share during a run: the kernels under way, how far each block is, and the
// counters.
#pragma once
#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/hw/ethos_u/pmu.h"
#include "models/hw/ethos_u/stream/stream_bytes.h"
#include "models/hw/ethos_u/stream/walk.h"
#include "models/hw/shells/run_state.h"

namespace dse::hw::npu {

using ethos_u::StreamBytes;

struct Kernel {
  ethos_u::Walk walk;
  ethos_u::Registers registers;
  ethos_u::KernelTime time;
  int first_step = 0, first_block = 0;
  int blocks() const { return static_cast<int>(walk.blocks.size()); }
};

struct StepRef {
  int kernel, step, block;  // block: of all
};

class NpuBlock;

struct NpuState {
  RunState& run;
  ethos_u::Npu npu;
  std::array<int, ethos_u::kAreas> memory{};  // of the device, by area; -1: none
  Tick cycle = 1;                             // ticks
  std::span<const std::uint32_t> words;
  StreamBytes* bytes = nullptr;

  std::vector<Kernel> kernels;
  std::vector<StepRef> steps;               // of all kernels, as accepted
  std::vector<std::pair<int, int>> blocks;  // kernel, block in it
  int fetched = 0, decoding = 0, decoded = 0, multiplied = 0, summed = 0, scaled = 0, written = 0;  // steps and blocks
  std::vector<Tick> freed_at;  // of steps whose input buffers are free again
  int freed() const { return static_cast<int>(freed_at.size()); }
  int kernels_done = 0, copies_asked = 0, copies_done = 0;
  bool stopped = false;  // at STOP, or for an error
  Tick begin = 0, end = 0;
  std::string error;  // what the status register says
  ethos_u::PmuCounts pmu;
  std::vector<NpuBlock*> all;

  explicit NpuState(RunState& r) : run(r) {}
  std::function<void()> on_end;  // called when `end` is known
  void ends() {
    end = std::max<Tick>(run.now(), begin + 1);
    if (on_end) on_end();
  }
  void clear();
  void free_input() { freed_at.push_back(run.now()); }
  void changed();  // somebody got further: all look again
  const Kernel& kernel_of(const StepRef& s) const { return kernels[static_cast<std::size_t>(s.kernel)]; }
  const ethos_u::Step& step_of(const StepRef& s) const {
    return kernel_of(s).walk.steps[static_cast<std::size_t>(s.step)];
  }
  std::int64_t cycles(Tick t) const { return t / cycle; }
  void count(Kernel* kernel, const ethos_u::Traffic& t, bool writes);
};

}  // namespace dse::hw::npu
