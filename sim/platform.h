// The SystemC top module behind a plain interface: elaborated once per process, re-armed for every run and device.
#pragma once
#include <memory>
#include <vector>

#include "models/hw/device.h"
#include "models/hw/shells/npu/npu_shell.h"
#include "program/program.h"
#include "sim/measurement.h"
#include "sim/run_options.h"

namespace dse::sim {

/// The platform of this process. The first call elaborates it; there is never a second one.
class Platform {
 public:
  static Platform& instance();
  /// Sets memories, engines and costs for the following runs. @throws InvariantError if the device exceeds the
  /// elaborated limits.
  void configure(hw::DevicePtr device);
  /// Runs jobs to event starvation. Failures (deadlock, out of range, ...) are values in the result.
  RunResult run(const std::vector<program::Job>& jobs, const RunOptions& options,
                const std::vector<RunData>& data = {});
  /// Runs a command stream on the NPU, with memories of the configured device. @returns its state, until the next run.
  const hw::npu::NpuState& run_stream(const hw::npu::StreamRun& stream);
  ~Platform();

 private:
  Platform();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A job of a program with every arena at address `reserved` = 0 offset of the memory that has its name: a part of an
/// inference. @throws InvariantError when an arena's name is no memory of the device.
program::Job program_part(const program::Program& program, const hw::Device& device);

/// The same of a whole inference: it begins with what the device takes to start one.
program::Job whole_program(const program::Program& program, const hw::Device& device);

/// Ticks that a device takes to start an inference.
std::int64_t start_ticks(const hw::Device& device);

}  // namespace dse::sim
