// Plans are untrusted bytes: whatever they hold, the runtime reports an error or stays within its arenas. Run under the
// asan preset this also proves that it reads nothing outside the plan.
#include <gtest/gtest.h>

#include <memory>

#include "base/crc32.h"
#include "dse_exec.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "tests/deploy/random_program.h"
#include "tests/support/random_cases.h"

namespace dse::robustness_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The plan in a heap block of exactly its size.
int open(dse_runtime& rt, const Bytes& bytes) {
  const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return dse_open(&rt, exact.get(), static_cast<std::uint32_t>(bytes.size()));
}

void seal(Bytes& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < 4; ++i) b[8 + i] = static_cast<std::uint8_t>(n >> (8 * i));
  const std::uint32_t crc = crc32c(b.data(), n - 4);
  for (std::size_t i = 0; i < 4; ++i) b[n - 4 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
}

TEST(Robustness, EveryFlippedBitIsNoticed) {
  const Bytes good = program::encode(test::random_program(3));
  dse_runtime rt;
  ASSERT_EQ(open(rt, good), DSE_OK);
  for (std::size_t i = 0; i < good.size() * 8; ++i) {
    Bytes bad = good;
    bad[i / 8] ^= static_cast<std::uint8_t>(1 << i % 8);
    ASSERT_LT(open(rt, bad), 0) << "bit " << i;
  }
}

TEST(Robustness, CutAndLengthenedPlansAreRefused) {
  const Bytes good = program::encode(test::random_program(4));
  dse_runtime rt;
  for (std::size_t n = 0; n < good.size(); ++n)
    ASSERT_LT(open(rt, Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n))), 0) << n;
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_EQ(open(rt, longer), DSE_ERR_LENGTH);
  for (std::size_t n = 16; n < good.size(); ++n) {  // cut, but with matching length and CRC
    Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    seal(cut);
    ASSERT_LT(open(rt, cut), 0) << n;
  }
}

TEST(Robustness, NewerFormatsAreRefusedByName) {
  Bytes plan = program::encode(test::random_program(5));
  plan[4] = program::kPlanFormat + 1;
  seal(plan);
  dse_runtime rt;
  EXPECT_EQ(open(rt, plan), DSE_ERR_FORMAT);
  plan[0] = 'X';
  EXPECT_EQ(open(rt, plan), DSE_ERR_MAGIC);
}

/// Changes a few bytes, inserts or removes some, and makes length and CRC match again.
Bytes mutate(Bytes b, std::mt19937_64& random) {
  for (int i = 0, n = 1 + static_cast<int>(random() % 3); i < n; ++i) {
    const std::size_t at = 12 + random() % (b.size() - 16);
    const auto value = static_cast<std::uint8_t>(random() % 4 ? random() : 0xff);
    switch (random() % 8) {
      case 0:
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), value);
        break;
      case 1:
        if (b.size() > 40) b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 2:
        b[at] ^= static_cast<std::uint8_t>(1 << random() % 8);
        break;
      default:
        b[at] = value;
    }
  }
  seal(b);
  return b;
}

struct Survey {
  int refused = 0, stopped = 0, tasks = 0;
};

/// Walks a (possibly damaged) plan for at most 3,000 steps and executes its copies between guard bytes.
void walk(const Bytes& bytes, Survey& survey) {
  constexpr std::size_t kGuard = 64;
  dse_runtime rt;
  const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  if (dse_open(&rt, exact.get(), static_cast<std::uint32_t>(bytes.size())) != DSE_OK) {
    ++survey.refused;
    return;
  }
  std::vector<Bytes> arenas;
  std::vector<dse_arena> bases;
  for (int i = 0; i < dse_arena_count(&rt); ++i) {
    if (dse_arena_size(&rt, i) > 1u << 22) return;  // a mutated size: nothing of the plan is at fault
    if (dse_arena_alignment(&rt, i) > 16) return;   // a mutated alignment
    arenas.emplace_back(dse_arena_size(&rt, i) + 2 * kGuard, std::uint8_t{0x5A});
  }
  for (Bytes& a : arenas) bases.push_back({a.data() + kGuard, static_cast<std::uint32_t>(a.size() - 2 * kGuard)});
  if (dse_constants_size(&rt) > 1u << 22) return;
  Bytes constants(dse_constants_size(&rt));
  constants.push_back(0);
  if (dse_bind(&rt, bases.data(), static_cast<std::int32_t>(bases.size()), constants.data()) != DSE_OK) {
    ++survey.refused;
    return;
  }
  dse_rewind(&rt);
  dse_task t;
  for (int step = 0; step < 3000; ++step) {
    const int status = dse_advance(&rt, &t);
    if (status <= 0) {
      survey.stopped += status < 0;
      break;
    }
    if (status != DSE_STEP_TASK) continue;
    ++survey.tasks;
    ASSERT_TRUE(t.queue >= -1 && t.queue < DSE_MAX_QUEUES && t.after_count <= DSE_MAX_QUEUES);
    if (t.kind == DSE_TASK_CALL)
      (void)dse_check(&rt, &t);  // kernels would compute nonsense, though only within these bounds
    else
      (void)dse_execute(&rt, &t);
  }
  for (const Bytes& a : arenas)
    for (std::size_t i = 0; i < kGuard; ++i)
      ASSERT_TRUE(a[i] == 0x5A && a[a.size() - 1 - i] == 0x5A) << "wrote outside an arena";
}

TEST(Robustness, MutatedPlansStayWithinBounds) {
  std::mt19937_64 random(7);
  std::vector<Bytes> seeds;
  for (std::uint64_t s = 0; s < 12; ++s) seeds.push_back(program::encode(test::random_program(s, true)));
  for (std::uint64_t s = 0; s < 6; ++s) seeds.push_back(program::encode(test::random_program(s)));
  for (std::uint64_t s = 0; s < 12; ++s) {
    test::Random r(s);
    const auto network = test::random_network(r);
    const auto device = test::random_device(r);
    auto made = plan::make_plan(*network, *device, test::random_choices(r, *network, *device));
    if (const auto* p = std::get_if<plan::Plan>(&made))
      seeds.push_back(program::encode(plan::lower(*network, *device, *p)));
  }
  Survey survey;
  for (int i = 0; i < 16000 && !HasFatalFailure(); ++i)
    walk(mutate(seeds[static_cast<std::size_t>(i) % seeds.size()], random), survey);
  std::printf("%d refused, %d stopped while walking, %d tasks walked\n", survey.refused, survey.stopped, survey.tasks);
  EXPECT_GT(survey.refused, 500);
  EXPECT_GT(survey.tasks, 50000);
}

TEST(Robustness, ATaskOutsideItsArenaIsRefused) {
  program::Program p;
  p.arenas = {{"l1", 64, 4}};
  p.queues = {{"dma", 0, 0}};
  auto copy = std::make_shared<program::CopyPayload>();
  copy->fill = true;
  copy->to.arena = 0;
  copy->to.offset = 1;
  copy->to.shape = dse_view{nullptr, 8, 8, 1, 0, 0, 0, 0, 0, 0, 1};
  copy->y = program::Range::tiles(0, 1, 8);
  copy->x = program::Range::whole(1), copy->c = program::Range::whole(8);
  p.loop(8);
  p.task({&program::copy_kind(), 0, program::kNoSlot, {}, copy});
  p.end();
  const Bytes bytes = program::encode(p);
  Survey survey;
  walk(bytes, survey);
  EXPECT_EQ(survey.tasks, 8);
  dse_runtime rt;
  Bytes arena(64);
  const dse_arena base{arena.data(), 64};
  ASSERT_EQ(dse_open(&rt, bytes.data(), static_cast<std::uint32_t>(bytes.size())), DSE_OK);
  ASSERT_EQ(dse_bind(&rt, &base, 1, nullptr), DSE_OK);
  dse_task t;
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(dse_next(&rt, &t), 1);
    EXPECT_EQ(dse_execute(&rt, &t), DSE_OK) << i;
  }
  ASSERT_EQ(dse_next(&rt, &t), 1);
  EXPECT_EQ(dse_execute(&rt, &t), DSE_ERR_ARENA);  // row 7 would end at byte 65
}

/// Its states and filters are found by row and unit, whatever lies in the operands.
TEST(Robustness, ATaskBesideTheOutputsOfALayerWithStatesIsRefused) {
  Bytes arena(1024);
  dse_runtime rt{};
  rt.arena[0] = arena.data(), rt.arena_size[0] = 1024, rt.constants_arena = -1;
  dse_task t{};
  t.kind = DSE_TASK_CALL;
  t.op.kind = DSE_SVDF, t.op.in_h = t.op.out_h = 2, t.op.in_w = t.op.out_w = 1, t.op.in_c = t.op.out_c = 3;
  t.op.arg[0] = 1, t.op.arg[1] = 4, t.op.arg[3] = DSE_I8;
  t.op.arg[DSE_ARG_STATE0] = 24, t.op.arg[DSE_ARG_WEIGHT_BYTES] = 21, t.op.arg[DSE_ARG_RECORDS] = 3;
  ASSERT_TRUE(dse_op_is_sane(&t.op));
  for (auto& v : t.view) v.base = arena.data(), v.elem = 1, v.stride_h = 8, v.stride_w = 8, v.stride_c = 1;
  t.tile.y = {0, 2}, t.tile.x = {0, 1}, t.tile.c = {0, 3}, t.tile.k = {0, 3};
  t.tile.flags = DSE_FIRST | DSE_LAST;
  EXPECT_EQ(dse_check(&rt, &t), DSE_OK);
  for (auto* span : {&t.tile.y, &t.tile.x, &t.tile.c}) {
    ++span->hi;
    EXPECT_EQ(dse_check(&rt, &t), DSE_ERR_MALFORMED);
    --span->hi;
  }
}

}  // namespace
}  // namespace dse::robustness_test
