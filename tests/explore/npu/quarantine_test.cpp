// What becomes of a schedule of an NPU that is wrong is said in the words that other devices' candidates have.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "explore/explore.h"
#include "explore/study/study_reader.h"
#include "models/hw/device_reader.h"
#include "tests/explore/npu/networks.h"
#include "tests/plan/check/faults.h"

namespace dse::explore::npu::quarantine_test {
namespace {

using testing::HasSubstr;

using dse::test::Fault;
using dse::test::kFaultNames;
using dse::test::kFaultWhy;
using dse::test::spoil;

class NpuQuarantine : public testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("dse-npu-quarantine-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Front run(hw::DevicePtr device, const std::string& out, const std::function<bool(const plan::Plan&)>& wrong) {
    Case c;
    c.network = test::thesis_network(2, 4), c.device = std::move(device), c.device_label = c.device->name;
    c.lowered = [wrong](const plan::Plan& plan, program::Program& program) {
      if (wrong(plan)) spoil(GetParam(), program);
    };
    SweepSpec spec;
    if (c.device->npu() < 0) {  // few candidates, each a whole plan
      spec.search = "exhaustive";
      spec.choices = {{"scheme", {"interleaved"}}, {"tile", {"all"}}, {"filters", {"all"}}, {"buffering", {"double"}}};
      spec.simulations = 12;
    }
    ExploreOptions o;
    o.jobs = 2, o.out = (folder_ / out).string();
    Diagnostics d;
    auto sweep = explore(spec, {c}, o, d);
    EXPECT_THAT(d.text(), HasSubstr("a defect of dse"));
    return sweep.fronts.at(0);
  }
  std::vector<Candidate> stored(const std::string& out) const {
    std::vector<Candidate> found;
    const StudyReader reader((folder_ / out).string());
    for (const auto& s : reader.subjects())
      if (s.subject.kind == "network") reader.each(s.id, [&](const StudyRow& row) { found.push_back(row.candidate); });
    return found;
  }
  /// Status and how the reason begins.
  using Said = std::pair<std::string, std::string>;
  static Said said(const Candidate& c) {
    return {std::string(to_string(c.status)), c.reason.substr(0, c.reason.find(": "))};
  }

  std::filesystem::path folder_;
};

TEST_P(NpuQuarantine, SaysWhatOtherDevicesSay) {
  const auto small = [](const plan::Plan& p) { return p.npu && p.npu->decided.rule == plan::npu::Optimise::size; };
  const Front front = run(test::device_with_npu("ethos-u55-64"), "npu", small);
  EXPECT_FALSE(front.points.empty()) << "all others are right";
  ASSERT_FALSE(front.left_out.empty());
  std::set<std::string> wrong;
  for (const auto& l : front.left_out) {
    EXPECT_EQ(l.why, kFaultWhy[static_cast<int>(GetParam())]);
    EXPECT_FALSE(l.plan.empty());
    EXPECT_THAT(l.assignment, HasSubstr("npu.rule=size"));
    wrong.insert(l.assignment);
  }
  std::set<Said> here, there;
  std::size_t found = 0;
  for (const auto& c : stored("npu")) {
    if (c.assignment.find("npu.rule=size") == std::string::npos) {
      EXPECT_EQ(c.status, CandidateStatus::simulated) << c.assignment << ": " << c.reason;
      continue;
    }
    EXPECT_EQ(wrong.count(c.assignment), 1u) << c.assignment;
    EXPECT_FALSE(c.plan.empty());
    EXPECT_GT(c.memory, 0);
    here.insert(said(c)), ++found;
  }
  EXPECT_EQ(found, wrong.size());
  Diagnostics d;
  const auto device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-class.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  run(device, "cpu", [](const plan::Plan& p) { return p.origin == "explored"; });
  for (const auto& c : stored("cpu"))
    if (c.status != CandidateStatus::infeasible) there.insert(said(c));
  EXPECT_EQ(here, there);
}

std::string fault_name(const testing::TestParamInfo<Fault>& info) { return kFaultNames[static_cast<int>(info.param)]; }
INSTANTIATE_TEST_SUITE_P(Faults, NpuQuarantine, testing::Values(Fault::overlap, Fault::bytes, Fault::broken),
                         fault_name);

}  // namespace
}  // namespace dse::explore::npu::quarantine_test
