// What travels between the blocks, as extensions of TLM-2.0 generic payloads.
//
//   Command   control -> engine. BEGIN_REQ with the issue time as annotated delay; END_REQ when the queue has room for
//   another
//             (at once or later: the base protocol's exclusion rule is the back-pressure); BEGIN_RESP when the task is
//             done.
//   Transfer  engine -> interconnect. BEGIN_REQ with the time until the transfer begins; BEGIN_RESP when it has ended.
//
// Bytes travel in plain generic payloads by b_transport.
#pragma once
#include <tlm>

#include "models/hw/clocking.h"
#include "program/program.h"

namespace dse::hw {

/// An extension that its block owns: payloads never free or copy it.
template <class T>
struct OwnedExtension : tlm::tlm_extension<T> {
  tlm::tlm_extension_base* clone() const override { return nullptr; }
  void copy_from(const tlm::tlm_extension_base&) override {}
  void free() override {}
};

struct Command : OwnedExtension<Command> {
  program::TaskInstance instance;
  program::TaskCost cost;
  Tick issued = 0;
  int entry = 0;  // in the log
  int job = 0;
  tlm::tlm_generic_payload payload;
  Command() { payload.set_extension(this); }
  ~Command() override { payload.clear_extension(this); }
};

struct Transfer : OwnedExtension<Transfer> {
  const program::TaskCost* cost = nullptr;
  Tick not_before = 0;  // the engine itself needs until then
  tlm::tlm_generic_payload payload;
  Transfer() { payload.set_extension(this); }
  ~Transfer() override { payload.clear_extension(this); }
};

/// The interconnect's address map: every memory has a window of 1 TiB.
constexpr int kWindowBits = 40;
inline sc_dt::uint64 bus_address(int memory, std::int64_t address) {
  return (static_cast<sc_dt::uint64>(memory) << kWindowBits) + static_cast<sc_dt::uint64>(address);
}

}  // namespace dse::hw
