#include "sim/topology.h"

#include <cstdlib>
#include <string>

#include "base/diagnostics.h"
#include "sim/foreign_memory.h"

/// SystemC's library refers to an entry point of its own; programs here have a main().
int sc_main(int, char**) { return 0; }

namespace dse::sim {

namespace {
std::array<tlm::tlm_target_socket<32>*, hw::kMaxMemories> foreign{};
bool elaborated = false;
}  // namespace

void bind_foreign_memory(int index, tlm::tlm_target_socket<32>& target) {
  ensure(!elaborated, "foreign memory: the platform is elaborated already");
  ensure(index >= 0 && index < hw::kMaxMemories, "foreign memory: no such memory");
  foreign[static_cast<std::size_t>(index)] = &target;
}

Topology::Topology()
    : control("control", state), interconnect("interconnect", state), npu(state, interconnect, hw::kMaxQueues) {
  elaborated = true;
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);  // stdout belongs to our own output
  for (std::size_t q = 0; q < engines.size(); ++q) {
    owned_[q] =
        std::make_unique<hw::EngineShell>(("queue" + std::to_string(q)).c_str(), static_cast<int>(q), state, engines);
    engines[q] = owned_[q].get();
    control.engines[q]->bind(engines[q]->commands);
    engines[q]->memories.bind(*interconnect.engines[q]);
  }
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (foreign[m]) {
      interconnect.memories[m]->bind(*foreign[m]);
      continue;
    }
    memories[m] = std::make_unique<hw::MemoryShell>(("memory" + std::to_string(m)).c_str());
    interconnect.memories[m]->bind(memories[m]->socket);
  }
  simulate([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
}

}  // namespace dse::sim
