// MiniMalloc's CSV: every way to write it, what is wrong where, and arbitrary bytes.
#include <gmock/gmock.h>

#include <random>

#include "plan/alloc/csv.h"

namespace dse::plan::alloc::alloc_csv_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Table good(const std::string& text) {
  Diagnostics d;
  auto table = read_csv(text, "f.csv", d);
  EXPECT_EQ(d.text(), "");
  return table ? *table : Table{};
}

std::string bad(const std::string& text) {
  Diagnostics d;
  EXPECT_FALSE(read_csv(text, "f.csv", d));
  EXPECT_TRUE(d.has_errors());
  return d.text();
}

TEST(AllocCsv, ReadsTheExampleOfMiniMalloc) {
  const auto t = good("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\n");
  EXPECT_THAT(t.buffers, ElementsAre(Buffer{"b1", 0, 3, 4, 1, {}, {}}, Buffer{"b2", 3, 9, 4, 1, {}, {}}));
  EXPECT_THAT(t.lines, ElementsAre(2, 3));
}

TEST(AllocCsv, ColumnsComeInAnyOrderWithTheirOtherNames) {
  const auto t = good("size,begin,buffer,upper,alignment\r\n18, 6 ,Big,12,2\r\n\r\n15,5,Little,10,");
  EXPECT_THAT(t.buffers, ElementsAre(Buffer{"Big", 6, 12, 18, 2, {}, {}}, Buffer{"Little", 5, 10, 15, 1, {}, {}}));
  EXPECT_THAT(t.lines, ElementsAre(2, 4));
  EXPECT_EQ(good("\xEF\xBB\xBFid,lower,upper,size\na,0,1,2\n").buffers.size(), 1u);
}

TEST(AllocCsv, EndIsTheLastStepOfLivesAndGaps) {
  const auto t = good("buffer_id,start,end,size,gaps\n1,6,11,18,7-8 \n0,5,20,15,9-10 12-13@0:4\n");
  EXPECT_THAT(t.buffers, ElementsAre(Buffer{"1", 6, 12, 18, 1, {{7, 9, 0}}, {}},
                                     Buffer{"0", 5, 21, 15, 1, {{9, 11, 0}, {12, 14, 0, 4}}, {}}));
}

TEST(AllocCsv, AnOffsetIsFixedUnlessItIsEmpty) {
  const auto t = good("id,lower,upper,size,offset\na,0,1,4,8\nb,0,1,4,\n");
  EXPECT_EQ(t.buffers[0].offset, 8);
  EXPECT_FALSE(t.buffers[1].offset);
}

TEST(AllocCsv, GapsCanKeepAWindow) {
  const auto t = good("id,lower,upper,size,gaps\na,0,9,8,2-4@1:6 5-6@3:3\n");
  EXPECT_THAT(t.buffers[0].gaps, ElementsAre(Gap{2, 4, 1, 6}, Gap{5, 6, 0, 0}));
  EXPECT_EQ(write_csv(t.buffers, {7}), "id,lower,upper,size,gaps,offset\na,0,9,8,2-4@1:6 5-6,7\n");
}

TEST(AllocCsv, WritesWhatItReads) {
  const std::string plain = "id,lower,upper,size,offset\na,0,3,4,8\nb,3,9,4,0\n";
  const auto t = good(plain);
  EXPECT_EQ(write_csv(t.buffers, {8, 0}), plain);
  const std::string all = "id,lower,upper,size,alignment,gaps,offset\na,0,3,4,1,,8\nb,3,9,4,2,4-5 6-8@1:2,0\n";
  EXPECT_EQ(write_csv(good(all).buffers, {8, 0}), all);
}

TEST(AllocCsv, SaysWhatIsWrongWithTheColumns) {
  EXPECT_THAT(bad(""), HasSubstr("f.csv:1:1: error: no line with the names of the columns"));
  EXPECT_THAT(bad("\n\n"), HasSubstr("no line with the names"));
  EXPECT_THAT(bad("id,lower,size\n"), HasSubstr("f.csv:1:1: error: no column 'upper'"));
  EXPECT_THAT(bad("id,lower,upper,sise\n"), HasSubstr("f.csv:1:16: error: unknown column 'sise'"));
  EXPECT_THAT(bad("id,lower,upper,end,size\n"), HasSubstr("f.csv:1:16: error: column 'upper' is there twice"));
}

TEST(AllocCsv, SaysWhatIsWrongWithARow) {
  const auto row = [](const std::string& text) { return bad("id,lower,upper,size,alignment,gaps,offset\n" + text); };
  EXPECT_THAT(row("a,0,1,2\n"), HasSubstr("f.csv:2:7: error: 4 fields for 7 columns"));
  EXPECT_THAT(row(",0,1,2,,,\n"), HasSubstr("f.csv:2:1: error: a buffer without id"));
  EXPECT_THAT(row("\"a\",0,1,2,,,\n"), HasSubstr("quoted fields are not understood"));
  EXPECT_THAT(row("a,0,1,2,,,\na,0,1,2,,,\n"), HasSubstr("f.csv:3:1: error: id 'a' is that of line 2 too"));
  EXPECT_THAT(row("a,x,1,2,,,\n"), HasSubstr("f.csv:2:3: error: lower 'x' is not a whole number from 0 to 2^56"));
  EXPECT_THAT(row("a,-1,1,2,,,\n"), HasSubstr("lower '-1'"));
  EXPECT_THAT(row("a,0,1,2.5,,,\n"), HasSubstr("f.csv:2:7: error: size '2.5'"));
  EXPECT_THAT(row("a,0,1,,,,\n"), HasSubstr("size ''"));
  EXPECT_THAT(row("a,0,1,99999999999999999999,,,\n"), HasSubstr("size '99999999999999999999'"));
  EXPECT_THAT(row("a,0,1,72057594037927937,,,\n"), HasSubstr("size '72057594037927937'"));
  EXPECT_THAT(row("a,0,1,2,0,,\n"), HasSubstr("f.csv:2:9: error: alignment '0' is not a whole number from 1 to 2^56"));
  EXPECT_THAT(row("a,3,1,2,,,\n"), HasSubstr("f.csv:2:5: error: the life ends at 1, before it begins at 3"));
  EXPECT_THAT(row("a,0,1,2,4,,6\n"), HasSubstr("f.csv:2:12: error: offset 6 is no multiple of the alignment 4"));
  EXPECT_THAT(row("a,0,1,72057594037927936,,,\nb,0,1,1,,,\n"), HasSubstr("the sum of all sizes and alignments"));
  // All that is wrong, not only the first.
  EXPECT_THAT(row("a,x,y,2,,,\nb,0,1,z,,,\n"), AllOf(HasSubstr("2:3"), HasSubstr("2:5"), HasSubstr("3:7")));
}

TEST(AllocCsv, SaysWhatIsWrongWithAGap) {
  const auto gaps = [](const std::string& text) { return bad("id,lower,upper,size,gaps\na,2,9,8," + text + "\n"); };
  EXPECT_THAT(gaps("3-4-5"), HasSubstr("f.csv:2:12: error: gaps '3-4-5' end in something else than 7-9 or 7-9@0:8"));
  EXPECT_THAT(gaps("A-B"), HasSubstr("gaps 'A-B'"));
  EXPECT_THAT(gaps("3-4@5"), HasSubstr("gaps '3-4@5'"));
  EXPECT_THAT(gaps("1-4"), HasSubstr("f.csv:2:9: error: gap 1-4 is empty, before the end of another one or outside"));
  EXPECT_THAT(gaps("3-5 4-6"), HasSubstr("f.csv:2:13: error: gap 4-6"));
  EXPECT_THAT(gaps("3-3"), HasSubstr("gap 3-3"));
  EXPECT_THAT(gaps("3-4@0:9"), HasSubstr("f.csv:2:9: error: the window 0:9 is not inside 0:8"));
  EXPECT_THAT(gaps("3-4@5:4"), HasSubstr("the window 5:4"));
}

TEST(AllocCsv, RefusesWhatWouldNotFitIntoMemory) {
  std::string text = "id,lower,upper,size\n";
  for (int i = 0; i < 4600; ++i) text += std::to_string(i) + ",0,9,1\n";
  EXPECT_THAT(bad(text), HasSubstr("f.csv: error: 10577700 pairs of buffers are alive together"));
}

TEST(AllocCsv, StopsAfterManyErrors) {
  std::string text = "id,lower,upper,size\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const auto said = bad(text);
  EXPECT_LT(std::count(said.begin(), said.end(), '\n'), 60);
  EXPECT_THAT(said, HasSubstr("too many errors"));
}

TEST(AllocCsv, ArbitraryBytesGiveDiagnosticsOrATableThatIsWrittenAsRead) {
  const std::string seed =
      "id,lower,upper,size,alignment,gaps,offset\na,0,3,4,1,,8\nb,3,9,4,2,4-5 6-8@0:2,0\nlong name,10,300,70000,16,,\n";
  const std::string alphabet = "0123456789,,,\n\n-@: abel\"\r\xEF\x01";
  std::mt19937 rng(1);
  int read = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::string text = seed;
    for (auto changes = 1 + rng() % 4; changes > 0; --changes) {
      const auto at = rng() % text.size();
      const char c = alphabet[rng() % alphabet.size()];
      switch (rng() % 4) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          text.erase(at, 1 + rng() % 5);
          break;
        default:
          text.insert(at, text.substr(rng() % text.size(), rng() % 20));
      }
      if (text.empty()) text = ",";
    }
    Diagnostics d;
    const auto table = read_csv(text, "f.csv", d);
    ASSERT_EQ(table.has_value(), !d.has_errors()) << text;
    if (!table) continue;
    ++read;
    std::vector<std::int64_t> offsets;
    for (const Buffer& b : table->buffers) offsets.push_back(b.offset.value_or(0));
    Diagnostics again;
    const auto same = read_csv(write_csv(table->buffers, offsets), "f.csv", again);
    ASSERT_TRUE(same) << again.text() << text;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      Buffer b = table->buffers[i];
      b.offset = offsets[i];
      ASSERT_EQ(same->buffers[i], b) << text;
    }
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace dse::plan::alloc::alloc_csv_test
