#include "models/hw/shells/npu/npu_shell.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "models/hw/ethos_u/stream/stream_work.h"

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

void NpuShell::run(const Command& command, std::function<void(Tick)> ended) {
  ensure(npu_ != nullptr, "a stream on a device without an NPU");
  words_ = ethos_u::words_of(program::stream_of(*command.instance.task)->commands);
  StreamRun stream{.npu = npu_->npu, .memory = {}, .cycle = cycle_, .words = words_, .bytes = nullptr};
  for (int a = 0; a < ethos_u::kAreas; ++a)
    stream.memory[static_cast<std::size_t>(a)] = npu_->memory_of(static_cast<ethos_u::Area>(a));
  start(stream);
  state_.on_end = [this, &command, ended = std::move(ended)] {
    const auto answer = ended;  // the next stream may replace it
    log(command);
    answer(state_.end);
  };
}

void NpuShell::log(const Command& command) {
  RunState& run = state_.run;
  if (!state_.error.empty() && run.refused.empty()) run.refused = state_.error, run.stopped = true;
  const auto first = static_cast<std::ptrdiff_t>(run.log.parts.size());
  for (const Kernel& k : state_.kernels)
    if (k.time.end > 0)
      run.log.parts.push_back({command.entry, k.time.number, state_.begin + k.time.end * cycle_,
                               std::max(k.time.mac_busy, k.time.output_busy) * cycle_});
  std::stable_sort(run.log.parts.begin() + first, run.log.parts.end(),
                   [](const StreamPart& a, const StreamPart& b) { return a.end < b.end; });
}

void NpuShell::start(const StreamRun& stream) {
  state_.clear();
  state_.on_end = nullptr;
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
