// A deadline that is nearer than times are known to be off: neither kept nor missed, but open.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::check_error_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CheckErrors, ADeadlineWithinTheErrorCannotBeTold) {
  const Folder here;
  const auto network = here.write("small.yaml", R"(format: 1
name: small
seed: 1
input: {shape: [1, 16, 16, 4], scale: 0.0078, zero_point: 0}
layers:
  - conv: {name: a, filters: 8, kernel: 3, activation: relu}
  - conv: {name: b, filters: 4, kernel: 1}
)");
  ASSERT_EQ(dse({"run", network, "-d", "gap8", "--objective", "latency", "-o", here / "out"}).exit, 0);
  const auto point = nlohmann::json::parse(read(here / "out/results.json"))["fronts"][0]["points"][0];
  const auto plan = here / ("out/" + point["plan"].get<std::string>());
  const double us = point["latency_us"];
  const auto at = [&](double share) { return fmt::format("{:.3f}us", share * us); };
  const auto check = [&](double share) {
    return dse({"check", plan, "-n", network, "-d", "gap8", "--set", "timing_error=0.1", "--deadline", at(share)});
  };
  for (const double share : {0.93, 0.98, 1.02, 1.08}) {
    const auto said = check(share);
    EXPECT_EQ(said.exit, share < 1 ? 6 : 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("OPEN    latency"));
    EXPECT_THAT(said.out, HasSubstr("times on this device are off by ± 10 %, so it cannot be told"));
    EXPECT_THAT(said.out, Not(HasSubstr("NOT OK")));
  }
  EXPECT_THAT(check(0.8).out, HasSubstr("NOT OK  latency"));
  EXPECT_THAT(check(1.2).out, HasSubstr("ok      latency"));

  const auto run = [&](double share) {
    return dse({"run", network, "-d", "gap8", "--set", "timing_error=0.1", "--objective", "latency", "--deadline",
                at(share), "-o", here / fmt::format("run{}", share)});
  };
  const auto missed = run(0.98), far = run(0.8), kept = run(1.02);
  EXPECT_EQ(missed.exit, 4);
  EXPECT_THAT(missed.out, HasSubstr("times on this device are off by ± 10 %, so whether latency <= "));
  EXPECT_THAT(missed.out, HasSubstr("cannot be told"));
  EXPECT_THAT(far.out, Not(HasSubstr("cannot be told")));
  EXPECT_EQ(kept.exit, 0);
  EXPECT_THAT(kept.out, HasSubstr("whether 1 of 1 points keep latency <= "));
}

}  // namespace
}  // namespace dse::test::check_error_test
