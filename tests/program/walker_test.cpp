#include <gtest/gtest.h>

#include <chrono>

#include "base/diagnostics.h"
#include "program/program.h"

namespace dse::program::walker_test {
namespace {

std::shared_ptr<CopyPayload> copy(Range y) {
  auto p = std::make_shared<CopyPayload>();
  p->from.arena = p->to.arena = 0;
  p->from.shape = p->to.shape = dse_view{nullptr, 4, 4, 1, 0, 0, 0, 0, 0, 0, 1};
  p->y = y;
  p->x = Range::whole(1);
  p->c = Range::whole(4);
  return p;
}
TaskTemplate task(int queue, int slot, std::vector<Dependency> deps, Range y = Range::whole(1)) {
  return {&copy_kind(), queue, slot, std::move(deps), copy(y)};
}
TaskTemplate wait() { return {&wait_kind(), kControl, kNoSlot, {}, std::make_shared<WaitPayload>()}; }

Program two_queues() {
  Program p;
  p.arenas.push_back({"l1", 100, 4});
  p.queues = {{"dma", 0, 0}, {"cluster", 1, 0}};
  return p;
}
std::vector<TaskInstance> walk(const Program& p, int first = 0, int last = -1) {
  std::vector<TaskInstance> all;
  Walker w(p, first, last);
  for (TaskInstance t; w.next(t);) all.push_back(t);
  return all;
}
std::vector<std::pair<int, int>> after(const TaskInstance& t) {
  std::vector<std::pair<int, int>> v;
  for (int i = 0; i < t.after_count; ++i) v.push_back({t.after[i].queue, t.after[i].count});
  std::sort(v.begin(), v.end());
  return v;
}
using After = std::vector<std::pair<int, int>>;

TEST(Walker, NestedLoopsGiveTheirIndicesOutermostFirst) {
  Program p = two_queues();
  p.section({"a"});
  p.loop(2);
  p.task(task(0, 0, {}));
  p.loop(3);
  p.task(task(1, 1, {{0, 0}}));
  p.end();
  p.end();
  const auto all = walk(p);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[6].loops[0], 1);
  EXPECT_EQ(all[6].loops[1], 1);
  EXPECT_EQ(all[7].sequence, 6);
  EXPECT_EQ(all[7].tile, 5);
  EXPECT_EQ(after(all[2]), (After{{0, 1}}));
  EXPECT_EQ(after(all[6]), (After{{0, 2}}));
  EXPECT_EQ(count_tasks(p), 8);
}

TEST(Walker, AgesReachBackAndMissingHistoryIsSatisfied) {
  Program p = two_queues();
  p.section({"a"});
  p.loop(3);
  p.task(task(0, 0, {{1, 1}}));  // double buffering: overwrite what the compute before the last one has read
  p.task(task(1, 1, {{0, 0}}));
  p.end();
  const auto all = walk(p);
  EXPECT_EQ(after(all[0]), After{});
  EXPECT_EQ(after(all[2]), After{});  // one compute in the history: age 1 does not exist yet
  EXPECT_EQ(after(all[4]), (After{{1, 1}}));
  EXPECT_EQ(after(all[5]), (After{{0, 3}}));
}

TEST(Walker, DependenciesAreReducedToOnePerQueue) {
  Program p = two_queues();
  p.section({"a"});
  p.task(task(0, 0, {}));
  p.task(task(0, 1, {}));
  p.task(task(1, 2, {{0, 0}, {1, 0}}));
  EXPECT_EQ(after(walk(p)[2]), (After{{0, 2}}));
}

TEST(Walker, SkippedInstancesRepeatTheLatestEntry) {
  Program p = two_queues();
  p.section({"a"});
  p.loop(3);
  p.task(task(0, 0, {}, Range::tiles(0, 2, 5, 1)));  // rows 2..3, 4, then nothing
  p.task(task(1, 1, {{0, 0}, {0, 1}}));
  p.end();
  const auto all = walk(p);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[4].queue, 1);
  EXPECT_EQ(after(all[4]), (After{{0, 2}}));

  Program first = two_queues();  // skipped with no history: nothing to wait for
  first.section({"a"});
  first.task(task(0, 0, {}, Range{0, 0, 5, 0, -1}));
  first.task(task(1, 1, {{0, 0}}));
  ASSERT_EQ(walk(first).size(), 1u);
  EXPECT_EQ(after(walk(first)[0]), After{});
}

TEST(Walker, WaitNamesEverythingIssuedAndClearsHistory) {
  Program p = two_queues();
  p.section({"a"});
  p.task(task(0, 0, {}));
  p.task(task(0, 0, {}));
  p.task(task(1, 1, {}));
  p.task(wait());
  p.task(task(1, 1, {{0, 0}}));
  p.task(wait());
  const auto all = walk(p);
  EXPECT_EQ(all[3].queue, kControl);
  EXPECT_EQ(after(all[3]), (After{{0, 2}, {1, 1}}));
  EXPECT_EQ(after(all[4]), After{});
  EXPECT_EQ(all[5].sequence, 2);
}

TEST(Walker, SectionsClearHistoryAndTilesAndCanBeWalkedAlone) {
  Program p = two_queues();
  for (int s = 0; s < 3; ++s) {
    p.section({"s" + std::to_string(s)});
    p.loop(2);
    p.task(task(0, 0, {{0, 0}}));
    p.end();
  }
  const auto all = walk(p);
  EXPECT_EQ(all[2].section, 1);
  EXPECT_EQ(all[2].tile, 0);
  EXPECT_EQ(after(all[2]), After{});
  EXPECT_EQ(after(all[3]), (After{{0, 3}}));
  const auto one = walk(p, 1, 1);
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].section, 1);
  EXPECT_EQ(one[0].sequence, 1);
}

TEST(Walker, EmptyLoopsAreSkipped) {
  Program p = two_queues();
  p.loop(0);
  p.loop(2);
  p.task(task(0, 0, {}));
  p.end();
  p.end();
  p.task(task(1, 0, {}));
  EXPECT_EQ(count_tasks(p), 1);
}

TEST(Walker, MalformedProgramsAreRejected) {
  const auto broken = [](auto change) {
    Program p = two_queues();
    change(p);
    EXPECT_THROW(count_tasks(p), InvariantError);
  };
  broken([](Program& p) { p.loop(2); });
  broken([](Program& p) { p.end(); });
  broken([](Program& p) {
    for (int i = 0; i < 5; ++i) p.loop(1);
    for (int i = 0; i < 5; ++i) p.end();
  });
  broken([](Program& p) { p.task(task(2, 0, {})); });
  broken([](Program& p) { p.task(task(0, 0, {{16, 0}})); });
  broken([](Program& p) { p.task(task(0, 0, {{0, 4}})); });
  broken([](Program& p) { p.task(task(0, 16, {})); });
  broken([](Program& p) {
    TaskTemplate t = wait();
    t.queue = 0;
    p.task(t);
  });
  broken([](Program& p) { p.loop(2), p.section({"a"}), p.end(); });
}

}  // namespace
}  // namespace dse::program::walker_test
