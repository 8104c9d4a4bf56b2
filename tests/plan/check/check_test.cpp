#include "plan/check/check.h"

#include <gmock/gmock.h>

#include <functional>

#include "tests/plan/check/clone.h"
#include "tests/plan/tiny_programs.h"

namespace dse::test::check_test {
namespace {

using namespace program;
using plan::Finding;
using plan::FindingKind;
using testing::Contains;
using testing::Not;

std::vector<FindingKind> kinds(const std::vector<Finding>& f) {
  std::vector<FindingKind> out;
  for (const auto& x : f) out.push_back(x.kind);
  return out;
}

/// Findings of the tiled copy after a change; the unchanged program has none (Check.AcceptsATiledPipeline).
std::vector<Finding> after(const std::function<void(Program&)>& change) {
  Program p = clone(tiled_copy_program());
  change(p);
  return plan::check(p, tiny_device());
}

#define EXPECT_FINDS(findings, expected_kind, text)                                               \
  do {                                                                                            \
    const auto findings_ = findings;                                                              \
    bool any = false;                                                                             \
    for (const auto& f : findings_)                                                               \
      any = any || (f.kind == (expected_kind) && f.message.find(text) != std::string::npos);      \
    EXPECT_TRUE(any) << "no " << plan::name_of(expected_kind) << " with '" << (text) << "' in:\n" \
                     << plan::to_string(findings_);                                               \
  } while (false)

enum Template { kFirstLoad, kLoad, kCompute, kStore, kWait };
CopyPayload& copy_of(Program& p, Template t) { return *mutable_payload<CopyPayload>(p.templates[t]); }

TEST(Check, AcceptsATiledPipeline) {
  EXPECT_EQ(plan::to_string(after([](Program&) {})), "");
}

TEST(Check, FindsAnArenaLargerThanItsMemory) {
  EXPECT_FINDS(after([](Program& p) { p.arenas[kL1].size = 1100; }), FindingKind::fit, "memory l1 has 1024 bytes free");
}

TEST(Check, SubtractsReservedBytes) {
  hw::Device d = tiny_device();
  d.memories[kL1].reserved = 100;
  EXPECT_FINDS(plan::check(tiled_copy_program(), d), FindingKind::fit, "924 bytes free of 1024");
}

TEST(Check, FindsAnAccessOutsideTheArena) {
  EXPECT_FINDS(after([](Program& p) { copy_of(p, kStore).to.offset = 4096 - 16; }), FindingKind::bounds,
               "outside the arena");
  EXPECT_FINDS(after([](Program& p) { copy_of(p, kLoad).from.offset = -48; }), FindingKind::bounds,
               "outside the arena");
}

TEST(Check, FindsAnAccessOutsideEveryBuffer) {
  const auto found = after([](Program& p) { copy_of(p, kStore).to.offset += 16; });
  EXPECT_FINDS(found, FindingKind::bounds, "copy0 copy tile 3 (dma.1 task 4) writes [368, 400) of l2");
  EXPECT_FINDS(found, FindingKind::output, "nothing writes [256, 272) of l2");
}

TEST(Check, FindsABufferThatIsUsedInAnotherSection) {
  EXPECT_FINDS(after([](Program& p) {
                 p.section({"later", 1, 1});
                 p.buffers[2].first_section = p.buffers[2].last_section = 1;
               }),
               FindingKind::bounds, "in no buffer that lives there then");
}

TEST(Check, FindsBuffersThatOverlapWhileBothLive) {
  EXPECT_FINDS(after([](Program& p) { p.buffers[3].offset = 32; }), FindingKind::lifetime,
               "copy0.in0 at [0, 64) of l1 and copy0.out at [32, 96) of l1");
}

TEST(Check, AllowsBuffersThatShareBytesInTurn) {
  const auto found = after([](Program& p) {
    p.section({"later", 1, 1});
    for (int b : {0, 1}) p.buffers[b].last_section = 1;
    add_buffer(p, "later.in0", BufferRole::tile, kL1, 16, 64, 1, 1);
  });
  EXPECT_EQ(plan::to_string(found), "");
}

TEST(Check, FindsWhatAMissingDependencyUnorders) {
  auto without = [](Template t, std::size_t which) {
    return after([=](Program& p) { p.templates[t].dependencies.erase(p.templates[t].dependencies.begin() + which); });
  };
  EXPECT_FINDS(without(kLoad, 0), FindingKind::race,
               "copy0 copy tile 1 (dma task 3) writes [0, 32) of l1 while copy0 copy tile 0 (cpu task 1)");
  EXPECT_FINDS(without(kCompute, 0), FindingKind::race,
               "(cpu task 1) reads [0, 32) of l1 while copy0 copy tile 0 (dma task 1)");
  EXPECT_FINDS(without(kCompute, 1), FindingKind::race,
               "(cpu task 3) writes [64, 96) of l1 while copy0 copy tile 0 (dma.1 task 1)");
  EXPECT_FINDS(without(kStore, 0), FindingKind::race, "(dma.1 task 1) reads [64, 96) of l1");
}

TEST(Check, FindsADependencyThatIsTooOld) {
  EXPECT_FINDS(after([](Program& p) { p.templates[kCompute].dependencies[1].age = 2; }), FindingKind::race, "l1");
  EXPECT_FINDS(after([](Program& p) { p.templates[kLoad].dependencies[0].age = 1; }), FindingKind::race, "l1");
}

TEST(Check, OrdersTransitively) {
  // compute waits only for the store of two tiles ago, which waited for its compute: the load may rely on the store
  // alone.
  const auto found = after([](Program& p) {
    p.templates[kLoad].dependencies = {{2, 0}};  // the latest store: after compute i - 1
    p.templates[kCompute].dependencies = {{0, 1}, {2, 1}};
  });
  EXPECT_EQ(plan::to_string(found), "");
}

TEST(Check, OneInOrderQueueNeedsNoDependencies) {
  const auto found = after([](Program& p) {
    for (auto t : {kFirstLoad, kLoad, kCompute, kStore}) {
      p.templates[t].queue = kCpu;
      p.templates[t].dependencies.clear();
    }
  });
  EXPECT_EQ(plan::to_string(found), "");
}

TEST(Check, OrdersBySlotsOnlyWithinASection) {
  // Without the Wait the next section's task may overtake the pipeline: slots do not reach across sections.
  auto two_sections = [](bool wait) {
    return after([wait](Program& p) {
      if (!wait) p.code.pop_back();
      p.quiescent.clear();
      p.section({"copy1", 1, 1});
      for (int b : {0, 1}) p.buffers[b].last_section = 1;
      add_buffer(p, "t2", BufferRole::tensor, kL2, 512, 128, 1, 1, 2);
      p.outputs = {{"out", 2, kL2, 512, 128}};
      p.task(copy_task(kCpu, rows(kL2, 256, 16), rows(kL2, 512, 16), Range::whole(8), 16, 0, {{2, 0}}));
    });
  };
  EXPECT_EQ(plan::to_string(two_sections(true)), "");
  EXPECT_FINDS(two_sections(false), FindingKind::race,
               "copy1 copy tile 0 (cpu task 5) reads [320, 352) of l2 while copy0 copy tile 2 (dma.1 task 3)");
}

TEST(Check, FindsAReadOfBytesThatNothingWrote) {
  EXPECT_FINDS(after([](Program& p) { copy_of(p, kFirstLoad).y.hi = 1; }), FindingKind::undefined,
               "(cpu task 1) reads [16, 32) of l1");
  EXPECT_FINDS(after([](Program& p) { p.inputs.clear(); }), FindingKind::undefined,
               "reads [0, 32) of l2, which nothing has written");
}

TEST(Check, TilesDoNotInheritFromAnEarlierSection) {
  auto later_reads_l1 = [](bool alive) {
    return after([alive](Program& p) {
      p.quiescent.clear();
      p.section({"copy1", 1, 1});
      p.buffers[1].last_section = 1;
      if (alive)
        p.buffers[3].last_section = 1;
      else
        add_buffer(p, "copy1.in0", BufferRole::tile, kL1, 64, 64, 1, 1);
      add_buffer(p, "t2", BufferRole::tensor, kL2, 512, 32, 1, 1, 2);
      p.task(copy_task(kDma, rows(kL1, 64, 16), rows(kL2, 512, 16), Range::whole(2), 16, 0));
      p.task(wait_task());
    });
  };
  EXPECT_EQ(plan::to_string(later_reads_l1(true)), "");
  EXPECT_FINDS(later_reads_l1(false), FindingKind::undefined,
               "copy1 copy tile 0 (dma task 5) reads [64, 96) of l1 as left behind by buffer copy0.out");
}

TEST(Check, ATensorMayTakeTheBytesOfTheOneThatEndsWhereItBegins) {
  const auto found = after([](Program& p) {  // t1 becomes t2 in section 1, in place
    p.quiescent.clear();
    p.section({"reshape", 1, 1});
    p.buffers[1].last_section = 1;
    add_buffer(p, "t2", BufferRole::tensor, kL2, 256, 128, 1, 1, 2);
    p.outputs[0].tensor = 2;
    p.task(wait_task());
  });
  EXPECT_EQ(plan::to_string(found), "");
}

TEST(Check, FindsAnIncompleteOutput) {
  EXPECT_FINDS(after([](Program& p) { copy_of(p, kStore).y.hi -= 1; }), FindingKind::output,
               "output out: nothing writes [272, 288) of l2");
  EXPECT_FINDS(after([](Program& p) {
                 p.outputs[0] = {"out", 0, kL2, 0, 64};
               }),
               FindingKind::output, "nothing writes [0, 64) of l2");
}

TEST(Check, FindsAnOutputThatIsOverwritten) {
  EXPECT_FINDS(after([](Program& p) {
                 p.quiescent.clear();
                 p.section({"more", 1, 1});
                 add_buffer(p, "more.out", BufferRole::tile, kL2, 256, 32, 1, 1);
                 add_buffer(p, "t1 again", BufferRole::tensor, kL2, 256, 128, 1, 1, 1);
                 p.task(copy_task(kDma, rows(kL1, 0, 16), rows(kL2, 256, 16), Range::whole(1), 16, 0));
               }),
               FindingKind::lifetime, "more.out");
}

TEST(Check, FindsWritesToConstants) {
  auto with_constants = [](bool resident, std::int64_t at, int arena) {
    return after([=](Program& p) {
      p.constants_size = 64;
      if (resident) p.preloads = {{kL1, 512, 64, 0}};
      p.task(
          copy_task(arena == kL3 ? kIo : kDma, rows(kL2, 256, 16), rows(arena, at, 16), Range::whole(1), 16, kNoSlot));
    });
  };
  EXPECT_FINDS(with_constants(false, 32, kL3), FindingKind::constants, "writes [32, 48) of l3");
  EXPECT_FINDS(with_constants(true, 560, kL1), FindingKind::constants, "writes [560, 576) of l1");
  EXPECT_THAT(kinds(with_constants(false, 64, kL3)), Not(Contains(FindingKind::constants)));
}

TEST(Check, ABufferMayNotLieInResidentWeights) {
  EXPECT_FINDS(after([](Program& p) {
                 p.constants_size = 64;
                 p.preloads = {{kL1, 100, 64, 0}};
               }),
               FindingKind::lifetime, "copy0.out at [64, 128) of l1 shares bytes with resident weights");
}

TEST(Check, FindsAWriteThatMeetsItself) {
  EXPECT_FINDS(after([](Program& p) { copy_of(p, kLoad).to.shape.ring_h = 1; }), FindingKind::bounds, "twice");
}

TEST(Check, FindsEnginesThatCannotReachTheirMemories) {
  EXPECT_FINDS(after([](Program& p) { p.templates[kStore].queue = kIo; }), FindingKind::reach,
               "engine io does not connect l1 and l2");
  EXPECT_FINDS(after([](Program& p) { p.templates[kStore].queue = kCluster; }), FindingKind::reach,
               "engine cluster cannot copy");
  hw::Device d = tiny_device();
  d.engines[3].memories = {kL2};
  EXPECT_FINDS(plan::check(tiled_copy_program(), d), FindingKind::reach, "engine cpu does not reach both l1 and l1");
}

TEST(Check, FindsMalformedPrograms) {
  EXPECT_FINDS(after([](Program& p) { p.end(); }), FindingKind::malformed, "end without loop");
  EXPECT_FINDS(after([](Program& p) {
                 p.code.insert(p.code.begin() + 2, {Instruction::Op::loop, 2});
               }),
               FindingKind::malformed, "loop without end");
  EXPECT_FINDS(after([](Program& p) { p.templates[kLoad].slot = 16; }), FindingKind::malformed, "slot");
  EXPECT_FINDS(after([](Program& p) { p.templates[kLoad].dependencies[0].age = 4; }), FindingKind::malformed,
               "dependency");
  EXPECT_FINDS(after([](Program& p) { p.templates[kLoad].queue = 9; }), FindingKind::malformed, "queue");
  EXPECT_FINDS(after([](Program& p) { p.queues[1].engine = 7; }), FindingKind::malformed,
               "queue dma belongs to engine 7");
  EXPECT_FINDS(after([](Program& p) { p.queues[2].channel = 2; }), FindingKind::malformed, "queue dma.1 is channel 2");
  EXPECT_FINDS(after([](Program& p) { p.queues[2].channel = 0; }), FindingKind::malformed, "repeats a channel");
  EXPECT_FINDS(after([](Program& p) { p.arenas[kL1].name = "l9"; }), FindingKind::malformed, "l9");
  EXPECT_FINDS(after([](Program& p) { p.arenas[kL1].name = "l2"; }), FindingKind::malformed, "two arenas");
  EXPECT_FINDS(after([](Program& p) {
                 p.section({"unused", 1, 1}), p.code.pop_back();
               }),
               FindingKind::malformed, "2 sections are declared");
  EXPECT_FINDS(after([](Program& p) { p.buffers[0].arena = 5; }), FindingKind::malformed, "arena 5");
  EXPECT_FINDS(after([](Program& p) { p.outputs[0].offset = 4000; }), FindingKind::bounds, "output out");
  EXPECT_FINDS(after([](Program& p) {
                 p.preloads = {{kL1, 512, 64, 0}};
               }),
               FindingKind::bounds, "beyond the constants image");
}

TEST(Check, FindsTasksInFlightAtAQuiescentPoint) {
  EXPECT_FINDS(after([](Program& p) { p.code.pop_back(); }), FindingKind::quiescence,
               "may be in flight before the end");
}

TEST(Check, NamesSimilarFindingsOnce) {
  const auto found = after([](Program& p) { p.templates[kCompute].dependencies.clear(); });
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(found[i].message, found[j].message);
  EXPECT_LT(found.size(), 8u);
}

}  // namespace
}  // namespace dse::test::check_test
