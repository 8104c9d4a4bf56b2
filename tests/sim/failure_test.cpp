// Every way in which a program can be wrong is found and named.
#include "base/diagnostics.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::failure_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

RunResult with_input(Program& p, const hw::Device& d = small_device()) {
  p.inputs = {{"in", 0, 1, 0, 200}};
  static const std::vector<std::uint8_t> input(200, 9);
  return run(p, d, {.data = true}, {{{}, {input}}});
}
#define EXPECT_FAILURE(result, which, text)                \
  ASSERT_TRUE((result).failure);                           \
  EXPECT_EQ((result).failure->kind, Failure::Kind::which); \
  EXPECT_THAT((result).failure->what, text)

TEST(Failure, Deadlock) {
  Program p = small_program();
  p.section({"stuck", 0, 0});
  load(p, 0, 0, {}, 0, 0, 10);
  add(p, 1, {{0, 0}}, 0, 0, 512, 10);
  hw::Device d = small_device();
  d.memories[1].width = {0, 1};  // nothing ever moves
  wait(p);
  EXPECT_FAILURE(
      run(p, d), deadlock,
      AllOf(HasSubstr("copy #0, tile 0 of stuck on dma never ends"),
            HasSubstr("call #1, tile 0 of stuck on cpu waits for task 1 of dma (0 done)"), HasSubstr("wait #2")));
  EXPECT_FALSE(run(p, small_device()).failure);  // and the platform is usable again
}

TEST(Failure, OutOfRange) {
  Program p = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 0, 1000, 100);
  EXPECT_FAILURE(with_input(p), out_of_range,
                 AllOf(HasSubstr("copy #0"), HasSubstr("arena near"), HasSubstr("1000 to 1100")));
  Program q = small_program();
  q.arenas[0].size = 4096;  // the arena does not fit the memory
  load(q, 0, 0, {}, 0, 1000, 100);
  EXPECT_FAILURE(with_input(q), out_of_range, HasSubstr("near address 1000"));
}

TEST(Failure, UninitialisedRead) {
  Program p = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 150, 0, 100);  // the input ends at 200
  EXPECT_FAILURE(with_input(p), uninitialised_read,
                 AllOf(HasSubstr("copy #0, tile 0 of a"), HasSubstr("far address 200")));
}

TEST(Failure, UnwrittenOutput) {
  Program p = small_program();
  p.outputs = {{"out", 1, 1, 500, 20}};
  load(p, 0, 0, {}, 0, 0, 10);
  store(p, 0, 0, {}, 0, 500, 10);
  EXPECT_FAILURE(with_input(p), uninitialised_read, AllOf(HasSubstr("output out"), HasSubstr("510")));
}

TEST(Failure, UnorderedConflict) {
  Program p = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 0, 0, 100);
  load(p, 1, 1, {}, 100, 99, 10);  // writes byte 99 too, on the other channel
  EXPECT_FAILURE(with_input(p), conflict,
                 AllOf(HasSubstr("copy #1"), HasSubstr("copy #0"), HasSubstr("near address 99")));

  Program late = small_program();  // a call that does not wait for its operand
  late.section({"a", 0, 0});
  load(late, 0, 0, {}, 0, 0, 100);
  add(late, 1, {{1, 0}}, 0, 0, 512, 100);
  EXPECT_FAILURE(with_input(late), conflict, HasSubstr("call #1"));

  Program ordered = small_program();
  load(ordered, 0, 0, {}, 0, 0, 100);
  load(ordered, 1, 1, {{0, 0}}, 100, 99, 10);
  EXPECT_FALSE(with_input(ordered).failure);
}

TEST(Failure, OverlappingBuffers) {
  Program p = small_program();
  for (const char* name : {"a", "b", "c"}) p.section({name, 0, 0});
  load(p, 0, 0, {}, 0, 0, 10);
  p.buffers.push_back({"x", program::BufferRole::tensor, 0, 0, 100, 0, 1, 0});
  p.buffers.push_back({"y", program::BufferRole::tensor, 0, 50, 100, 2, 2, 1});
  EXPECT_FALSE(with_input(p).failure);  // never live at once
  p.buffers.push_back({"z", program::BufferRole::tile, 0, 99, 100, 1, 1, -1});
  EXPECT_FAILURE(with_input(p), overlap, AllOf(HasSubstr("x and z"), HasSubstr("near")));
}

TEST(Failure, InPlaceIsNoOverlap) {
  Program p = small_program();
  for (const char* name : {"a", "b"}) p.section({name, 0, 0});
  load(p, 0, 0, {}, 0, 0, 10);
  p.buffers.push_back({"x", program::BufferRole::tensor, 0, 0, 100, 0, 1, 0});
  p.buffers.push_back({"y", program::BufferRole::tensor, 0, 0, 100, 1, 1, 1});
  EXPECT_FALSE(with_input(p).failure);
  p.buffers[1].size = 99;  // not the same bytes: two tensors
  EXPECT_FAILURE(with_input(p), overlap, HasSubstr("x and y"));
}

TEST(Failure, OverlapAcrossJobs) {
  Program p = small_program(), guest = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 0, 0, 10);
  p.section({"b", 1, 1});
  store(p, 0, 0, {}, 0, 300, 10);
  p.buffers.push_back({"kept", program::BufferRole::tensor, 0, 0, 10, 0, 1, 0});
  p.inputs = {{"in", 0, 1, 0, 10}};
  guest.section({"g", 0, 0});
  load(guest, 0, 0, {}, 0, 8, 10);
  guest.inputs = {{"in", 0, 1, 0, 20}};
  guest.buffers.push_back({"guest", program::BufferRole::tensor, 0, 8, 10, 0, 0, 0});
  const hw::Device d = small_device();
  Platform::instance().configure(std::make_shared<const hw::Device>(d));
  program::Job first = whole_program(p, d), last = first, between = whole_program(guest, d);
  first.last_section = 0;
  last.first_section = 1;
  const std::vector<std::uint8_t> ten(10, 1), twenty(20, 2);
  const std::vector<RunData> data = {{{}, {ten}}, {{}, {twenty}}, {{}, {ten}}};
  EXPECT_FAILURE(Platform::instance().run({first, between, last}, {.data = true}, data), overlap,
                 HasSubstr("kept and guest"));
  between.binding[0].base = 256;  // moved out of the way, its arena must shrink to fit
  guest.arenas[0].size = 100;
  EXPECT_FALSE(Platform::instance().run({first, between, last}, {.data = true}, data).failure);
}

TEST(Failure, AbsentOperand) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  add(p, 1, {{0, 0}}, 0, 0, 512, 100);
  const auto& call = static_cast<const program::CallPayload&>(*p.templates[1].payload);
  auto broken = std::make_shared<program::CallPayload>(call);
  broken->views[DSE_IN1] = View{};
  p.templates[1].payload = broken;
  EXPECT_FAILURE(with_input(p), execution, HasSubstr("call #1"));
}

TEST(Failure, BrokenInvariantsAreThrownNotReturned) {
  Program p = small_program();
  p.queues[0].engine = 7;
  load(p, 0, 0, {}, 0, 0, 100);
  EXPECT_THROW(run(p, small_device()), InvariantError);
  Program q = small_program();
  add(q, 1, {}, 0, 0, 512, 100);
  q.templates[0].queue = 0;  // a DMA engine cannot add
  EXPECT_THROW(run(q, small_device()), InvariantError);
  hw::Device many = small_device();
  many.memories.resize(9);
  EXPECT_THROW(run(small_program(), many), InvariantError);
  Program fine = small_program();
  load(fine, 0, 0, {}, 0, 0, 100);
  EXPECT_EQ(run(fine, small_device()).ticks, 40);
}

}  // namespace
}  // namespace dse::sim::testing::failure_test
