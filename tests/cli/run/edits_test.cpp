// Results that somebody edits: what answers from them says so, or answers what the run found.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/cli/process.h"
#include "tests/cli/run/kill_drill.h"
#include "tests/support/slow.h"

namespace dse::test::edits_test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Edits : public testing::Test {
 protected:
  void SetUp() override {
    network_ = here.write("small.yaml",
                          "format: 1\nname: small\ninput: {shape: [1, 12, 12, 3]}\nlayers:\n"
                          "  - conv: {name: stem, filters: 8, kernel: 3}\n  - depthwise: {kernel: 3}\n"
                          "  - conv: {filters: 12, kernel: 1}\n");
    const auto said = run("whole");
    ASSERT_EQ(said.exit, 0) << said.err;
    expected_ = outcome(here / "whole");
  }
  Said run(const std::string& folder) {
    return dse({"run", network_, "--device", "gap8-class", "-o", here / folder, "--jobs", "2"});
  }
  void renew() {
    fs::remove_all(here / "out");
    fs::copy(here / "whole", here / "out", fs::copy_options::recursive);
  }
  void edit_results(int total);
  Folder here;

 private:
  std::string network_;
  Outcome expected_;
};
class EditsSlow : public Edits {};

/// Changes a digit, the kind of edit that leaves everything well-formed.
void Edits::edit_results(int total) {
  std::mt19937 random(35);
  std::vector<std::string> names{"results.json", "results.json", "finished.json", "front.csv"};
  for (const auto& plan : fs::directory_iterator(here / "whole/plans"))
    names.push_back("plans/" + plan.path().filename().string());
  for (int n = 0; n < total; ++n) {
    renew();
    const auto name = names[random() % names.size()];
    auto text = read(here / ("out/" + name));
    std::size_t at = random() % text.size();
    while (text[at] < '0' || text[at] > '9') at = (at + 1) % text.size();
    text[at] = text[at] == '9' ? '8' : static_cast<char>(text[at] + 1);
    here.write("out/" + name, text);
    if (name != "finished.json") {
      const auto told = dse({"explain", here / "out"});
      EXPECT_EQ(told.exit, 3) << name << " at " << at;
      EXPECT_THAT(told.err, AnyOf(HasSubstr("has changed since the run"), HasSubstr("results.json: error")));
    }
    const auto again = run("out");
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_THAT(again.err, testing::Not(HasSubstr("already"))) << name << " at " << at;
    ASSERT_EQ(difference(outcome(here / "out"), expected_), "") << name << " at " << at;
  }
}

TEST_F(Edits, OfResultsAreNoticed) { edit_results(8); }
TEST_F(EditsSlow, OfResultsAreNoticed) { edit_results(test::of_slow(100)); }

TEST_F(Edits, AFolderOfOthersIsNoPlaceForARun) {
  fs::create_directory(here / "mine");
  here.write("mine/front.csv", "my own\n");
  const auto said = run("mine");
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("front.csv"));
  EXPECT_EQ(read(here / "mine/front.csv"), "my own\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(here / "mine"), fs::directory_iterator()), 1);
  here.write("whole/notes.txt", "mine\n");  // in a run's folder it does not matter
  EXPECT_EQ(run("whole").exit, 0);
  EXPECT_EQ(read(here / "whole/notes.txt"), "mine\n");
  fs::create_directory(here / "empty");
  EXPECT_EQ(run("empty").exit, 0);
  EXPECT_EQ(dse({"run", here / "small.yaml", "--device", "gap8-class", "-o", here / "mine", "--force"}).exit, 0);
}

}  // namespace
}  // namespace dse::test::edits_test
