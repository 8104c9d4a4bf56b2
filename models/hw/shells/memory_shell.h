// A memory as a TLM-2.0 target. Its timing is the arbiter's (flows); here are its bytes.
#pragma once
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <vector>

namespace dse::hw {

class MemoryShell : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<MemoryShell> socket;

  explicit MemoryShell(const sc_core::sc_module_name& name);
  /// Bytes that exist; accesses beyond get TLM_ADDRESS_ERROR_RESPONSE. Contents are kept where possible.
  void resize(std::int64_t bytes) { bytes_.resize(static_cast<std::size_t>(bytes)); }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  std::vector<unsigned char> bytes_;
};

}  // namespace dse::hw
