// The house is open: a new kind of task, a new choice and a new metric, in this one file, touching no other.
#include <algorithm>

#include "explore/layer/layer_search.h"
#include "explore/workers/transport.h"
#include "plan/check/check.h"
#include "program/encoding.h"
#include "sim/metrics.h"
#include "tests/sim/support.h"
#include "tests/support/random_cases.h"

namespace dse::sim::testing {
namespace {

/// Inverts every bit of a stretch of memory in place.
struct InvertPayload : program::Payload {
  int arena = 0;
  std::int64_t offset = 0, size = 0;
};
class InvertKind final : public program::TaskKind {
 public:
  std::string_view name() const override { return "invert"; }
  std::uint8_t code() const override { return 200; }
  void footprint(const program::TaskInstance& t, std::vector<program::Access>& out) const override {
    const auto& p = of(*t.task);
    for (const bool write : {false, true}) out.push_back({p.arena, p.offset, p.offset + p.size, write});
  }
  program::TaskCost time(const program::TaskInstance& t, const program::CostModel&) const override {
    program::TaskCost cost;
    cost.fixed = 11;
    cost.busy = cost.compute = 2 * of(*t.task).size;
    return cost;
  }
  bool execute(const program::TaskInstance& t, const program::ByteSpace& bytes) const override {
    const auto& p = of(*t.task);
    std::uint8_t* b = bytes.base(p.arena) + p.offset;
    for (std::int64_t i = 0; i < p.size; ++i) b[i] = static_cast<std::uint8_t>(~b[i]);
    return true;
  }
  void encode(const program::TaskTemplate& t, program::Encoder& out) const override {
    out.varint(static_cast<std::uint64_t>(of(t).offset));
    out.varint(static_cast<std::uint64_t>(of(t).size));
  }

 private:
  static const InvertPayload& of(const program::TaskTemplate& t) {
    return static_cast<const InvertPayload&>(*t.payload);
  }
};

/// 16 bytes of the input travel to near memory, are inverted there, and travel back to the output.
Program inverting_program() {
  static const InvertKind invert;
  Program p = small_program();
  p.section({"only", 0, 0});
  p.inputs = {{"in", 0, 1, 0, 16}};
  p.outputs = {{"out", 1, 1, 100, 16}};
  p.buffers = {{"in", program::BufferRole::tensor, 1, 0, 16, 0, 0, 0},
               {"out", program::BufferRole::tensor, 1, 100, 16, 0, 0, 1},
               {"tile", program::BufferRole::tile, 0, 0, 16, 0, 0, -1}};
  load(p, 0, 0, {}, 0, 0, 16);
  auto payload = std::make_shared<InvertPayload>();
  payload->size = 16;
  p.task({&invert, 2, 1, {{0, 0}}, payload});
  store(p, 0, 2, {{1, 0}}, 0, 100, 16);
  wait(p);
  return p;
}

constexpr std::int64_t kTicks = (5 + 10 + 4) + (11 + 32) + (5 + 4);

TEST(Open, AnotherKindOfTaskIsWalkedTimedAndExecuted) {
  const Program p = inverting_program();
  EXPECT_EQ(program::count_tasks(p), 4);
  std::vector<std::string> kinds;
  program::Walker walker(p);
  for (program::TaskInstance t; walker.next(t);) kinds.emplace_back(t.task->kind->name());
  EXPECT_THAT(kinds, ::testing::ElementsAre("copy", "invert", "copy", "wait"));

  const std::vector<std::uint8_t> input(16, 0x0F);
  const RunResult r = run(p, small_device(), {.data = true}, {{{}, {input}}});
  ASSERT_FALSE(r.failure) << r.failure->what;
  EXPECT_EQ(r.outputs[0], std::vector<std::uint8_t>(16, 0xF0));
  EXPECT_EQ(r.ticks, kTicks);
  EXPECT_EQ(r.layers[0].ticks[static_cast<std::size_t>(Cause::compute)], 32);
}

TEST(Open, AnotherKindOfTaskIsChecked) {
  Program p = inverting_program();
  const auto findings = plan::check(p, small_device());
  EXPECT_TRUE(findings.empty()) << plan::to_string(findings);
  p.templates[1].dependencies.clear();  // now it races with the load
  const auto races = plan::check(p, small_device());
  ASSERT_FALSE(races.empty());
  EXPECT_TRUE(std::any_of(races.begin(), races.end(), [](const plan::Finding& f) {
    return f.kind == plan::FindingKind::race && f.message.find("invert") != std::string::npos;
  })) << plan::to_string(races);
}

TEST(Open, AnotherKindOfTaskIsEncoded) {
  const Program p = inverting_program();
  const auto bytes = program::encode(p);
  EXPECT_NE(std::find(bytes.begin(), bytes.end(), 200), bytes.end()) << "its code";
  Program other = inverting_program();
  auto larger = std::make_shared<InvertPayload>();
  larger->size = 12;
  other.templates[1].payload = larger;
  EXPECT_NE(program::encode(other), bytes) << "its payload";
}

/// Whether a layer's input is kept for a later run: a decision that no planner knows.
plan::Choice keep_choice() {
  plan::Choice keep;
  keep.name = "keep";
  keep.doc = "whether the input is kept";
  keep.needs = {"buffering"};
  keep.domain = [](const plan::LayerContext&, const plan::LayerChoice& l) {
    return l.buffering == plan::Buffering::twice ? std::vector<int>{0, 1, 2} : std::vector<int>{0};
  };
  keep.get = [](const plan::LayerChoice& l) {
    const auto it = l.further.find("keep");
    return it == l.further.end() ? 0 : it->second;
  };
  keep.set = [](plan::LayerChoice& l, int v) { l.further["keep"] = v; };
  keep.text = [](const hw::Device&, int v) { return "for-" + std::to_string(v); };
  keep.parse = [](const hw::Device&, const std::string& s) -> std::optional<int> {
    return s.size() == 5 && s.starts_with("for-") && s[4] >= '0' && s[4] <= '2' ? std::optional<int>(s[4] - '0')
                                                                                : std::nullopt;
  };
  return keep;
}

TEST(Open, AnotherChoiceIsEnumeratedRestrictedSearchedAndKept) {
  auto registry = plan::ChoiceRegistry::standard();
  const auto standard = registry;
  registry.add(keep_choice());
  EXPECT_ANY_THROW(registry.add(keep_choice()));
  ASSERT_NE(registry.find("keep"), nullptr);

  test::Random random(2);
  const auto network = test::random_network(random);
  const auto device = test::random_device(random);
  const explore::Space space(*network, *device, explore::SweepSpec());
  const explore::LayerTask* task = nullptr;
  std::int64_t doubled = 0;
  for (const auto& t : space.tasks) {
    const auto all = explore::enumerate(t, standard, {});
    doubled = std::count_if(all.begin(), all.end(),
                            [](const plan::LayerChoice& c) { return c.buffering == plan::Buffering::twice; });
    if (doubled == 0) continue;
    task = &t;
    const auto more = explore::enumerate(t, registry, {});
    EXPECT_EQ(more.size(), all.size() + 2 * static_cast<std::size_t>(doubled));
    for (const auto& c : more) EXPECT_EQ(c.further.count("keep"), 1u);
    break;
  }
  ASSERT_NE(task, nullptr);
  const auto only = explore::enumerate(*task, registry, {{"keep", {"for-2"}}, {"buffering", {"double"}}});
  ASSERT_FALSE(only.empty());
  for (const auto& c : only) EXPECT_EQ(c.further.at("keep"), c.buffering == plan::Buffering::twice ? 2 : 0);

  // It is carried through a search, and from a worker to its parent.
  const auto front =
      explore::search_layer(*task, registry, {{"keep", {"for-1"}}}, explore::default_goal(*task->context.device));
  ASSERT_FALSE(front.entries.empty());
  const auto received = explore::layer_front_from(explore::to_bytes(front));
  for (std::size_t i = 0; i < front.entries.size(); ++i) {
    EXPECT_EQ(received.entries[i].choice, front.entries[i].choice);
    EXPECT_EQ(received.entries[i].choice.further.at("keep"),
              front.entries[i].choice.buffering == plan::Buffering::twice ? 1 : 0);
  }
}

TEST(Open, AnotherMetricIsMeasured) {
  const Program p = inverting_program();
  const hw::Device d = small_device();
  const RunResult r = run(p, d);
  MetricRegistry metrics = MetricRegistry::standard();
  metrics.add(Metric{"compute_share", "%", "simulated", [](const RunResult& run, const Program&, const hw::Device&) {
                       std::int64_t compute = 0;
                       for (const LayerAccount& l : run.layers)
                         compute += l.ticks[static_cast<std::size_t>(Cause::compute)];
                       return 100.0 * static_cast<double>(compute) / static_cast<double>(run.ticks);
                     }});
  bool found = false;
  for (const MetricValue& m : metrics.measure(r, p, d))
    if (m.name == "compute_share") {
      found = true;
      EXPECT_NEAR(m.value, 100.0 * 32 / static_cast<double>(kTicks), 1e-9);
    }
  EXPECT_TRUE(found);
  EXPECT_ANY_THROW(metrics.add(Metric{"latency", "", "", {}}));
}

}  // namespace
}  // namespace dse::sim::testing
