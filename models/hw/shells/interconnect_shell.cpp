#include "models/hw/shells/interconnect_shell.h"

#include <string>

namespace dse::hw {

InterconnectShell::InterconnectShell(const sc_core::sc_module_name& name, RunState& state)
    : sc_core::sc_module(name), state_(state) {
  for (int q = 0; q < kMaxInitiators; ++q) {
    auto& s = engines[static_cast<std::size_t>(q)];
    s = std::make_unique<TargetSocket>(("engine" + std::to_string(q)).c_str());
    s->register_nb_transport_fw(this, &InterconnectShell::request, q);
    s->register_b_transport(this, &InterconnectShell::transport, q);
  }
  for (int m = 0; m < kMaxMemories; ++m)
    memories[static_cast<std::size_t>(m)] = std::make_unique<InitiatorSocket>(("memory" + std::to_string(m)).c_str());
  SC_METHOD(serve);
  sensitive << next_end_;
  dont_initialize();
}

void InterconnectShell::arm() {
  next_end_.cancel();
  scheduled_ = kNever;
  arbiter_.reset();
}

tlm::tlm_sync_enum InterconnectShell::request(int queue, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  const auto* transfer = payload.get_extension<Transfer>();
  const Tick now = state_.now();
  transfers_[static_cast<std::size_t>(queue)] = &payload;
  arbiter_.begin(queue, now, now + static_cast<Tick>(delay.value()), transfer->not_before, *transfer->cost);
  schedule();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

/// One timed notification is pending at a time: for the earliest end. While ends are served it is left to serve().
void InterconnectShell::schedule() {
  if (serving_) return;
  const Tick next = arbiter_.next();
  if (next == scheduled_) return;
  if (scheduled_ != kNever) next_end_.cancel();
  scheduled_ = next;
  if (next != kNever) next_end_.notify(to_time(next - state_.now()));
}

void InterconnectShell::serve() {
  state_.enter();
  scheduled_ = kNever;
  serving_ = true;
  const Tick now = state_.now();
  while (std::uint32_t ended = arbiter_.complete(now))
    for (; ended; ended &= ended - 1) {
      const auto queue = static_cast<std::size_t>(__builtin_ctz(ended));
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      (*engines[queue])->nb_transport_bw(*transfers_[queue], phase, delay);
    }
  serving_ = false;
  schedule();
}

void InterconnectShell::transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto address = payload.get_address();
  const auto memory = static_cast<std::size_t>(address >> kWindowBits);
  if (memory >= memories.size()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address & ((sc_dt::uint64{1} << kWindowBits) - 1));
  (*memories[memory])->b_transport(payload, delay);
  payload.set_address(address);
}

}  // namespace dse::hw
