// The processor that walks programs. Temporally decoupled: it runs ahead of simulation time (its local time is
// annotated to every command) until it must know what others did: at a full queue, at a Wait, or at a task on the CPU
// that it shares. This is exact, because nothing that happens meanwhile could change what it does before such a point.
//
// Cost: `issue` per task, paid before the command enters its queue; `wait` per Wait, paid after what it waits for is
// complete. Jobs run one after the other in list order, each from a quiescent device, not before its release.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "models/hw/shells/run_state.h"
#include "models/hw/shells/transaction.h"

namespace dse::hw {

/// A job as control sees it.
struct ControlJob {
  const program::Program* program = nullptr;
  int first_section = 0, last_section = -1;
  Tick release = 0;
  const program::CostModel* costs = nullptr;
  std::array<int, kMaxQueues> queue{};  // program queue -> queue of the platform
  int section_origin = 0;               // number of the job's section 0 among all jobs
};

class ControlShell : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_initiator_socket_tagged<ControlShell>;
  std::array<std::unique_ptr<Socket>, kMaxQueues> engines;

  ControlShell(const sc_core::sc_module_name& name, RunState& state);
  struct Costs {
    Tick issue = 0, wait = 0;
  };
  /// `own_queues`: those that control waits for after each task: of the CPU that it runs on, and of blocking engines,
  /// as a bit mask. `jobs` must outlive the run.
  void arm(const std::vector<ControlJob>& jobs, Costs costs, std::uint32_t own_queues);
  bool done() const { return job_ == jobs_->size() && outstanding_ == 0; }
  /// Tick at which control is done and everything issued is complete.
  Tick finished() const { return finished_; }
  /// The command that cannot be issued yet, or the Wait; null = none.
  const Command* blocked() const { return current_; }
  std::size_t job() const { return job_; }
  /// Called before the first task of each job.
  struct JobHook {
    virtual ~JobHook() = default;
    virtual void job_starts(std::size_t job) = 0;
    virtual void job_ends(std::size_t job) = 0;
  };
  void set_hook(JobHook* hook) { hook_ = hook; }

 private:
  SC_HAS_PROCESS(ControlShell);
  enum class Block { none, queue, wait, own_cpu, quiescence };
  tlm::tlm_sync_enum answer(int queue, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  void act();
  void run();
  bool open_job();
  bool fetch();
  void log_issue(Command& c);
  bool pass_wait();
  bool send();
  Command* acquire();

  RunState& state_;
  const std::vector<ControlJob>* jobs_ = nullptr;
  JobHook* hook_ = nullptr;
  Costs costs_;
  std::uint32_t own_queues_ = 0, full_ = 0;
  std::size_t job_ = 0;
  bool job_open_ = false;
  std::optional<program::Walker> walker_;
  Command* current_ = nullptr;  // fetched, not issued
  bool paid_ = false;           // its issue cost
  Block block_ = Block::none;
  int blocked_queue_ = 0;
  Tick local_ = 0, blocked_since_ = 0, finished_ = 0;
  std::int64_t outstanding_ = 0;
  std::deque<Command> commands_;
  std::vector<Command*> free_;
  sc_core::sc_event wake_;
};

}  // namespace dse::hw
