#include "models/hw/shells/npu/npu_shell.h"

namespace dse::hw::npu {

NpuShell::NpuShell(RunState& run, InterconnectShell& interconnect, int first_queue)
    : state_(run),
      control_("npu_control", state_),
      dma_("npu_dma", state_),
      inputs_("npu_inputs", state_),
      weights_("npu_weights", state_),
      macs_("npu_macs", state_),
      outputs_("npu_outputs", state_),
      writer_("npu_writer", state_) {
  // Where a memory has two ports, reads go over one and writes over the other.
  MemoryPort* const ports[] = {&inputs_.port, &writer_.port, &weights_.port, &dma_.port, &control_.port};
  static_assert(std::size(ports) == kNpuPorts);
  for (std::size_t i = 0; i < kNpuPorts; ++i)
    ports[i]->socket.bind(*interconnect.engines[static_cast<std::size_t>(first_queue) + i]);
  control_.ask_copy = [this](const ethos_u::Registers& r, Tick at) { dma_.ask(r, at); };
}

void NpuShell::start(const StreamRun& stream) {
  state_.clear();
  state_.npu = stream.npu, state_.memory = stream.memory, state_.cycle = stream.cycle, state_.words = stream.words,
  state_.bytes = stream.bytes;
  state_.begin = state_.run.now();
  state_.pmu.beat_bytes = stream.npu.acc().axi_bits / 8;
  for (NpuBlock* b : state_.all) b->arm();
  state_.changed();
}

void NpuShell::close() {
  for (NpuBlock* b : state_.all) b->close();
  auto& pmu = state_.pmu;
  pmu.active = state_.cycles(state_.end - state_.begin);
  for (auto& part : pmu.time)
    for (auto& t : part) t = state_.cycles(t);
}

}  // namespace dse::hw::npu
