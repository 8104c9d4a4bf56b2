// The modules of the platform: a superset of all devices, elaborated once. What a device does not have stays idle.
#pragma once
#include <array>
#include <memory>
#include <new>
#include <string>

#include "models/hw/shells/control_shell.h"
#include "models/hw/shells/engine_shell.h"
#include "models/hw/shells/interconnect_shell.h"
#include "models/hw/shells/memory_shell.h"
#include "models/hw/shells/npu/npu_shell.h"

namespace dse::sim {

struct Topology {
  hw::RunState state;
  hw::ControlShell control;
  hw::InterconnectShell interconnect;
  hw::npu::NpuShell npu;
  std::array<hw::EngineShell*, hw::kMaxQueues> engines{};
  std::array<std::unique_ptr<hw::MemoryShell>, hw::kMaxMemories> memories;  // null where a foreign one is bound

  /// Builds and binds everything, and ends elaboration. Once per process.
  Topology();

 private:
  std::array<std::unique_ptr<hw::EngineShell>, hw::kMaxQueues> owned_;
};

/// Runs something of SystemC's. @throws std::bad_alloc when it finds no memory for the stack of a thread.
template <class Start>
void simulate(const Start& start) {
  try {
    start();
  } catch (const sc_core::sc_report& report) {
    if (std::string(report.get_msg_type()) == sc_core::SC_ID_STACK_SETUP_FAILED_) throw std::bad_alloc();
    throw;
  }
}

}  // namespace dse::sim
