// What all blocks of the NPU are: a module that looks what it can do whenever another got further or its own time is
// over, and keeps account of what it waits for.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

#include "models/hw/shells/npu/npu_state.h"
#include "models/hw/shells/transaction.h"

namespace dse::hw::npu {

class NpuBlock : public sc_core::sc_module {
 public:
  NpuBlock(const sc_core::sc_module_name& name, NpuState& state, ethos_u::Part part);
  void arm();
  /// Another block got further.
  void look() {
    if (!working_) wake_.notify(sc_core::SC_ZERO_TIME);
  }
  void close();  // the run has ended: the account is complete

 protected:
  SC_HAS_PROCESS(NpuBlock);
  /// Begins what can begin. Calls work() or waits().
  virtual void step() = 0;
  /// The work that was begun is over.
  virtual void finish() = 0;
  virtual void reset() = 0;
  /// Until then it does what `as` says.
  void work(Tick until, ethos_u::Wait as = ethos_u::Wait::busy);
  /// Busy until a port has moved what it was asked to: moved() then.
  void begin_moving();
  void end_moving();
  void waits(ethos_u::Wait why);
  Tick now() const { return state_.run.now(); }
  bool working() const { return working_; }

  NpuState& state_;

 private:
  void act();
  void charge();

  ethos_u::Part part_;
  sc_core::sc_event wake_;
  bool working_ = false;
  Tick until_ = 0, since_ = 0;
  ethos_u::Wait why_ = ethos_u::Wait::commands, does_ = ethos_u::Wait::busy;
};

/// An initiator on the interconnect with one transfer at a time; the next one's latency passes while it moves.
class MemoryPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<MemoryPort> socket;
  MemoryPort(const sc_core::sc_module_name& name, NpuState& state);
  void arm() { busy_ = false; }
  bool busy() const { return busy_; }
  /// `asked`: when it could have been asked for, so that the latency runs from there. Traffic without beats is none.
  void begin(Tick asked, ethos_u::Mover mover, const ethos_u::Traffic& read, const ethos_u::Traffic& read2,
             const ethos_u::Traffic& written);
  std::function<void()> done;

 private:
  tlm::tlm_sync_enum answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  NpuState& state_;
  bool busy_ = false;
  Transfer transfer_;
  program::TaskCost cost_;
};

}  // namespace dse::hw::npu
