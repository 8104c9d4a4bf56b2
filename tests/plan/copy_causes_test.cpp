// What the account says that a copy moves is what its bytes are: constants, a tensor on its way to a call, or one that
// a call of this section has made.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "sim/platform.h"
#include "tests/support/random_cases.h"

namespace dse::copy_causes_test {
namespace {

/// Where the bytes of every arena come from, as the tasks run one after the other.
class Origins {
 public:
  enum Tag : int { before = -1, constant = -2 };  // else the section of the call that made them
  explicit Origins(const program::Program& p) : p_(p) {
    for (const auto& a : p.arenas) tags_.emplace_back(static_cast<std::size_t>(a.size), before);
    if (p.constants_arena >= 0) put(p.constants_arena, 0, p.constants_size, constant);
    for (const auto& l : p.preloads) put(l.arena, l.offset, l.offset + l.size, constant);
  }

  /// Of what a copy reads; the bytes that it writes have it from now on. @returns the one tag of all its bytes.
  int moved(const program::TaskInstance& t) {
    int tag = before;
    bool first = true;
    footprint(t);
    for (const auto& a : accesses_)
      for (auto at = a.begin; !a.write && at < a.end; ++at) {
        const int here = of(a.arena)[static_cast<std::size_t>(at)];
        EXPECT_TRUE(first || here == tag) << "a copy of bytes of several origins";
        tag = here, first = false;
      }
    for (const auto& a : accesses_)
      if (a.write) put(a.arena, a.begin, a.end, tag);
    return tag;
  }
  /// A call, or a fill: what it writes is made in its section.
  void made(const program::TaskInstance& t) {
    footprint(t);
    for (const auto& a : accesses_)
      if (a.write) put(a.arena, a.begin, a.end, t.section);
  }

 private:
  std::vector<int>& of(int arena) { return tags_[static_cast<std::size_t>(arena)]; }
  void put(int arena, std::int64_t begin, std::int64_t end, int tag) {
    std::fill(of(arena).begin() + begin, of(arena).begin() + end, tag);
  }
  void footprint(const program::TaskInstance& t) {
    accesses_.clear();
    t.task->kind->footprint(t, accesses_);
  }

  const program::Program& p_;
  std::vector<std::vector<int>> tags_;
  std::vector<program::Access> accesses_;
};

struct Seen {
  int staged = 0;  // copies of constants that have left the constants memory before
  std::map<sim::Cause, int> causes;
};

/// @returns what is wrong, or "".
std::string compare(const program::Program& p, const hw::Device& device, Seen& seen) {
  auto& platform = sim::Platform::instance();
  platform.configure(std::make_shared<const hw::Device>(device));
  const auto result =
      platform.run({sim::whole_program(p, device)}, {.data = false, .accounts = true, .trace = true}, {});
  if (result.failure) return result.failure->what;
  Origins origins(p);
  program::Walker walker(p);
  std::size_t at = 0;
  for (program::TaskInstance t; walker.next(t);) {
    if (t.task->kind->is_wait()) continue;
    const auto& ran = result.details.at(at);
    const auto& record = result.trace.at(at++);
    if (&p.templates[static_cast<std::size_t>(record.template_index)] != t.task) return "the trace has another order";
    const auto* copy = dynamic_cast<const program::CopyPayload*>(t.task->payload.get());
    if (!copy || copy->fill) {
      origins.made(t);
      continue;
    }
    const int tag = origins.moved(t);
    const auto expected = tag == Origins::constant ? sim::Cause::dma_weights
                          : tag == t.section       ? sim::Cause::dma_output
                                                   : sim::Cause::dma_input;
    seen.staged += tag == Origins::constant && copy->from.arena != p.constants_arena;
    ++seen.causes[expected];
    if (ran.cause != expected)
      return p.sections[static_cast<std::size_t>(t.section)].name + ": a copy from " +
             p.arenas[static_cast<std::size_t>(copy->from.arena)].name + " to " +
             p.arenas[static_cast<std::size_t>(copy->to.arena)].name + " is " + sim::name_of(expected) +
             ", the account says " + sim::name_of(ran.cause);
  }
  return "";
}

void draw(std::uint64_t seeds, const std::function<hw::DevicePtr(test::Random&)>& device_of, Seen& seen) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = device_of(random);
    if (!device) continue;
    for (auto&& made :
         {plan::make_plan(*network, *device, test::random_choices(random, *network, *device, seed % 2 == 0)),
          plan::rule_based_plan(*network, *device, false)}) {
      const auto* plan = std::get_if<plan::Plan>(&made);
      if (!plan) continue;
      ASSERT_EQ(compare(plan::lower(*network, *device, *plan), *device, seen), "")
          << plan->origin << ", seed " << seed << ", device " << device->name;
    }
  }
}

TEST(CopyCauses, AreWhatTheBytesAreOnDrawnPlansAndDevices) {
  Seen seen;
  draw(
      200, [](test::Random& random) { return test::random_device(random, random() % 2); }, seen);
  draw(
      100, [](test::Random& random) { return test::with_batches(*test::random_device(random), random); }, seen);
  draw(
      100, [](test::Random& random) { return test::with_tensors_outside(*test::random_device(random)); }, seen);
  EXPECT_GT(seen.staged, 200);
  EXPECT_GT(seen.causes[sim::Cause::dma_weights], 500);
  EXPECT_GT(seen.causes[sim::Cause::dma_input], 500);
  EXPECT_GT(seen.causes[sim::Cause::dma_output], 500);
}

}  // namespace
}  // namespace dse::copy_causes_test
