// Runs that are given less and less memory: what there is none for is no defect and no verdict on the device.
#include <gmock/gmock.h>

#include "base/system/process.h"
#include "tests/cli/process.h"
#include "tests/support/slow.h"

namespace dse::test::out_of_memory_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// `dse` in an address space of so many MiB.
Finished within(int mib, const std::string& arguments, const std::string& folder) {
  const auto line = "ulimit -v " + std::to_string(mib * 1024) + " && exec " + DSE_PROGRAM + " " + arguments;
  return run_process({"sh", "-c", line}, folder, 300);
}

constexpr const char* kNetwork =
    "format: 1\nname: n\nseed: 1\ninput: {shape: [1, 16, 16, 4]}\nlayers:\n"
    "  - conv: {filters: 8, kernel: 3}\n  - conv: {filters: 8, kernel: 3, stride: 2}\n  - softmax: {}\n";
constexpr const char* kSweep =
    "format: 1\nnetworks: [n.yaml]\ndevices: [gap8-class]\nexplore: {objectives: [latency], budget: {simulations: "
    "12}}\n";

TEST(OutOfMemory, IsNeitherADefectNorAVerdict) {
  if (kSanitized) GTEST_SKIP() << "its shadow needs the address space";
  const Folder here;
  here.write("n.yaml", kNetwork), here.write("sweep.yaml", kSweep);
  bool short_of_it = false;
  for (const int mib : {28, 30, 32, 34, 36, 38, 40, 44, 48}) {
    const auto out = "out" + std::to_string(mib);
    const auto said = within(mib, "run sweep.yaml --jobs 1 -o " + out, here.path());
    if (said.code == 127) continue;  // not even its libraries
    EXPECT_THAT(said.code, AnyOf(0, 1)) << mib << " MiB: " << said.output;
    EXPECT_THAT(said.output, Not(HasSubstr("defect"))) << mib << " MiB";
    EXPECT_THAT(said.output, Not(HasSubstr("no feasible plan"))) << mib << " MiB";
    short_of_it |= said.code == 1 || said.output.find("there was no memory for it") != std::string::npos;
    if (said.code == 1) EXPECT_THAT(said.output, HasSubstr("memory")) << mib << " MiB";
    // With enough it starts where that ended, and forgets what there was no memory for.
    const auto again = dse({"run", "sweep.yaml", "--jobs", "1", "-o", out}, here.path());
    EXPECT_EQ(again.exit, 0) << mib << " MiB: " << again.err;
    EXPECT_THAT(again.out + again.err, Not(HasSubstr("left out"))) << mib << " MiB";
  }
  EXPECT_TRUE(short_of_it) << "none of the bounds was one";
}

}  // namespace
}  // namespace dse::test::out_of_memory_test
