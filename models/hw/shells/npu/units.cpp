#include "models/hw/shells/npu/units.h"

#include <algorithm>

#include "base/units.h"

namespace dse::hw::npu {

using namespace ethos_u;

namespace {

constexpr int kWeightBuffers = 2, kOutputBuffers = 2;
constexpr int kBlocksInFlight = 3;  // of a kernel before, that the next one may run into

/// From the go-ahead of a kernel to its first request. Fitted, as the only constant here, to three runs of Arm's
/// hardware model on an Ethos-U55-128 by least relative squares: 21,372, 1,604,440 and 967,731 cycles with 37, 54 and
/// 29 kernels (docs/npu/model.md). The least is between 106 and 108, which they cannot tell apart.
constexpr std::int64_t kKernelCycles = 108;

}  // namespace

// --- input blocks

InputReader::InputReader(const sc_core::sc_module_name& name, NpuState& state)
    : NpuBlock(name, state, Part::input), port("inputs", state) {
  port.done = [this] {
    end_moving();
    ++state_.fetched;
    state_.changed();
    look();
  };
}

void InputReader::reset() {
  port.arm();
  set_up_ = -1;
}

/// The kernel before still writes what this one may read.
bool InputReader::blocked_by_kernel_before(const StepRef& s) const {
  if (s.kernel <= state_.kernels_done) return false;
  const Kernel& before = state_.kernels[static_cast<std::size_t>(s.kernel - 1)];
  const int left = before.first_block + before.blocks() - state_.written;
  const int number = s.block - state_.kernel_of(s).first_block;
  return s.kernel - 1 > state_.kernels_done || left > kBlocksInFlight || number >= state_.kernel_of(s).walk.blockdep;
}

void InputReader::step() {
  if (state_.fetched == static_cast<int>(state_.steps.size()))
    return waits(state_.stopped ? Wait::done : Wait::commands);
  const StepRef& s = state_.steps[static_cast<std::size_t>(state_.fetched)];
  if (blocked_by_kernel_before(s)) return waits(Wait::blockdep);
  const int held = state_.kernel_of(s).walk.input_buffers;
  if (state_.fetched - state_.freed() >= held) return waits(Wait::input_buffer);
  Kernel& k = state_.kernels[static_cast<std::size_t>(s.kernel)];
  Tick asked = now();
  if (set_up_ < s.kernel) {
    set_up_ = s.kernel;
    return work(now() + kKernelCycles * state_.cycle, Wait::setup);
  }
  if (k.time.begin < 0)
    k.time.begin = state_.cycles(now() - state_.begin);
  else if (state_.fetched >= held)
    asked = state_.freed_at[static_cast<std::size_t>(state_.fetched - held)];
  const Step& step = state_.step_of(s);
  state_.count(&k, step.ifm, false), state_.count(&k, step.ifm2, false);
  begin_moving();
  port.begin(asked, k.walk.elementwise ? Mover::operands : Mover::inputs, step.ifm, step.ifm2, Traffic{});
}

// --- weights

WeightDecoder::WeightDecoder(const sc_core::sc_module_name& name, NpuState& state)
    : NpuBlock(name, state, Part::weights), port("weights", state) {
  port.done = [this] {
    end_moving();
    const Step& step = state_.step_of(state_.steps[static_cast<std::size_t>(state_.decoded)]);
    const std::int64_t rate =
        state_.kernel_of(state_.steps[static_cast<std::size_t>(state_.decoded)]).walk.decoded_per_cycle;
    const Tick until = begun_ + ceil_div(step.weight_values, rate) * state_.cycle;
    if (until > now()) return work(until);
    finish();
    look();
  };
}

void WeightDecoder::reset() { port.arm(); }

void WeightDecoder::finish() {
  ++state_.decoded;
  state_.changed();
}

void WeightDecoder::step() {
  bool passed = false;
  while (state_.decoded < static_cast<int>(state_.steps.size()) &&
         state_.step_of(state_.steps[static_cast<std::size_t>(state_.decoded)]).weight_values == 0)
    ++state_.decoded, state_.decoding = state_.decoded, passed = true;
  if (passed) state_.changed();
  if (state_.decoded == static_cast<int>(state_.steps.size()))
    return waits(state_.stopped ? Wait::done : Wait::commands);
  if (state_.decoded - state_.multiplied >= kWeightBuffers) return waits(Wait::weights);
  const StepRef& s = state_.steps[static_cast<std::size_t>(state_.decoded)];
  Kernel& k = state_.kernels[static_cast<std::size_t>(s.kernel)];
  const Step& step = state_.step_of(s);
  const Traffic stream{k.walk.weights, ceil_div(step.weight_bytes, state_.pmu.beat_bytes)};
  begun_ = now();
  state_.decoding = state_.decoded + 1;
  begin_moving();
  state_.count(&k, stream, false);
  state_.changed();
  // The stream of a kernel comes without a gap; its first bytes take the memory's latency.
  const Tick latency = Tick{state_.npu.port(stream.area).read_latency} * state_.cycle;
  port.begin(s.step == 0 ? now() : now() - latency, Mover::weights, stream, Traffic{}, Traffic{});
}

// --- MAC unit

MacUnit::MacUnit(const sc_core::sc_module_name& name, NpuState& state) : NpuBlock(name, state, Part::macs) {}

void MacUnit::reset() { multiplied_ = false; }

void MacUnit::step() {
  if (state_.multiplied == static_cast<int>(state_.steps.size()))
    return waits(state_.stopped ? Wait::done : Wait::commands);
  const StepRef& s = state_.steps[static_cast<std::size_t>(state_.multiplied)];
  if (multiplied_) {
    if (state_.decoded <= state_.multiplied) return waits(Wait::weights);
    return finish();
  }
  if (state_.fetched <= state_.multiplied) return waits(Wait::input);
  const ethos_u::Walk& walk = state_.kernel_of(s).walk;
  if (walk.elementwise) {
    multiplied_ = true;
    return finish();
  }
  if (s.block - state_.scaled >= walk.accumulator_sets) return waits(Wait::accumulators);
  if (state_.decoding <= state_.multiplied) return waits(Wait::weights);
  const std::int64_t cycles = state_.step_of(s).mac_cycles;
  (walk.bits == 16 ? state_.pmu.mac_active_16 : state_.pmu.mac_active_8) += cycles;
  state_.kernels[static_cast<std::size_t>(s.kernel)].time.mac_busy += cycles;
  multiplied_ = true;
  work(now() + std::max<std::int64_t>(1, cycles) * state_.cycle);
}

void MacUnit::finish() {
  if (state_.decoded <= state_.multiplied) return waits(Wait::weights);
  const StepRef s = state_.steps[static_cast<std::size_t>(state_.multiplied)];
  multiplied_ = false;
  ++state_.multiplied;
  if (!state_.kernel_of(s).walk.elementwise) state_.free_input();
  if (state_.step_of(s).last) ++state_.summed;
  state_.changed();
  look();
}

// --- output unit

OutputUnit::OutputUnit(const sc_core::sc_module_name& name, NpuState& state) : NpuBlock(name, state, Part::output) {}

void OutputUnit::step() {
  if (state_.scaled == static_cast<int>(state_.blocks.size()))
    return waits(state_.stopped ? Wait::done : Wait::commands);
  if (state_.summed <= state_.scaled) return waits(Wait::accumulators);
  if (state_.scaled - state_.written >= kOutputBuffers) return waits(Wait::output_buffer);
  const auto& [kernel, block] = state_.blocks[static_cast<std::size_t>(state_.scaled)];
  Kernel& k = state_.kernels[static_cast<std::size_t>(kernel)];
  const auto& made = k.walk.blocks[static_cast<std::size_t>(block)];
  k.time.output_busy += made.output_cycles;
  work(now() + std::max<std::int64_t>(1, made.output_cycles) * state_.cycle);
}

void OutputUnit::finish() {
  if (state_.kernels[static_cast<std::size_t>(state_.blocks[static_cast<std::size_t>(state_.scaled)].first)]
          .walk.elementwise)
    state_.free_input();
  ++state_.scaled;
  state_.changed();
}

// --- output blocks

OutputWriter::OutputWriter(const sc_core::sc_module_name& name, NpuState& state)
    : NpuBlock(name, state, Part::store), port("outputs", state) {
  port.done = [this] {
    end_moving();
    const int kernel = state_.blocks[static_cast<std::size_t>(state_.written)].first;
    Kernel& k = state_.kernels[static_cast<std::size_t>(kernel)];
    ++state_.written;
    if (state_.written == k.first_block + k.blocks()) {
      k.time.end = state_.cycles(now() - state_.begin);
      ++state_.kernels_done;
      if (state_.bytes && !state_.bytes->kernel(k.registers, k.time.number))
        state_.error = "a kernel leaves its region", state_.stopped = true;
    }
    state_.changed();
    look();
  };
}

void OutputWriter::reset() { port.arm(); }

void OutputWriter::step() {
  if (state_.written == static_cast<int>(state_.blocks.size()))
    return waits(state_.stopped ? Wait::done : Wait::commands);
  if (state_.scaled <= state_.written) return waits(Wait::output_buffer);
  const auto& [kernel, block] = state_.blocks[static_cast<std::size_t>(state_.written)];
  Kernel& k = state_.kernels[static_cast<std::size_t>(kernel)];
  const Traffic& t = k.walk.blocks[static_cast<std::size_t>(block)].ofm;
  begin_moving();
  state_.count(&k, t, true);
  port.begin(now(), Mover::outputs, Traffic{}, Traffic{}, t);
}

}  // namespace dse::hw::npu
