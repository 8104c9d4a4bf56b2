// A longer sweep that is interrupted at a random moment: it stops soon with a report of what it has, and the same
// command goes on to the front of a run that nobody disturbed.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "tests/cli/run/kill_drill.h"

namespace dse::test::interrupt_drill_test {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(InterruptDrill, StopsSoonWithAVerifiedReportAndGoesOnToTheSameFront) {
  constexpr unsigned seed = 30;
  Drill drill("ds-cnn", "48 KiB, 64 KiB", seed);
  std::printf("seed %u, undisturbed in %.2f s\n", seed, drill.seconds);
  int stops = 0;
  for (int n = 0; stops < 2; ++n) {
    ASSERT_LT(n, 30) << "hardly any interruption comes in time";
    const auto out = drill.here / std::to_string(n);
    const int jobs = 1 + n % 2;
    Running run(drill.command(out, jobs));
    for (int tries = 0; !std::filesystem::exists(out + "/study.sqlite") && tries < 10'000; ++tries) ::usleep(1000);
    const double moment = 0.3 + 0.7 * drill.moment();
    if (run.ends_within(moment)) continue;
    const auto start = std::chrono::steady_clock::now();
    run.send(SIGINT);
    ASSERT_TRUE(run.ends_within(30)) << "does not end";
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto said = run.wait();
    if (said.exit == 0) continue;  // it was quicker
    std::printf("interrupted after %.2f s, ended %.2f s later\n", moment, took);
    EXPECT_LE(took, 10) << "2 s on an idle machine";
    ASSERT_EQ(said.exit, 130) << said.err;
    const auto report = read(out + "/report.html");
    EXPECT_GE(count(report, "\"verified\":true"), 1u) << "a front at any time";
    EXPECT_EQ(count(report, "\"verified\":false"), 0u);
    ++stops;
    const auto resumed = dse(drill.resuming(out, 2, stops));
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(difference(outcome(out), drill.expected), "");
  }
}

}  // namespace
}  // namespace dse::test::interrupt_drill_test
