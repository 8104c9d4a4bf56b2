#include "base/unit_text.h"

#include <gmock/gmock.h>

#include <regex>

namespace dse::unit_text_test {
namespace {

using testing::HasSubstr;

TEST(UnitText, ReadsSizesInDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_whole("64 KiB", unit::bytes).value, 65536);
  EXPECT_EQ(parse_whole("64KiB", unit::bytes).value, 65536);
  EXPECT_EQ(parse_whole("8 MB", unit::bytes).value, 8000000);
  EXPECT_EQ(parse_whole("8 KB", unit::bytes).value, 8000);
  EXPECT_EQ(parse_whole("0.5 KiB", unit::bytes).value, 512);
  EXPECT_EQ(parse_whole("1.5 MiB", unit::bytes).value, 1572864);
  EXPECT_EQ(parse_whole("0 B", unit::bytes).value, 0);
}

TEST(UnitText, ReadsDecimalsExactly) {
  const auto half = parse_quantity("0.5", unit::ratio).value;
  ASSERT_TRUE(half);
  EXPECT_EQ(half->num, 1);
  EXPECT_EQ(half->den, 2);
  const auto tenth = parse_quantity("0.1 B/cycle", unit::bandwidth).value;
  ASSERT_TRUE(tenth);
  EXPECT_EQ(tenth->num, 1);
  EXPECT_EQ(tenth->den, 10);
  const auto third = parse_quantity("2/6", unit::ratio).value;
  ASSERT_TRUE(third);
  EXPECT_EQ(third->num, 1);
  EXPECT_EQ(third->den, 3);
}

TEST(UnitText, ReadsTheOtherUnits) {
  EXPECT_EQ(parse_whole("175 MHz", unit::frequency).value, 175000000);
  EXPECT_EQ(parse_whole("0.1 GHz", unit::frequency).value, 100000000);
  EXPECT_EQ(parse_whole("20 ms", unit::time).value, 20000000);
  EXPECT_EQ(parse_whole("23 M", unit::count).value, 23000000);
  EXPECT_EQ(parse_whole("4.5 k", unit::count).value, 4500);
  EXPECT_EQ(parse_whole("20000", unit::count).value, 20000);
  EXPECT_EQ(parse_whole("1 cycle", unit::cycles).value, 1);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5 pJ/B", unit::pj_per_byte).value->value(), 0.5);
}

struct Bad {
  const char* text;
  const Unit& unit;
  const char* error;
};

class BadQuantity : public testing::TestWithParam<Bad> {};

TEST_P(BadQuantity, IsRefusedWithItsReason) {
  const auto p = parse_whole(GetParam().text, GetParam().unit);
  EXPECT_FALSE(p.value) << GetParam().text;
  EXPECT_THAT(p.error, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    UnitText, BadQuantity,
    testing::Values(Bad{"64 kb", unit::bytes,
                        "'64 kb' is not a size: use B, KB, KiB, MB, MiB, GB or GiB, for example 64 KiB"},
                    Bad{"64", unit::bytes, "'64' has no unit: a size is given in B, KB"},
                    Bad{"010 B", unit::bytes, "starts with 0, which some would read as octal"},
                    Bad{"00", unit::count, "octal"}, Bad{"-1 B", unit::bytes, "is negative"},
                    Bad{"+1 B", unit::bytes, "is not a size"}, Bad{"nan", unit::ratio, "is not a number"},
                    Bad{"inf", unit::ratio, "is not a number"}, Bad{".5", unit::ratio, "is not a number"},
                    Bad{"5.", unit::ratio, "is not a number"}, Bad{"1e6", unit::count, "is not a count"},
                    Bad{"0x40", unit::count, "is not a count"}, Bad{"1_000", unit::count, "is not a count"},
                    Bad{"", unit::bytes, "is not a size"}, Bad{"KiB", unit::bytes, "is not a size"},
                    Bad{"1  KiB", unit::bytes, "is not a size"}, Bad{"1 KiB ", unit::bytes, "is not a size"},
                    Bad{"1 ", unit::count, "is not a count"}, Bad{" 1", unit::count, "is not a count"},
                    Bad{"9223372036854775808 B", unit::bytes, "too large"},
                    Bad{"9223372036854775807 GiB", unit::bytes, "too large"},
                    Bad{"99999999999999999999999999999999999999999999", unit::count, "too large"},
                    Bad{"0.3 B", unit::bytes, "'0.3 B' is not a whole number of B"},
                    Bad{"0.5", unit::count, "'0.5' is not a whole number"},
                    Bad{"0.0000001", unit::ratio, "more than 6 digits after the point"},
                    Bad{"1/0", unit::ratio, "is not a number"}, Bad{"1/", unit::ratio, "is not a number"},
                    Bad{"1/3 B", unit::bytes, "is not a size"}, Bad{"1/9999999", unit::ratio, "denominator"}));

TEST(UnitText, TheLargestValueIsStillRead) {
  EXPECT_EQ(parse_whole("9223372036854775807 B", unit::bytes).value, INT64_MAX);
}

TEST(UnitText, ErrorsStayPrintableWhateverTheInputWas) {
  const auto p = parse_whole(std::string("\xff\x01") + std::string(1000, 'x'), unit::bytes);
  EXPECT_THAT(p.error, HasSubstr("'??xxx"));
  EXPECT_LT(p.error.size(), 200u);
}

TEST(Duration, IsCyclesOrATimeRoundedUpToCycles) {
  EXPECT_EQ(parse_duration("10 cycles").value->cycles(200000000), 10);
  EXPECT_EQ(parse_duration("1 cycle").value->cycles(200000000), 1);
  EXPECT_EQ(parse_duration("60 ns").value->cycles(200000000), 12);
  EXPECT_EQ(parse_duration("60 ns").value->cycles(175000000), 11);  // 10.5
  EXPECT_EQ(parse_duration("0 ns").value->cycles(175000000), 0);
  EXPECT_EQ(parse_duration("1.5 us").value->cycles(100000000), 150);
}

TEST(Duration, RefusesWhatCouldOverflowOrMeansNothing) {
  EXPECT_THAT(parse_duration("1.5 cycles").error, HasSubstr("whole number of cycles"));
  EXPECT_THAT(parse_duration("1000001 cycles").error, HasSubstr("too large"));
  EXPECT_THAT(parse_duration("1001 us").error, HasSubstr("too large"));
  EXPECT_THAT(parse_duration("10").error, HasSubstr("has no unit"));
  EXPECT_THAT(parse_duration("s").error, HasSubstr("is not a latency"));
}

TEST(UnitText, FormatsAsAUserWouldWrite) {
  EXPECT_EQ(format_quantity({65536, 1}, unit::bytes), "64 KiB");
  EXPECT_EQ(format_quantity({8000000, 1}, unit::bytes), "8 MB");
  EXPECT_EQ(format_quantity({0, 1}, unit::bytes), "0 B");
  EXPECT_EQ(format_quantity({1, 1}, unit::cycles), "1 cycle");
  EXPECT_EQ(format_quantity({10, 1}, unit::cycles), "10 cycles");
  EXPECT_EQ(format_quantity({1, 2}, unit::ratio), "0.5");
  EXPECT_EQ(format_quantity({16, 7}, unit::bandwidth), "16/7 B/cycle");
  EXPECT_EQ(format_quantity({175000000, 1}, unit::frequency), "175 MHz");
}

TEST(UnitText, WhatIsFormattedIsReadBackToTheSameValue) {
  for (const Unit* u :
       {&unit::bytes, &unit::bandwidth, &unit::cycles, &unit::frequency, &unit::time, &unit::count, &unit::ratio})
    for (const Ratio v :
         {Ratio{0, 1}, Ratio{1, 1}, Ratio{1000, 1}, Ratio{1024, 1}, Ratio{123456789, 1}, Ratio{3, 8}, Ratio{1, 3}}) {
      if (v.den == 3 && !u->fraction) continue;
      const auto text = format_quantity(v, *u);
      const auto back = parse_quantity(text, *u);
      ASSERT_TRUE(back.value) << text << ": " << back.error;
      EXPECT_EQ(*back.value, v) << text;
    }
}

TEST(UnitText, ThePatternAcceptsWhatTheParserAccepts) {
  const char* const texts[] = {"64 KiB", "64KiB",   "0.5 KiB", "64 kb", "64", "010 B", "-1 B", "1/3",
                               "0.5",    "1 cycle", "23 M",    "1  M",  "5.", ".5",    "",     "1 B/cycle"};
  for (const Unit* u : {&unit::bytes, &unit::bandwidth, &unit::cycles, &unit::count, &unit::ratio})
    for (const char* t : texts)
      EXPECT_EQ(std::regex_search(t, std::regex(pattern_of(*u), std::regex::ECMAScript)),
                parse_quantity(t, *u).value.has_value())
          << t << " as " << u->what;
}

}  // namespace
}  // namespace dse::unit_text_test
