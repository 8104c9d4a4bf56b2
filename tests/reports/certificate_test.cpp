// What is called complete, and where a bound is drawn.
#include "reports/words/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "reports/page/payload.h"
#include "reports/run/console.h"
#include "reports/run/json.h"
#include "reports/run/recorded.h"
#include "reports/words/format.h"

namespace dse::reports::certificate_test {
namespace {

using explore::Front;
using explore::Point;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Point point(std::int64_t memory, std::int64_t ticks, const std::string& outside = "") {
  Point p;
  p.id = std::to_string(memory) + "-" + std::to_string(ticks), p.origin = "front";
  p.memory_bytes = memory, p.latency_ticks = ticks, p.latency_us = static_cast<double>(ticks), p.outside = outside;
  p.verified = true;
  return p;
}

/// What the page draws at this memory; -1 where nothing is drawn.
std::int64_t drawn_at(const std::vector<BoundPart>& parts, std::int64_t memory) {
  for (const auto& part : parts) {
    if (memory < part.steps.front().memory_bytes) continue;
    if (!part.open && memory >= part.steps.back().memory_bytes) continue;
    std::int64_t ticks = -1;
    for (const auto& s : part.steps)
      if (s.memory_bytes <= memory) ticks = s.latency_ticks;
    return ticks;
  }
  return -1;
}

TEST(Certificate, AWholeFrontInsideIsComplete) {
  Front f;
  f.complete = true, f.gap = 0;
  f.points = {point(10, 50), point(20, 30)}, f.bound = {{10, 50}, {20, 30}};
  EXPECT_TRUE(all_complete(f));
  EXPECT_EQ(completeness_text(f), "complete");
  EXPECT_EQ(outside_text(f), "");
  const auto parts = bound_parts(f);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].open);
  EXPECT_EQ(drawn_at(parts, 9), -1);
  EXPECT_EQ(drawn_at(parts, 10), 50);
  EXPECT_EQ(drawn_at(parts, 1000), 30);
}

TEST(Certificate, PointsOutsideAreNotCalledComplete) {
  Front f;
  f.network = "n", f.device = "d", f.complete = true, f.gap = 0, f.simulated = 7;
  f.points = {point(5, 60, "by phases"), point(10, 50), point(15, 35, "by phases"), point(20, 30)};
  f.bound = {{10, 50}, {20, 30}};
  EXPECT_FALSE(all_complete(f));
  EXPECT_EQ(outside_text(f), "2 points by phases stand outside the certificate");
  EXPECT_THAT(console_summary(f).front(), HasSubstr("4 points, layer by layer complete (orders, homes, in place, "
                                                    "tiles, filters, buffers: 7 simulated), 2 points by phases "
                                                    "stand outside the certificate"));
  const auto parts = bound_parts(f);
  EXPECT_EQ(drawn_at(parts, 10), 50);
  EXPECT_EQ(drawn_at(parts, 15), -1) << "a point that is shown lies below";
  EXPECT_EQ(drawn_at(parts, 25), -1) << "beyond the points inside";
  explore::Sweep sweep;
  sweep.fronts = {f};
  const auto j = results_json(sweep)["fronts"][0];
  EXPECT_EQ(j["complete"], false);
  EXPECT_EQ(j["certificate"]["complete"], true);
  EXPECT_EQ(j["certificate"]["outside"]["by phases"], 2);
  EXPECT_EQ(j["points"][0]["outside"], "by phases");
  const auto page = page_payload(sweep, {}, 1 << 20)["fronts"][0];
  EXPECT_EQ(page["complete"], false);
  EXPECT_THAT(page["completeness"].get<std::string>(), HasSubstr("outside"));
  f.points[3].outside = f.points[1].outside = "given";
  EXPECT_TRUE(bound_parts(f).empty()) << "nothing inside is shown";
}

TEST(Certificate, OfANpuIsOfItsSchedules) {
  Front f;
  f.network = "n", f.device = "d", f.gap = 0.25, f.simulated = 7, f.on_npu = true;
  f.points = {point(5, 60), point(10, 50)}, f.bound = {{4, 40}};
  f.points[0].on_npu = f.points[1].on_npu = true;
  EXPECT_THAT(
      console_summary(f).front(),
      HasSubstr("2 points, not complete, proven within 25 % (rules, limits, blocks and places of weights of the "
                "NPU: 7 simulated)"));
  EXPECT_EQ(outside_text(f), "");
  EXPECT_EQ(drawn_at(bound_parts(f), 7), 40);
  explore::Sweep sweep;
  sweep.fronts = {f};
  const auto j = results_json(sweep)["fronts"][0];
  EXPECT_EQ(j["on_npu"], true);
  EXPECT_EQ(j["points"][0]["on_npu"], true);
  EXPECT_TRUE(j["certificate"]["outside"].empty());
  EXPECT_THAT(j["certificate"]["covers"].get<std::string>(), HasSubstr("schedules of the NPU: rules"));
  EXPECT_EQ(page_payload(sweep, {}, 1 << 20)["fronts"][0]["points"][0]["onNpu"], true);
  const auto read = read_front(j);
  EXPECT_TRUE(read.on_npu);
  EXPECT_TRUE(read.points[1].on_npu);
  // Beside a plan of the CPU alone the certificate is still that of the NPU.
  f.points[0].on_npu = false, f.points[0].outside = "given";
  EXPECT_THAT(console_summary(f).front(), AllOf(HasSubstr("2 points, not complete"), Not(HasSubstr("layer by layer")),
                                                HasSubstr("1 given point stands outside the certificate")));
  f.on_npu = false;
  EXPECT_THAT(console_summary(f).front(), HasSubstr("layer by layer not complete"));
}

TEST(Certificate, RunsByPhasesMayBeCovered) {
  Front f;
  f.network = "n", f.device = "d", f.complete = true, f.gap = 0, f.simulated = 7;
  f.points = {point(5, 60, "by phases"), point(10, 50), point(20, 30)};
  f.bound = {{4, 60}, {9, 50}, {20, 30}};
  f.runs = 1208, f.runs_gap = 0.0123, f.runs_pointwise_gap = 0.0456;
  EXPECT_FALSE(all_complete(f));
  EXPECT_EQ(outside_text(f), "");
  EXPECT_THAT(console_summary(f).front(),
              HasSubstr("3 points, layer by layer complete (orders, homes, in place, tiles, filters, buffers: 7 "
                        "simulated), with 1,208 runs of layers by phases, in the "
                        "file's order, proven within 1.2 % (each point within 4.6 %)"));
  EXPECT_EQ(drawn_at(bound_parts(f), 4), 60) << "where only points by phases are, too";
  explore::Sweep sweep;
  sweep.fronts = {f};
  auto j = results_json(sweep)["fronts"][0]["certificate"];
  EXPECT_EQ(j["runs"]["count"], 1208);
  EXPECT_EQ(j["runs"]["gap"], 0.0123);
  EXPECT_EQ(j["runs"]["pointwise_gap"], 0.0456);
  f.runs_gap = 0;
  EXPECT_TRUE(all_complete(f));
  EXPECT_THAT(console_summary(f).front(), HasSubstr("in the file's order, complete"));
  f.points[0].outside = "given";
  EXPECT_FALSE(all_complete(f));
  EXPECT_EQ(outside_text(f), "1 given point stands outside the certificate");
  f.runs_gap = -1;
  sweep.fronts = {f};
  EXPECT_TRUE(results_json(sweep)["fronts"][0]["certificate"]["runs"].is_null());
}

/// On random fronts: the line lies on the bound, below no plan that is shown, and over points inside where some are
/// not.
TEST(Certificate, NoPlanLiesBelowTheLineThatIsDrawn) {
  std::mt19937 random(5);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  int lines = 0, cut = 0;
  for (int round = 0; round < 2000; ++round) {
    Front f;
    f.complete = true;
    std::int64_t ticks = 200;
    for (std::int64_t memory = pick(5, 20); ticks > 20; memory += pick(1, 9), ticks -= pick(1, 40)) {
      f.bound.push_back({memory, ticks});
      if (pick(0, 2) > 0) f.points.push_back(point(memory, ticks));
    }
    const int outside = pick(0, 3);
    for (int i = 0; i < outside; ++i) f.points.push_back(point(pick(1, 60), pick(10, 220), "by phases"));
    for (int i = pick(0, 2); i > 0; --i) f.marked.push_back(point(pick(1, 60), pick(10, 220), "given"));
    const auto parts = bound_parts(f);
    std::int64_t first = 1000, last = -1;
    for (const auto& p : f.points)
      if (p.outside.empty()) first = std::min(first, p.memory_bytes), last = std::max(last, p.memory_bytes);
    for (std::int64_t memory = 0; memory < 120; ++memory) {
      const auto line = drawn_at(parts, memory);
      if (line < 0) continue;
      ++lines;
      std::int64_t bound = 1000;
      for (const auto& b : f.bound)
        if (b.memory_bytes <= memory) bound = std::min(bound, b.latency_ticks);
      ASSERT_EQ(line, bound) << round << " at " << memory;
      for (const auto* list : {&f.points, &f.marked})
        for (const auto& p : *list)
          if (p.memory_bytes <= memory) {
            ASSERT_GE(p.latency_ticks, line) << round << " at " << memory;
          }
      ASSERT_TRUE(outside == 0 || (memory >= first && memory < last)) << round << " at " << memory;
    }
    cut += parts.size() > 1;
  }
  EXPECT_GT(lines, 10000);
  EXPECT_GT(cut, 50);
}

}  // namespace
}  // namespace dse::reports::certificate_test
