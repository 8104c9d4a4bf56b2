// The runtime in C expands the encoded program to exactly the instances that the walker in C++ gives.
#include <gtest/gtest.h>

#include <cstring>

#include "dse_runtime.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "tests/deploy/random_program.h"
#include "tests/deploy/shipment.h"
#include "tests/support/random_cases.h"

namespace dse::walk_test {
namespace {

using namespace program;

bool same(dse_span a, dse_span b) { return a.lo == b.lo && a.hi == b.hi; }

/// The bound view equals the program's: base - arena base is its offset.
bool same(const dse_view& is, std::uint8_t arena, const std::uint8_t* base, const View& want) {
  View v{arena, is.base - base, is};
  return v == want;
}

/// @returns what differs, or "".
std::string difference(const TaskInstance& want, const dse_task& is, const test::ArenaMemory& arenas) {
  if (is.kind != want.task->kind->code()) return "kind";
  if (is.queue != want.queue || is.sequence != want.sequence || is.section != want.section) return "place";
  if (is.after_count != want.after_count) return "number of completions";
  for (int i = 0; i < is.after_count; ++i)
    if (is.after[i].queue != want.after[static_cast<std::size_t>(i)].queue ||
        is.after[i].count != want.after[static_cast<std::size_t>(i)].count)
      return "completion";
  const auto view = [&](int role, const View& v) {
    if (!v.present()) return is.view[role].base == nullptr;
    return is.view[role].base && same(is.view[role], is.arena[role], arenas[is.arena[role]].base, v);
  };
  if (const auto* p = dynamic_cast<const CopyPayload*>(want.task->payload.get())) {
    if (!same(is.tile.y, p->y.at(want.loops)) || !same(is.tile.x, p->x.at(want.loops)) ||
        !same(is.tile.c, p->c.at(want.loops)))
      return "box";
    if (is.fill != p->fill || is.value != p->value) return "fill";
    if (!view(DSE_OUT, p->to) || (!p->fill && !view(DSE_IN0, p->from))) return "view";
  } else if (const auto* c = dynamic_cast<const CallPayload*>(want.task->payload.get())) {
    if (!same(is.tile.y, c->y.at(want.loops)) || !same(is.tile.x, c->x.at(want.loops)) ||
        !same(is.tile.c, c->c.at(want.loops)))
      return "tile";
    const bool split = c->k.limit > 0;
    const dse_span k = split ? c->k.at(want.loops) : dse_span{0, c->parameters->in_c};
    if (!same(is.tile.k, k)) return "input channels";
    unsigned flags = DSE_FIRST | DSE_LAST;
    if (c->accumulate) flags = (k.lo == 0 ? 1u : 0u) | (k.hi == (split ? c->k.limit : c->parameters->in_c) ? 2u : 0u);
    if (is.tile.flags != flags) return "flags";
    if (std::memcmp(&is.op, c->parameters, sizeof is.op) != 0) return "operator";
    for (int role = 0; role < DSE_ROLES; ++role)
      if (!view(role, c->views[static_cast<std::size_t>(role)])) return "operand " + std::to_string(role);
  }
  return "";
}

/// @returns number of instances compared; fails the test at the first difference.
int compare(const Program& p, const std::string& label) {
  const auto bytes = encode(p);
  dse_runtime rt;
  EXPECT_EQ(dse_open(&rt, bytes.data(), static_cast<std::uint32_t>(bytes.size())), DSE_OK) << label;
  test::ArenaMemory arenas(rt);
  std::vector<std::uint8_t> constants(static_cast<std::size_t>(p.constants_size));
  constants.push_back(0);
  EXPECT_EQ(dse_bind(&rt, arenas.data(), arenas.count(), constants.data()), DSE_OK) << label;
  for (int round = 0; round < 2; ++round) {  // a second walk starts afresh
    dse_rewind(&rt);
    Walker walker(p);
    TaskInstance want;
    dse_task is;
    int n = 0;
    for (; walker.next(want); ++n) {
      if (dse_next(&rt, &is) != 1) {
        ADD_FAILURE() << label << ": the runtime ends at instance " << n;
        return n;
      }
      const std::string d = difference(want, is, arenas);
      if (!d.empty()) {
        ADD_FAILURE() << label << ": instance " << n << ": " << d;
        return n;
      }
    }
    EXPECT_EQ(dse_next(&rt, &is), 0) << label;
    EXPECT_EQ(dse_next(&rt, &is), 0) << label << ": stays at the end";
    if (round == 1) return n;
  }
  return 0;
}

TEST(Walk, RandomProgramsExpandAlike) {
  int instances = 0;
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed)
    instances += compare(test::random_program(seed), "seed " + std::to_string(seed));
  EXPECT_GT(instances, 10000);
}

TEST(Walk, AChainOfLayersExpandsAlike) { EXPECT_GT(compare(test::chain(30), "chain"), 1000); }

TEST(Walk, LoweredPlansExpandAlike) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 120 && !HasFailure(); ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device));
    if (const auto* plan = std::get_if<plan::Plan>(&made)) {
      compare(plan::lower(*network, *device, *plan), "plan " + std::to_string(seed));
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

}  // namespace
}  // namespace dse::walk_test
