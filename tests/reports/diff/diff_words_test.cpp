// What people and programs read of a comparison.
#include "reports/diff/diff_words.h"

#include <gmock/gmock.h>

#include "tests/reports/diff/diff_case.h"

namespace dse::reports::diff_words_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// conv0 becomes planar: 100 cycles less of transfers, 64 bytes less of weights, 16 bytes less read from l3.
PointDiff planar() {
  const auto a = testing::by_hand("old");
  auto b = a;
  b.label = "new";
  b.point["id"] = "bbbbbbbb";
  b.point["assignment"]["conv0.scheme"] = "planar";
  auto& row = b.point["account"][0];
  row["cycles"] = 610, row["causes"] = {{"compute", 605}, {"dma_input", 5}};
  row["energy_fj"] = 550000, row["memories"]["l3"]["read_bytes"] = 48;
  b.point["latency_cycles"] = 910, b.point["energy_fj"] = 850000;
  b.point["memories"][0]["arena_bytes"] = 1000, b.point["memory_bytes"] = 1000;
  b.point["memories"][1]["read_bytes"] = 80, b.point["memories"][1]["energy_fj"] = 250000;
  b.point["buffers"][2]["counted_bytes"] = 192;
  return diff_points(a, b);
}

TEST(DiffWords, Markdown) {
  Document out;
  describe(planar(), out);
  EXPECT_EQ(out.markdown(), R"(### aaaaaaaa -> bbbbbbbb

A  old: aaaaaaaa (front) of net on dev

B  new: bbbbbbbb (front) of net on dev

|  | A | B | difference |  |
|---|---:|---:|---:|---|
| latency, cycles | 1,000 | 910 | -90 | -9 % |
| memory on chip, bytes | 1,100 | 1,000 | -100 | -9 % |
| load on chip, bytes | 1,024 | 960 | -64 | -6 % |
| traffic off chip, bytes | 96 | 80 | -16 | -17 % |
| energy, pJ (estimate) | 900.000 | 850.000 | -50.000 | -6 % |

### cycles by layer and cause, B - A

| layer | A | B | difference | compute | DMA: input | choices |
|---|---:|---:|---:|---:|---:|---|
| conv0 | 700 | 610 | -90 | +5 | -95 | scheme: interleaved -> planar |
| 1 layer without difference | 300 | 300 | 0 | 0 | 0 | |
| **total** | **1,000** | **910** | **-90** | **+5** | **-95** | |

### arenas in bytes: load is what is alive at the peak, packing what the arena needs beyond it

| memory | A | B | difference | = load | + packing | peak in A | peak in B |
|---|---:|---:|---:|---:|---:|---|---|
| l1 | 1,100 | 1,000 | -100 | -64 | -36 | conv0 | conv0 |

### alive at the peak of l1, bytes

by role: weights -64

| buffer | role | A | B | difference |
|---|---|---:|---:|---:|
| conv0.weights | weights | 256 | 192 | -64 |
| buffers of the same size | | 768 | 768 | 0 |
| **total** | | **1,024** | **960** | **-64** |

### bytes moved by layer and memory, B - A

| layer | l3 read |
|---|---:|
| conv0 | -16 |
| **total** | **-16** |

### energy in pJ (estimate)

|  | A | B | difference |
|---|---:|---:|---:|
| l1 | 100.000 | 100.000 | 0.000 |
| l3 | 300.000 | 250.000 | -50.000 |
| arithmetic | 500.000 | 500.000 | 0.000 |
| **total** | **900.000** | **850.000** | **-50.000** |
)");
}

TEST(DiffWords, TextHasTheSameRowsInColumns) {
  Document out;
  describe(planar(), out);
  EXPECT_THAT(out.text(),
              AllOf(HasSubstr("\n  layer                           A    B  difference  compute  DMA: input  choices\n"
                              "  conv0                         700  610         -90       +5         -95  scheme: "
                              "interleaved -> planar\n"),
                    HasSubstr("\n  total                       1,000  910         -90       +5         -95\n")));
}

TEST(DiffWords, EqualPointsSaySo) {
  const auto a = testing::by_hand("a");
  Document out;
  describe(diff_points(a, a), out);
  EXPECT_THAT(out.text(), AllOf(HasSubstr("equal: the same choices"), Not(HasSubstr("layer  "))));
}

TEST(DiffWords, OtherClocksAreStatedAndTimeHasATableOfItsOwn) {
  auto a = testing::by_hand("a"), b = a;
  b.front["clock_hz"] = 150000000;
  b.point["account"][1]["causes"] = {{"compute", 250}, {"issue", 50}};
  Document out;
  describe(diff_points(a, b), out);
  EXPECT_THAT(out.text(),
              AllOf(HasSubstr("a cycle is one of each device's own fastest clock: 100 MHz in A, 150 MHz in B\n"),
                    HasSubstr("time by layer and cause, in units of 1/300,000,000 s; B - A\n"
                              "a cycle is 3 units in A (100 MHz) and 2 in B (150 MHz)\n"),
                    HasSubstr("\n  total  3,000  2,000      -1,000")));
}

TEST(DiffWords, JsonIsCompleteAndAddsUp) {
  const auto j = to_json(planar());
  ASSERT_EQ(j.at("layers").size(), 2u);  // also the one without a difference
  std::int64_t sum = 0;
  for (const auto& l : j.at("layers"))
    for (const auto& [cause, pair] : l.at("causes").items()) sum += pair.at("difference").get<std::int64_t>();
  EXPECT_EQ(sum, j.at("latency_cycles").at("difference").get<std::int64_t>());
  EXPECT_EQ(j.at("layers")[0].at("choices").at("scheme").at("b"), "planar");
  EXPECT_EQ(j.at("memories")[0].at("buffers").size(), 3u);
  EXPECT_FALSE(j.at("equal").get<bool>());
}

TEST(Document, MarkdownEscapesWhatItWouldRead) {
  Document out;
  out.line("a|b *c* `d` <e>");
  out.table({{{"x|y", false}}, {{"_1_"}}, false});
  out.table({{{"empty"}}, {}, false});
  EXPECT_EQ(out.markdown(), "a\\|b \\*c\\* \\`d\\` \\<e>\n\n| x\\|y |\n|---|\n| \\_1\\_ |\n");
}

}  // namespace
}  // namespace dse::reports::diff_words_test
