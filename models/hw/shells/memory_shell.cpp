#include "models/hw/shells/memory_shell.h"

#include <cstring>

namespace dse::hw {

MemoryShell::MemoryShell(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
  socket.register_b_transport(this, &MemoryShell::transport);
  socket.register_transport_dbg(this, &MemoryShell::debug);
}

void MemoryShell::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) { debug(payload); }

unsigned MemoryShell::debug(tlm::tlm_generic_payload& p) {
  const auto address = static_cast<std::size_t>(p.get_address());
  const std::size_t length = p.get_data_length();
  if (address > bytes_.size() || length > bytes_.size() - address) {
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  if (p.get_byte_enable_ptr() || p.get_streaming_width() < length) {
    p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return 0;
  }
  if (p.is_write())
    std::memcpy(bytes_.data() + address, p.get_data_ptr(), length);
  else if (p.is_read())
    std::memcpy(p.get_data_ptr(), bytes_.data() + address, length);
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  return static_cast<unsigned>(length);
}

}  // namespace dse::hw
