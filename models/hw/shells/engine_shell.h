// One in-order queue of an engine: a channel of a DMA, a MAC array or a CPU. What tells them apart is their timing
// class; as a block each takes commands into a FIFO, starts its head when what it depends on is complete, transfers,
// and reports.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <systemc>

#include "models/hw/shells/run_state.h"
#include "models/hw/shells/transaction.h"

namespace dse::hw {

class EngineShell;

/// Real bytes, when a run has them: called at the start and end of every task; they return the delay that memories
/// annotated. A failure stops the run (RunState::stopped).
class TaskBytes {
 public:
  virtual ~TaskBytes() = default;
  virtual Tick start(const Command& command, EngineShell& engine) = 0;
  virtual Tick finish(const Command& command, EngineShell& engine) = 0;
};

/// An NPU: runs a command stream from the run's current time on, and answers when it has ended, at which tick.
class StreamRunner {
 public:
  virtual ~StreamRunner() = default;
  virtual void run(const Command& command, std::function<void(Tick)> ended) = 0;
};

class EngineShell : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<EngineShell> commands;
  tlm_utils::simple_initiator_socket<EngineShell> memories;
  static constexpr int kMaxDepth = 256;

  EngineShell(const sc_core::sc_module_name& name, int queue, RunState& state,
              std::array<EngineShell*, kMaxQueues>& peers);
  /// `depth`: commands that wait in the FIFO beside the running one, 1..kMaxDepth. `bytes` null = timing only.
  void arm(int depth, TaskBytes* bytes);
  /// Of an NPU's queue; null: it runs no streams.
  void set_streams(StreamRunner* streams) { streams_ = streams; }
  int queue() const { return queue_; }
  const Command* running() const { return running_; }
  /// The command at the head of the FIFO; null = none.
  const Command* head() const { return count_ > 0 ? fifo_[static_cast<std::size_t>(first_)] : nullptr; }
  int waiting() const { return count_; }
  /// Something that the head may wait for is complete. Starting it here and now, instead of a delta cycle later,
  /// changes no tick: whatever else ends in this tick has left the ports already.
  void wake() {
    if (!running_) try_start();
  }
  /// Moves bytes through the interconnect; adds the target's annotated delay. @returns the target's answer.
  tlm::tlm_response_status transport(tlm::tlm_command command, int memory, std::int64_t address, unsigned char* data,
                                     std::int64_t length, Tick& delay);

 private:
  SC_HAS_PROCESS(EngineShell);
  tlm::tlm_sync_enum accept(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum transferred(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void act();
  void try_start();
  void begin(Command& command, Tick at, Tick extra);
  void end_at(Tick at);
  void finish();

  const int queue_;
  RunState& state_;
  std::array<EngineShell*, kMaxQueues>& peers_;
  TaskBytes* bytes_ = nullptr;
  StreamRunner* streams_ = nullptr;
  Tick stream_at_ = kNever;  // the stream that is running begins then
  std::array<Command*, kMaxDepth + 1> fifo_{};
  int first_ = 0, count_ = 0, depth_ = 1;
  bool refused_ = false;  // END_REQ is owed to control
  Command* running_ = nullptr;
  Tick finish_at_ = kNever;  // the last bytes are still being written (delay annotated by a memory)
  int last_kernel_ = 0;
  std::int32_t last_section_ = -1;
  Transfer transfer_;
  sc_core::sc_event wake_;
};

}  // namespace dse::hw
