#include "reports/page/html.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/diagnostics.h"
#include "reports/page/assets.h"
#include "reports/page/pack.h"
#include "tests/reports/small_sweep.h"
#include "tests/reports/synthetic.h"

namespace dse::reports::html_test {
namespace {

nlohmann::json data_of(const std::string& page) {
  const std::string open = R"(<script id="data" type="application/json">)";
  const auto from = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

const std::string& page() {
  static const std::string text = report_html(testing::synthetic_sweep());
  return text;
}

TEST(ReportHtml, NeedsNothingBesideIt) {
  const std::regex address(R"(https?://[^"'\s<>]*)");
  for (std::sregex_iterator it(page().begin(), page().end(), address), end; it != end; ++it) {
    EXPECT_TRUE(it->str().starts_with("http://www.w3.org/")) << it->str();  // names of XML namespaces, never fetched
  }
  EXPECT_FALSE(std::regex_search(page(), std::regex(R"(<(script|img|iframe)[^>]*\ssrc=)")));
  EXPECT_FALSE(std::regex_search(page(), std::regex(R"(<link[^>]*href=\"(?!data:))")));
  EXPECT_EQ(page().find("@import"), std::string::npos);
  EXPECT_EQ(page().find("url(http"), std::string::npos);
}

TEST(ReportHtml, SlotsAreFilled) {
  EXPECT_EQ(page().find("/*slot:"), std::string::npos);
  EXPECT_NE(page().find("Redistribution and use in source and binary forms"),
            std::string::npos);  // D3's licence travels with it
  // Three script elements: none of the embedded sources closes one early.
  std::size_t closes = 0;
  for (std::size_t at = 0; (at = page().find("</script", at)) != std::string::npos; ++at) ++closes;
  EXPECT_EQ(closes, 3u);
}

TEST(ReportHtml, SameSweepSameBytes) { EXPECT_EQ(page(), report_html(testing::synthetic_sweep())); }

TEST(ReportHtml, DataAddsUp) {
  const auto data = data_of(page());
  const auto causes = data["causes"].size();
  int checked = 0;
  for (const auto& front : data["fronts"]) {
    for (const auto& p : front["points"]) {
      if (p["ticks"] == 0) continue;
      const auto flat = unpack(p["account"].get<std::string>());
      ASSERT_EQ(flat.size() % (causes + 2), 0u);
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < flat.size(); ++i) {
        const auto column = i % (causes + 2);
        if (column >= 1 && column <= causes) sum += flat[i];
      }
      EXPECT_EQ(sum, p["ticks"].get<std::int64_t>());
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(ReportHtml, NamesCannotBreakOutOfTheData) {
  auto sweep = testing::small_sweep();
  sweep.fronts[0].network = "</script><script>alert(1)</script>";
  const auto text = report_html(sweep);
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(data_of(text)["fronts"][0]["network"], sweep.fronts[0].network);
}

TEST(ReportHtml, InvalidUtf8InANameDoesNotStopTheReport) {
  auto sweep = testing::small_sweep();
  sweep.fronts[0].accuracy = "\xff";
  EXPECT_NE(report_html(sweep).find("</html>"), std::string::npos);
}

TEST(ReportHtml, TwelveFrontsOfFortyPointsStayWithinTenMegabytes) {
  const auto sweep = testing::synthetic_sweep({.fronts = 12, .points = 40, .tiles_per_layer = 60, .dominated = 10'000});
  const auto text = report_html(sweep);
  EXPECT_LE(text.size(), 10'000'000u);
  const auto data = data_of(text);
  std::int64_t kept = 0, total = 0;
  for (const auto& front : data["fronts"]) {
    for (const auto& p : front["points"]) {
      kept += p["trace"]["kept"].get<std::int64_t>();
      total += p["trace"]["total"].get<std::int64_t>();
      if (p["trace"]["total"] > 0) {
        EXPECT_GT(p["trace"]["kept"], 300);
      }
    }
  }
  EXPECT_LT(kept, total);  // the case is large enough to be cut, and the page says so (report_click.py reads the note)
  EXPECT_GT(text.size(), 9'000'000u);
}

TEST(ReportHtml, DotsAreThinnedAndCounted) {
  PageLimits limits;
  limits.dots_per_front = 1000;
  const auto data = data_of(report_html(
      testing::synthetic_sweep({.fronts = 1, .points = 5, .dominated = 2'500, .infeasible = false}), limits));
  const auto& dots = data["fronts"][0]["dots"];
  EXPECT_EQ(dots["total"], 2500);
  EXPECT_EQ(dots["kept"], 834);  // every third
  EXPECT_EQ(unpack(dots["data"].get<std::string>()).size(), 2 * 834u);
}

TEST(ReportHtml, EmptySweep) { EXPECT_NE(report_html({}).find("</html>"), std::string::npos); }

TEST(Assets, UnknownNameIsOurDefect) { EXPECT_THROW(asset("nothing.js"), InvariantError); }

TEST(Assets, SaysItsBytes) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/reports/assets/report/report.css", std::ios::binary);
  EXPECT_EQ(asset("report.css"), std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace
}  // namespace dse::reports::html_test
