// Shared phases against the reference values: live load, and an arena with real offsets.
#include "tests/nn/golden/golden.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "methods/memory/least.h"
#include "plan/alloc/validate.h"
#include "tests/methods/dataflow/networks.h"
#include "tests/plan/segment/planner/check_schedule.h"

namespace dse::plan::shared::shared_golden_test {
namespace {

phases::LayerGraph network(const std::string& name, const std::string& variant) {
  auto g = name == "resnet18"     ? phases::test::resnet18()
           : name == "tinyyolov2" ? phases::test::tiny_yolo_v2()
           : name == "squeezenet" ? phases::test::squeezenet11()
                                  : phases::test::example41();
  EXPECT_EQ(g.name, name);
  return variant == "fused" ? phases::fuse_elementwise(g) : g;
}

void expect_valid(const SharedPlan& p) {
  EXPECT_EQ(test::defect_of(p.graph, p.schedule, Input::streamed), "");
  EXPECT_EQ(p.load, peak_bytes(p.schedule, 1));
  EXPECT_LE(p.placed.layout.lower_bound, p.arena());
  EXPECT_GE(p.placed.layout.lower_bound, p.placed.layout.load);
  std::vector<alloc::Buffer> buffers;
  for (const auto& b : p.placed.blocks) buffers.push_back(b.buffer);
  const auto verdict = alloc::validate(buffers, p.placed.layout.offsets, p.arena());
  EXPECT_TRUE(verdict.valid());
  EXPECT_EQ(verdict.height, p.arena());
}

TEST(SharedGolden, LoadAndArenaOfEveryRow) {
  const auto file = nn::test::shared() / "golden/phases/memory_1byte.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference files: set DSE_SHARED";
  std::ifstream table(file);
  std::string line;
  std::getline(table, line);
  int rows = 0;
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    std::string name, variant, cell;
    std::getline(cells, name, ','), std::getline(cells, variant, ',');
    std::vector<std::int64_t> want;
    while (std::getline(cells, cell, ',')) want.push_back(std::stoll(cell));
    ASSERT_EQ(want.size(), 13U) << line;
    SCOPED_TRACE(name + " " + variant);
    const auto found = least_memory(network(name, variant), Input::streamed, 1);
    const auto& best = found.best;
    expect_valid(best);
    expect_valid(found.rings);
    EXPECT_LE(best.load, std::min(want[10], want[11]));
    EXPECT_LE(best.arena() * 10, best.load * 11);
    EXPECT_TRUE(best.proven_least);
    EXPECT_GE(found.rings.arena(), best.arena());
    EXPECT_LT(found.rings.arena(), want[7]) << "rings that share memory take more than one buffer per edge";
    RecordProperty(name + "_" + variant, std::to_string(best.load) + " in " + std::to_string(best.arena()));
    ++rows;
  }
  EXPECT_EQ(rows, 8);
}

}  // namespace
}  // namespace dse::plan::shared::shared_golden_test
