#include "models/hw/shells/npu/npu_block.h"

#include <algorithm>

namespace dse::hw::npu {

void NpuState::clear() {
  kernels.clear(), steps.clear(), blocks.clear();
  fetched = decoding = decoded = multiplied = summed = scaled = written = 0;
  freed_at.clear();
  kernels_done = copies_asked = copies_done = 0;
  stopped = false, begin = end = 0;
  error.clear();
  pmu = {};
}

void NpuState::changed() {
  for (NpuBlock* b : all) b->look();
}

void NpuState::count(Kernel* kernel, const ethos_u::Traffic& t, bool writes) {
  if (t.beats == 0) return;
  const std::size_t port = t.area == ethos_u::Area::sram || t.area == ethos_u::Area::on_chip_flash ? 0 : 1;
  auto& axi = pmu.axi[port];
  (writes ? axi.written_beats : axi.read_beats) += t.beats;
  ++axi.transactions;
  if (kernel) (writes ? kernel->time.written_beats : kernel->time.read_beats)[port] += t.beats;
}

NpuBlock::NpuBlock(const sc_core::sc_module_name& name, NpuState& state, ethos_u::Part part)
    : sc_core::sc_module(name), state_(state), part_(part) {
  state_.all.push_back(this);
  SC_METHOD(act);
  sensitive << wake_;
  dont_initialize();
}

void NpuBlock::arm() {
  wake_.cancel();
  working_ = false;
  since_ = now();
  why_ = ethos_u::Wait::commands;
  reset();
}

void NpuBlock::charge() {
  const Tick at = now();
  state_.pmu.time[static_cast<std::size_t>(part_)][static_cast<std::size_t>(working_ ? does_ : why_)] += at - since_;
  since_ = at;
}

void NpuBlock::close() { charge(); }

void NpuBlock::work(Tick until, ethos_u::Wait as) {
  charge();
  working_ = true, until_ = until, does_ = as;
  wake_.notify(to_time(until - now()));
}

void NpuBlock::begin_moving() {
  charge();
  working_ = true, until_ = kNever, does_ = ethos_u::Wait::busy;
}

void NpuBlock::end_moving() {
  charge();
  working_ = false;
}

void NpuBlock::waits(ethos_u::Wait why) {
  if (why == why_) return;
  charge();
  why_ = why;
}

void NpuBlock::act() {
  state_.run.enter();
  if (state_.run.stopped || state_.end) return;
  if (working_) {
    if (until_ > now()) {
      if (until_ != kNever) wake_.notify(to_time(until_ - now()));
      return;
    }
    charge();
    working_ = false;
    finish();
  }
  if (!working_ && !state_.end) step();
}

MemoryPort::MemoryPort(const sc_core::sc_module_name& name, NpuState& state)
    : sc_core::sc_module(name), socket("socket"), state_(state) {
  socket.register_nb_transport_bw(this, &MemoryPort::answered);
}

void MemoryPort::begin(Tick asked, ethos_u::Mover mover, const ethos_u::Traffic& read, const ethos_u::Traffic& read2,
                       const ethos_u::Traffic& written) {
  busy_ = true;
  cost_.flow_count = 0;
  Tick latency = 0;
  std::int64_t cycles = 0;  // that the NPU's side takes, however wide the memory is
  const auto add = [&](const ethos_u::Traffic& t, bool writes) {
    if (t.beats == 0 || t.area == ethos_u::Area::shram) return;
    const auto& port = state_.npu.port(t.area);
    latency = std::max(latency, Tick{writes ? port.write_latency : port.read_latency} * state_.cycle);
    cycles = std::max(cycles, ethos_u::port_cycles(state_.npu, t, mover, writes));
    cost_.add_flow(state_.memory[static_cast<std::size_t>(t.area)], t.beats * state_.pmu.beat_bytes, writes);
  };
  add(read, false), add(read2, false), add(written, true);
  transfer_.cost = &cost_;
  const Tick now = state_.run.now(), at = std::max(now, asked + latency);
  transfer_.not_before = at + cycles * state_.cycle;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_time(at - now);
  socket->nb_transport_fw(transfer_.payload, phase, delay);
}

tlm::tlm_sync_enum MemoryPort::answered(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  busy_ = false;
  if (!state_.end) done();
  return tlm::TLM_COMPLETED;
}

}  // namespace dse::hw::npu
