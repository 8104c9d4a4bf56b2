#include "tests/plan/reference_executor.h"

#include <gmock/gmock.h>

#include <numeric>

#include "plan/check/check.h"
#include "tests/plan/check/clone.h"
#include "tests/plan/tiny_programs.h"

namespace dse::test::reference_executor_test {
namespace {

using namespace program;
using testing::HasSubstr;

std::vector<std::uint8_t> counting(std::size_t n) {
  std::vector<std::uint8_t> v(n);
  std::iota(v.begin(), v.end(), std::uint8_t{1});
  return v;
}

const std::vector<std::vector<std::uint8_t>> kExpected{counting(128)};

ExecutionResult run(const Program& p, Interleaving order, std::uint64_t seed = 0) {
  return execute(p, {}, {counting(128)}, order, seed);
}

/// Failures of many random runs, and "" for a run that ends; wrong outputs are failures too.
std::string first_failure(const Program& p, int runs = 300) {
  for (int seed = 0; seed < runs; ++seed) {
    const auto r = run(p, Interleaving::random, seed);
    if (!r.ok()) return *r.failure;
    if (r.outputs != kExpected) return "wrong bytes";
  }
  return "";
}

Program changed(void (*change)(Program&)) {
  Program p = clone(tiled_copy_program());
  change(p);
  return p;
}

TEST(ReferenceExecutor, GivesTheSameBytesInEveryOrder) {
  const Program p = tiled_copy_program();
  for (auto order : {Interleaving::eager, Interleaving::lazy}) {
    const auto r = run(p, order);
    ASSERT_TRUE(r.ok()) << *r.failure;
    EXPECT_EQ(r.outputs, kExpected);
    EXPECT_EQ(r.tasks, 12);  // 4 tiles of load, compute, store
  }
  EXPECT_EQ(first_failure(p), "");
}

TEST(ReferenceExecutor, SeesAMissingDependency) {
  const auto failure = first_failure(changed([](Program& p) { p.templates[1].dependencies.clear(); }));
  EXPECT_THAT(failure,
              testing::AnyOf(HasSubstr("conflict"), HasSubstr("uninitialised_read"), HasSubstr("wrong bytes")));
}

TEST(ReferenceExecutor, SeesALazyEngine) {
  // The store does not wait for its compute: harmless if every task runs when it is issued, not if none does before it
  // must.
  const Program p = changed([](Program& q) { q.templates[3].dependencies.clear(); });
  EXPECT_TRUE(run(p, Interleaving::eager).ok());
  EXPECT_NE(first_failure(p), "");
}

TEST(ReferenceExecutor, SeesUnwrittenBytes) {
  const auto r =
      run(changed([](Program& p) { mutable_payload<CopyPayload>(p.templates[0])->y.hi = 1; }), Interleaving::eager);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(*r.failure, "uninitialised_read: copy0 copy tile 0 (queue cpu, task 1): byte 16 of l1 [0, 32)");
}

TEST(ReferenceExecutor, SeesAnIncompleteOutput) {
  const auto r =
      run(changed([](Program& p) { mutable_payload<CopyPayload>(p.templates[3])->y.hi -= 1; }), Interleaving::eager);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(*r.failure, HasSubstr("output out is not completely written"));
}

TEST(ReferenceExecutor, RefusesAccessesOutsideTheArena) {
  const auto r = run(changed([](Program& p) { mutable_payload<CopyPayload>(p.templates[3])->to.offset = 4090; }),
                     Interleaving::eager);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(*r.failure, HasSubstr("out_of_range"));
}

TEST(ReferenceExecutor, ReportsMalformedPrograms) {
  const auto r = run(changed([](Program& p) { p.end(); }), Interleaving::eager);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(*r.failure, HasSubstr("malformed: program: end without loop"));
}

TEST(ReferenceExecutor, LoadsConstantsAndPreloads) {
  Program p = empty_program();
  p.constants_size = 32;
  p.preloads = {{kL1, 64, 16, 8}};
  p.outputs = {{"out", 0, kL2, 0, 32}};
  p.section({"s", 0, 0});
  p.task(copy_task(kDma, rows(kL1, 64, 16), rows(kL2, 0, 16), Range::whole(1), 16, 0));
  p.task(copy_task(kIo, rows(kL3, 0, 16), rows(kL2, 16, 16), Range::whole(1), 16, 1));
  p.task(wait_task());
  const auto image = counting(32);
  const auto r = execute(p, image, {}, Interleaving::lazy);
  ASSERT_TRUE(r.ok()) << *r.failure;
  std::vector<std::uint8_t> expected(image.begin() + 8, image.begin() + 24);
  expected.insert(expected.end(), image.begin(), image.begin() + 16);
  EXPECT_EQ(r.outputs[0], expected);
}

TEST(Clone, SharesNothingThatATestMayChange) {
  const Program p = tiled_copy_program();
  Program q = clone(p);
  mutable_payload<CopyPayload>(q.templates[0])->from.offset = 48;
  q.templates[1].dependencies.clear();
  EXPECT_EQ(static_cast<const CopyPayload&>(*p.templates[0].payload).from.offset, 0);
  EXPECT_EQ(p.templates[1].dependencies.size(), 1u);
}

TEST(Clone, PointsCallsIntoItsOwnOperators) {
  Program p = empty_program();
  p.operators.resize(2);
  auto call = std::make_shared<CallPayload>();
  call->op = 1;
  call->parameters = &p.operators[1];
  p.templates.push_back({&call_kind(), kCluster, kNoSlot, {}, call});
  const Program q = clone(p);
  EXPECT_EQ(static_cast<const CallPayload&>(*q.templates[0].payload).parameters, &q.operators[1]);
}

}  // namespace
}  // namespace dse::test::reference_executor_test
