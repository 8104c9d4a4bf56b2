// An Ethos-U on the platform: its blocks, bound to the interconnect by five initiators.
#pragma once
#include <memory>

#include "models/hw/ethos_u/of_device.h"
#include "models/hw/shells/engine_shell.h"
#include "models/hw/shells/interconnect_shell.h"
#include "models/hw/shells/npu/units.h"

namespace dse::hw::npu {

/// What a stream is run with.
struct StreamRun {
  ethos_u::Npu npu;
  std::array<int, ethos_u::kAreas> memory{};  // of the device, by area
  Tick cycle = 1;
  std::span<const std::uint32_t> words;
  StreamBytes* bytes = nullptr;
};

class NpuShell final : public StreamRunner {
 public:
  /// `first_queue`: of the interconnect, the first of kNpuPorts that are the NPU's.
  NpuShell(RunState& run, InterconnectShell& interconnect, int first_queue);
  /// The NPU of the device of the following runs; null: it has none.
  void configure(ethos_u::DeviceNpuPtr npu, Tick cycle) { npu_ = std::move(npu), cycle_ = cycle; }
  void run(const Command& command, std::function<void(Tick)> ended) override;
  /// Begins at the run's current time.
  void start(const StreamRun& stream);
  bool ended() const { return state_.end > 0; }
  /// Closes the counters. After the end.
  void close();
  const NpuState& state() const { return state_; }

 private:
  void log(const Command& command);

  NpuState state_;
  ethos_u::DeviceNpuPtr npu_;
  Tick cycle_ = 1;
  std::vector<std::uint32_t> words_;  // of the stream that runs
  CentralControl control_;
  Dma dma_;
  InputReader inputs_;
  WeightDecoder weights_;
  MacUnit macs_;
  OutputUnit outputs_;
  OutputWriter writer_;
};

}  // namespace dse::hw::npu
