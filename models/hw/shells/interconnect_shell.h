// The interconnect with its arbiter: engines' transfers share the memories' ports; bytes are routed by address.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <memory>
#include <systemc>

#include "models/hw/ports/arbiter.h"
#include "models/hw/shells/run_state.h"
#include "models/hw/shells/transaction.h"

namespace dse::hw {

class InterconnectShell : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::simple_target_socket_tagged<InterconnectShell>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<InterconnectShell>;
  std::array<std::unique_ptr<TargetSocket>, kMaxInitiators> engines;
  std::array<std::unique_ptr<InitiatorSocket>, kMaxMemories> memories;

  InterconnectShell(const sc_core::sc_module_name& name, RunState& state);
  void configure(const DeviceTiming& timing) { arbiter_.configure(timing); }
  /// Forgets what is in flight.
  void arm();

 private:
  SC_HAS_PROCESS(InterconnectShell);
  tlm::tlm_sync_enum request(int queue, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void transport(int queue, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void serve();
  void schedule();

  RunState& state_;
  Arbiter arbiter_;
  std::array<tlm::tlm_generic_payload*, kMaxInitiators> transfers_{};  // open ones
  sc_core::sc_event next_end_;
  Tick scheduled_ = kNever;
  bool serving_ = false;
};

}  // namespace dse::hw
