// Two files of one name in one run stay apart: labels, study, folders, rows, selection.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace dse::test::same_name_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SameName : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"a", "b"}) {
      const int units = folder[0] == 'a' ? 4 : 6;
      std::filesystem::create_directories(here / folder);
      const auto source = here.write(std::string(folder) + ".yaml",
                                     "format: 1\nname: x\ninput: {shape: [1, 16]}\nlayers:\n  - fully_connected: "
                                     "{units: 8}\n  - fully_connected: {units: " +
                                         std::to_string(units) + "}\n");
      const auto made = dse({"quantize", source, "-o", here / (std::string(folder) + "/model.tflite")});
      ASSERT_EQ(made.exit, 0) << made.err;
    }
  }
  std::string file(const std::string& folder) const { return here / (folder + "/model.tflite"); }
  /// Network labels of the fronts, each with the units of its last layer.
  std::vector<std::string> labels(const std::string& out) const {
    std::vector<std::string> all;
    const auto results = json::parse(read(out + "/results.json"));
    for (const auto& f : results["fronts"]) all.push_back(f["network"]);
    return all;
  }
  Folder here;
};

TEST_F(SameName, StayApartFromTheRunToThePackage) {
  const auto out = here / "out";
  const auto said = dse({"run", file("a"), file("b"), "--device", "cortex-m7-class", "-o", out, "--jobs", "1"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_EQ(labels(out), (std::vector<std::string>{"model", "model#2"}));
  EXPECT_THAT(said.out, AllOf(HasSubstr("model on cortex-m7-class: "), HasSubstr("model#2 on cortex-m7-class: "),
                              HasSubstr("note: model#2 is " + file("b")), HasSubstr("note: model is " + file("a"))));
  EXPECT_THAT(read(out + "/front.csv"), AllOf(HasSubstr(",model,cortex"), HasSubstr(",model#2,cortex")));
  EXPECT_THAT(read(out + "/report.html"), HasSubstr("model#2"));
  std::set<std::string> subjects;
  const auto listed = json::parse(dse({"study", "list", out, "--json"}).out);
  for (const auto& s : listed["subjects"])
    if (s["kind"] == "network") subjects.insert(s["network"].get<std::string>());
  EXPECT_EQ(subjects, (std::set<std::string>{"model", "model#2"}));
  for (const char* network : {"model", "model#2"}) {
    const auto explained = dse({"explain", out, "--network", network, "--point", "smallest"});
    EXPECT_THAT(explained.out, HasSubstr(std::string(") of ") + network + " on ")) << explained.err;
    const auto package = here / (std::string("package-") + network);
    const auto exported = dse({"export", out, "--network", network, "--point", "smallest", "-o", package});
    EXPECT_EQ(exported.exit, 0) << exported.err;
    EXPECT_THAT(exported.out, HasSubstr(std::string(" of ") + network + " on "));
  }
  const auto manifest = [&](const char* package) {
    for (const auto& e : std::filesystem::recursive_directory_iterator(here / package))
      if (e.path().filename() == "manifest.json") return json::parse(read(e.path().string()))["network"]["structure"];
    return json();
  };
  EXPECT_NE(manifest("package-model"), manifest("package-model#2")) << "the same network was exported twice";
  // The run's own copies, in folders of other names, are called the same.
  const auto again = dse({"run", out + "/sweep.yaml", "-o", here / "again", "--jobs", "1"});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(read(here / "again/front.csv"), read(out + "/front.csv"));
  EXPECT_EQ(dse({"diff", out, here / "again", "--network", "model#2"}).exit, 0);
}

TEST_F(SameName, TheSameFileTwiceIsOneNetworkAndOrderDecidesNames) {
  const auto twice = dse({"run", file("a"), file("a"), "--device", "cortex-m7-class", "--dry-run"});
  EXPECT_THAT(twice.out, Not(HasSubstr("model#2"))) << twice.err;
  const auto first = dse({"run", file("a"), file("b"), "--device", "cortex-m7-class", "--dry-run", "--json"});
  const auto second = dse({"run", file("b"), file("a"), "--device", "cortex-m7-class", "--dry-run", "--json"});
  const auto a = json::parse(first.out)["cases"], b = json::parse(second.out)["cases"];
  EXPECT_EQ(a[0]["network"], "model");
  EXPECT_EQ(a[1]["network"], "model#2");
  EXPECT_EQ(b[0]["network"], "model");
  EXPECT_EQ(a[0]["after_pruning_at_most"], b[1]["after_pruning_at_most"]);
}

TEST_F(SameName, DeviceFilesOfOneNameStayApartToo) {
  const auto text = read(std::string(DSE_SOURCE_DIR) + "/configs/devices/cortex-m7-class.yaml");
  auto other = text;
  other.replace(other.find("dispatch: 300"), 13, "dispatch: 900");
  const auto one = here.write("a/m7.yaml", text), two = here.write("b/m7.yaml", other);
  const auto said = dse({"run", file("a"), "--device", one, "--device", two, "-o", here / "out", "--jobs", "1"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(read(here / "out/front.csv"), AllOf(HasSubstr(",cortex-m7-class,"), HasSubstr(",cortex-m7-class#2,")));
  EXPECT_EQ(dse({"export", here / "out", "--device", "cortex-m7-class#2", "--point", "fastest", "-o", here / "p"}).exit,
            0);
}

}  // namespace
}  // namespace dse::test::same_name_test
