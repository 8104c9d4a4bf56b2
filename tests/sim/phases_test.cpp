// Sections that run several layers by phases: whose tick is whose, and what shares bytes when.
#include <random>

#include "program/section_layers.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::sim_phases_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t ticks(const LayerAccount& l, Cause c) { return l.ticks[static_cast<std::size_t>(c)]; }

/// The template added last works for this operator.
void of_layer(Program& p, int layer) { p.templates.back().layer = layer; }

/// One section in which operators 3 and 5 take turns, twice: 5 reads what 3 made in the same round. Then a section of
/// one layer (operator 6).
Program two_by_phases() {
  Program p = small_program();
  p.section({"segment", 3, 0});
  p.loop(2);
  load(p, 0, 0, {}, 0, 0, 40), of_layer(p, 3);                 // 5 + 10 + 10 = 25 ticks
  add(p, 1, {{0, 0}, {2, 0}}, 0, 0, 512, 40), of_layer(p, 3);  // 7 + 40, in a ring of one round
  add(p, 2, {{1, 0}}, 512, 512, 600, 10), of_layer(p, 5);      // 7 + 10
  store(p, 1, 3, {{2, 0}}, 600, 4000, 10), of_layer(p, 5);     // 5 + 10 / 4
  p.end();
  wait(p);
  p.section({"last", 6, 1});
  add(p, 0, {}, 600, 600, 700, 5);
  return p;
}

TEST(Phases, AnEntryPerSectionAndLayerInOrder) {
  const Program p = two_by_phases();
  const program::SectionLayers layers(p);
  EXPECT_THAT(layers.rows(),
              ElementsAre(program::SectionLayer{0, 3}, program::SectionLayer{0, 5}, program::SectionLayer{1, 6}));
  EXPECT_TRUE(layers.by_phases(0));
  EXPECT_FALSE(layers.by_phases(1));
  const RunResult r = run(p, small_device());
  ASSERT_FALSE(r.failure);
  ASSERT_EQ(r.layers.size(), 3u);
  EXPECT_EQ(r.section_end.size(), 2u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::pair(r.layers[i].section, r.layers[i].layer),
              std::pair(layers.rows()[i].section, layers.rows()[i].layer));
  const LayerAccount &a = r.layers[0], &b = r.layers[1], &c = r.layers[2];
  EXPECT_EQ(ticks(a, Cause::compute), 2 * 40);
  EXPECT_EQ(ticks(a, Cause::dispatch), 2 * 7);
  EXPECT_EQ(ticks(a, Cause::dma_input), 25);  // the first load
  EXPECT_EQ(a.hidden_dma, 25 + 8);            // the second load and the first store
  EXPECT_EQ(ticks(b, Cause::compute), 2 * 10);
  EXPECT_EQ(ticks(b, Cause::dispatch), 2 * 7);
  EXPECT_EQ(b.total(), 2 * 17);  // 5 waits for nothing but 3's own calls
  EXPECT_EQ(ticks(c, Cause::compute), 5);
  EXPECT_EQ(a.total() + b.total() + c.total(), r.ticks);
  for (const TaskRecord& t : r.trace)
    EXPECT_EQ(r.layers[static_cast<std::size_t>(t.row)].layer,
              t.section == 1 ? 6 : p.templates[static_cast<std::size_t>(t.template_index)].layer);
}

TEST(Phases, AGapBelongsToTheNextCallAndATailToTheLastTransfer) {
  Program p = small_program();
  p.section({"segment", 0, 0});
  add(p, 0, {}, 0, 0, 512, 10), of_layer(p, 0);
  load(p, 0, 1, {}, 0, 100, 40), of_layer(p, 1);
  add(p, 2, {{1, 0}}, 100, 100, 600, 10), of_layer(p, 1);   // stands for its load: layer 1's ticks
  store(p, 1, 3, {{2, 0}}, 512, 4000, 40), of_layer(p, 0);  // the tail is a transfer of layer 0
  const RunResult r = run(p, small_device());
  ASSERT_EQ(r.layers.size(), 2u);
  EXPECT_EQ(ticks(r.layers[1], Cause::dma_input), 25 - 17);
  EXPECT_EQ(ticks(r.layers[0], Cause::dma_input), 0);
  EXPECT_GT(ticks(r.layers[0], Cause::dma_output), 0);
  EXPECT_EQ(ticks(r.layers[1], Cause::dma_output), 0);
  EXPECT_EQ(r.layers[0].total() + r.layers[1].total(), r.ticks);
}

TEST(Phases, TasksThatNameNoLayerAreTheSections) {
  Program p = small_program();
  p.section({"segment", 4, 0});
  load(p, 0, 0, {}, 0, 0, 40);
  add(p, 1, {{0, 0}}, 0, 0, 512, 40), of_layer(p, 7);
  EXPECT_THAT(program::SectionLayers(p).rows(), ElementsAre(program::SectionLayer{0, 4}, program::SectionLayer{0, 7}));
  EXPECT_THAT(program::SectionLayers(small_program()).rows(), ElementsAre(program::SectionLayer{0, 0}));
}

/// Splitting a section's ticks over layers takes none away and adds none: cause by cause, over random programs and over
/// jobs that take turns.
TEST(Phases, LayersOfASectionAddUpToTheSection) {
  std::mt19937 rng(21);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  for (int round = 0; round < 200; ++round) {
    Program whole = small_program();
    const int sections = pick(1, 3);
    for (int s = 0; s < sections; ++s) {
      whole.section({"s", 10 * s, s});
      whole.loop(pick(1, 5));
      for (int n = pick(1, 6); n > 0; --n) {
        const std::vector<Dependency> after = {{static_cast<std::uint8_t>(pick(0, 2)), 0}};
        const int slot = pick(0, 2), bytes = pick(1, 200);
        if (pick(0, 2) == 0)
          add(whole, slot, after, 0, 0, 512, bytes);
        else if (pick(0, 1))
          load(whole, pick(0, 2), slot, after, 0, 0, bytes);
        else
          store(whole, pick(0, 2), slot, after, 0, 0, bytes);
      }
      whole.end();
      if (pick(0, 1)) wait(whole);
    }
    hw::Device d = small_device();
    d.control = {.issue = pick(0, 9), .wait = pick(0, 9)};
    Platform::instance().configure(std::make_shared<const hw::Device>(d));
    const auto job = whole_program(whole, d);
    const RunResult before = Platform::instance().run({job, job}, {});
    for (auto& t : whole.templates) t.layer = pick(0, 3) == 0 ? -1 : pick(0, 4);
    const RunResult after = Platform::instance().run({job, job}, {});
    ASSERT_EQ(after.ticks, before.ticks);
    ASSERT_EQ(after.section_end, before.section_end);
    std::vector<LayerAccount> sum(before.layers.size());
    const program::SectionLayers layers(whole);
    const auto rows = layers.rows().size();
    ASSERT_EQ(after.layers.size(), 2 * rows);
    for (std::size_t i = 0; i < after.layers.size(); ++i) {
      ASSERT_EQ(after.layers[i].section, layers.rows()[i % rows].section);
      auto& section =
          sum[(i / rows) * static_cast<std::size_t>(sections) + static_cast<std::size_t>(after.layers[i].section)];
      for (std::size_t c = 0; c < section.ticks.size(); ++c) {
        ASSERT_GE(after.layers[i].ticks[c], 0);
        section.ticks[c] += after.layers[i].ticks[c];
      }
      section.hidden_dma += after.layers[i].hidden_dma;
    }
    std::int64_t total = 0;
    for (std::size_t s = 0; s < sum.size(); ++s) {
      EXPECT_EQ(sum[s].ticks, before.layers[s].ticks) << "round " << round << ", section " << s;
      EXPECT_EQ(sum[s].hidden_dma, before.layers[s].hidden_dma);
      total += sum[s].total();
    }
    EXPECT_EQ(total, after.ticks);
  }
}

/// Two buffers in the same bytes of one section: no overlap while their windows keep apart.
TEST(Phases, WindowsMayShareBytesAtDifferentTasks) {
  Program p = small_program();
  p.section({"segment", 0, 0});
  for (int i = 0; i < 4; ++i) load(p, 0, 0, {}, 0, 0, 10);
  p.buffers.push_back({"x", program::BufferRole::tensor, 0, 0, 40, 0, 0, 0});
  p.buffers.push_back({"y", program::BufferRole::tensor, 0, 20, 40, 0, 0, 1});
  const std::vector<std::uint8_t> input(100, 1);
  p.inputs = {{"in", 0, 1, 0, 100}};
  const auto outcome = [&] { return run(p, small_device(), {.data = true}, {{{}, {input}}}).failure; };
  const auto found = outcome();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->what, AllOf(HasSubstr("x and y"), HasSubstr("address 20")));
  p.buffers[0].windows = {{0, 0, 1, 0, 40}, {0, 2, 3, 0, 30}};
  p.buffers[1].windows = {{0, 2, 2, 10, 40}, {0, 3, 3, 0, 40}};
  ASSERT_TRUE(outcome());  // bytes 20 to 30 at task 3
  EXPECT_THAT(outcome()->what, HasSubstr("address 20"));
  p.buffers[1].windows[1].begin = 10;
  EXPECT_FALSE(outcome());
  p.buffers[0].windows[0].last_task = 2;
  ASSERT_TRUE(outcome());
  EXPECT_THAT(outcome()->what, HasSubstr("address 30"));
}

}  // namespace
}  // namespace dse::sim::testing::sim_phases_test
