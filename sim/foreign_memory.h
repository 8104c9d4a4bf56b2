// Models of memories from elsewhere: any TLM-2.0 target can stand for a memory of the platform.
#pragma once
#include <tlm>

namespace dse::sim {

/// Binds `target` as memory `index` of the platform instead of its own model. Before the first Platform::instance()
/// only, and for all runs of the process. In data runs all bytes of that memory travel to the target in b_transport
/// calls and its annotated delay is added to the task; timing-only runs move no bytes and know the device file's
/// latency only.
/// @throws InvariantError when the platform is elaborated already or the index is out of range.
void bind_foreign_memory(int index, tlm::tlm_target_socket<32>& target);

}  // namespace dse::sim
