// A memory model that knows nothing of this project takes the place of one of the platform's.
#include "sim/foreign_memory.h"

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>

#include "tests/sim/support.h"

namespace dse::sim::testing::foreign_memory_test {
namespace {

/// Answers after 3 ps for a read and 2 ps for a write (one tick of the platform is one picosecond), whatever the
/// length.
struct Foreign : sc_core::sc_module {
  tlm_utils::simple_target_socket<Foreign> socket;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(8192);
  int reads = 0, writes = 0;
  explicit Foreign(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Foreign::transport);
  }
  void transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    unsigned char* at = bytes.data() + p.get_address();
    if (p.is_read()) {
      std::memcpy(p.get_data_ptr(), at, p.get_data_length());
      delay += sc_core::sc_time(3, sc_core::SC_PS);
      ++reads;
    } else {
      std::memcpy(at, p.get_data_ptr(), p.get_data_length());
      delay += sc_core::sc_time(2, sc_core::SC_PS);
      ++writes;
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

TEST(ForeignMemory, HoldsTheBytesAndAddsItsDelay) {
  static Foreign foreign("foreign");
  bind_foreign_memory(1, foreign.socket);
  Program p = small_program();
  p.inputs = {{"in", 0, 1, 0, 40}};
  p.outputs = {{"out", 1, 1, 500, 40}};
  load(p, 0, 0, {}, 0, 0, 40);
  store(p, 0, 1, {{0, 0}}, 0, 500, 40);
  std::vector<std::uint8_t> input(40);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i);
  const RunResult r = run(p, small_device(), {.data = true, .accounts = true, .trace = true}, {{{}, {input}}});
  ASSERT_FALSE(r.failure) << r.failure->what;
  EXPECT_EQ(r.outputs[0], input);
  EXPECT_EQ(std::memcmp(foreign.bytes.data() + 500, input.data(), 40), 0);
  EXPECT_GT(foreign.reads, 0);
  EXPECT_GT(foreign.writes, 0);
  const std::int64_t own = (5 + 10 + 10) + (5 + 10);
  EXPECT_EQ(r.ticks, own + 3 + 2);
  std::int64_t sum = 0;
  for (const LayerAccount& l : r.layers) sum += l.total();
  EXPECT_EQ(sum, r.ticks);
  EXPECT_EQ(run(p, small_device()).ticks, own);  // timing-only runs move no bytes
  EXPECT_ANY_THROW(bind_foreign_memory(0, foreign.socket));
}

}  // namespace
}  // namespace dse::sim::testing::foreign_memory_test
