// A finished run, asked the same again, answers from its folder; any change of what it depends on runs it again.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::finished_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Finished : public testing::Test {
 protected:
  void SetUp() override {
    network = here.write("two.yaml", text(4));
    first = run();
    ASSERT_EQ(first.exit, 0) << first.err;
    ASSERT_TRUE(was_run());
  }
  static std::string text(int units) {
    return "format: 1\nname: two\ninput: {shape: [1, 16]}\nlayers:\n  - fully_connected: {units: 8}\n  - "
           "fully_connected: {units: " +
           std::to_string(units) + "}\n";
  }
  Said run(std::vector<std::string> further = {}) {
    std::vector<std::string> arguments = {"run", network, "--device", "cortex-m7-class", "-o", here / "out"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return dse(arguments);
  }
  /// Whether the study has one more session than when this was asked before: an answer from the folder opens none.
  bool was_run() {
    const auto now = json::parse(dse({"study", "list", here / "out", "--json"}).out)["sessions"].size();
    const bool more = now > sessions;
    sessions = now;
    return more;
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& e : std::filesystem::recursive_directory_iterator(here / "out"))
      if (e.is_regular_file() && e.path().filename().string().find("study") == std::string::npos)
        out[e.path().string()] = read(e.path().string());
    return out;
  }
  Folder here;
  std::string network;
  Said first;
  std::size_t sessions = 0;
};

TEST_F(Finished, AnswersTheSameWithoutRunning) {
  const auto before = files();
  const auto again = run({"--jobs", "3"});
  EXPECT_EQ(again.exit, 0);
  EXPECT_EQ(again.out, first.out);
  EXPECT_THAT(again.err, HasSubstr("holds the results of this run already"));
  EXPECT_FALSE(was_run());
  EXPECT_EQ(files(), before);
  const auto resumed = dse({"run", "--resume", "-o", here / "out"});
  EXPECT_EQ(resumed.out, first.out);
  EXPECT_FALSE(was_run());
}

TEST_F(Finished, AnyOtherQuestionIsRun) {
  run({"--limit", "memory=64KiB"});
  EXPECT_TRUE(was_run());
  run();
  EXPECT_TRUE(was_run()) << "the folder held another run's answer";
  run({"--set", "engines.core.dispatch=1 cycles"});
  EXPECT_TRUE(was_run());
  here.write("two.yaml", text(5));
  const auto other = run();
  EXPECT_TRUE(was_run()) << "the network's file has changed";
  EXPECT_EQ(run().out, other.out);
  EXPECT_FALSE(was_run());
}

TEST_F(Finished, ADamagedOrMissingResultIsMadeAgain) {
  const auto before = files();
  for (const auto& [path, content] : before) {
    if (path.ends_with("finished.json")) continue;
    for (const bool gone : {false, true}) {
      if (gone && path.find("/plans/") == std::string::npos) continue;
      if (gone)
        std::filesystem::remove(path);
      else
        std::ofstream(path, std::ios::app) << " ";
      const auto again = run();
      EXPECT_EQ(again.exit, 0) << path << again.err;
      EXPECT_TRUE(was_run()) << path;
      if (path.find("/plans/") != std::string::npos || path.find("/inputs/") != std::string::npos) {
        EXPECT_EQ(read(path), content) << path;
      }
    }
  }
  std::ofstream(here / "out/finished.json") << "{\"format\": 1, \"question\": 7}";
  EXPECT_THAT(run().err, Not(HasSubstr("already")));
  EXPECT_TRUE(was_run());
}

}  // namespace
}  // namespace dse::test::finished_test
