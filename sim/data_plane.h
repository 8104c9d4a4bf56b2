// Real bytes for a run. At its start a task's sources are fetched through the sockets and its destination is poisoned;
// at its end the sources are fetched again and compared, the kernel runs on an image that holds poison wherever it may
// not look, and the results are written through the sockets. So a missing dependency, a wrong offset or an early reuse
// shows, whatever the timing.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "models/hw/shells/engine_shell.h"
#include "sim/measurement.h"
#include "sim/run_options.h"
#include "sim/topology.h"

namespace dse::sim {

/// "copy #12, tile 3 of conv2 on cluster_dma".
std::string describe(const program::Program& program, const program::TaskInstance& task, int program_queue);

class DataPlane final : public hw::TaskBytes, private program::ByteSpace {
 public:
  explicit DataPlane(Topology& topology) : topology_(topology) {}
  /// Prepares a run: constants and preloads are written, nothing else counts as written. The arguments must outlive the
  /// run.
  /// @throws InvariantError when the data does not fit the programs.
  void arm(const hw::Device& device, const std::vector<program::Job>& jobs, const std::vector<RunData>& data,
           RunResult& result);
  void write_inputs(std::size_t job);
  void read_outputs(std::size_t job);

  hw::Tick start(const hw::Command& command, hw::EngineShell& engine) override;
  hw::Tick finish(const hw::Command& command, hw::EngineShell& engine) override;

 private:
  struct Run {
    int memory;
    std::int64_t begin, end;
  };
  struct InFlight {
    const hw::Command* command = nullptr;
    std::vector<Run> reads, writes;  // writes sorted
    std::vector<std::uint8_t> sources;
  };
  std::uint8_t* base(int arena) const override;
  bool locate(const hw::Command& command, InFlight& task);
  bool clashes(const InFlight& task);
  void fail(Failure::Kind kind, std::string what);
  std::string name(const hw::Command& command) const;
  std::string place(int memory, std::int64_t address) const;
  bool transfer(hw::EngineShell& engine, tlm::tlm_command command, const Run& run, std::uint8_t* bytes,
                hw::Tick& delay);
  void load(int memory, std::int64_t address, const std::uint8_t* bytes, std::int64_t length);

  Topology& topology_;
  const hw::Device* device_ = nullptr;
  const std::vector<program::Job>* jobs_ = nullptr;
  const std::vector<RunData>* data_ = nullptr;
  RunResult* result_ = nullptr;
  std::array<std::vector<std::uint8_t>, hw::kMaxMemories> image_, written_;
  std::array<InFlight, hw::kMaxQueues> flight_;
  std::vector<program::Access> accesses_;
  std::vector<std::uint8_t> scratch_;
  const program::Job* executing_ = nullptr;
  bool dirty_ = false;  // an earlier run stopped halfway
};

}  // namespace dse::sim
