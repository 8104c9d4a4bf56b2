// dse study, and studies that dse run refuses.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::cli_study_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// One small run for all tests of this process.
class StudyCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto run = dse({"run", "autoencoder", "--device", "gap8-class", "-o", here / "out"});
    ASSERT_EQ(run.exit, 0) << run.err;
  }
  json listed() const {
    const auto said = dse({"study", "list", here / "out", "--json"});
    EXPECT_EQ(said.exit, 0) << said.err;
    return json::parse(said.out);
  }
  Folder here;
};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(StudyCommand, ListNamesWhatWasSearched) {
  const auto list = listed();
  EXPECT_EQ(list.at("about").at("format"), "5");
  ASSERT_EQ(list.at("sessions").size(), 1U);
  EXPECT_THAT(list["sessions"][0].at("command_line").get<std::string>(), HasSubstr("dse run autoencoder"));
  EXPECT_FALSE(list["sessions"][0].at("ended").is_null());
  EXPECT_EQ(list["sessions"][0].at("inputs").at("sweep.yaml").get<std::string>().size(), 64U);
  std::int64_t simulated = 0, searches = 0;
  for (const auto& s : list.at("subjects")) {
    EXPECT_EQ(s.at("network"), "autoencoder");
    EXPECT_EQ(s.at("device"), "gap8-class");
    simulated += s.at("candidates").at("simulated").get<std::int64_t>(),
        searches += s.at("searches").get<std::int64_t>();
  }
  EXPECT_GT(simulated, 0);
  EXPECT_GT(searches, 0);
  const auto text = dse({"study", "list", here / "out/study.sqlite"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("format 5"), HasSubstr("autoencoder  "), HasSubstr("simulated")));
  EXPECT_EQ(lines(text.out), list["subjects"].size() + 2);
}

TEST_F(StudyCommand, ShowPutsTheBestFirst) {
  const auto said = dse({"study", "show", here / "out", "--status", "simulated", "--limit", "0", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto subjects = json::parse(said.out);
  ASSERT_FALSE(subjects.empty());
  for (const auto& s : subjects) {
    ASSERT_EQ(s.at("candidates").size(), s.at("counts").at("simulated"));
    std::int64_t before = 0;
    for (const auto& c : s["candidates"]) {
      EXPECT_EQ(c.at("status"), "simulated");
      EXPECT_GE(c.at("ticks").get<std::int64_t>(), before);
      before = c["ticks"];
      EXPECT_NEAR(c.at("latency_us").get<double>(), 1e6 * static_cast<double>(before) / s.at("tick_hz").get<double>(),
                  1e-3);
    }
  }
  const auto layer = subjects[0].at("layer").get<std::string>();
  const auto text = dse({"study", "show", here / "out", "--layer", layer, "--network", "autoencoder", "--device",
                         "gap8-class", "--limit", "1"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr(layer + " of autoencoder on gap8-class: "), HasSubstr("assignment")));
}

TEST_F(StudyCommand, ExportHasEveryCandidate) {
  std::int64_t count = 0;
  const auto list = listed();
  for (const auto& s : list.at("subjects"))
    for (const auto& [status, n] : s.at("candidates").items()) count += n.get<std::int64_t>();
  ASSERT_EQ(dse({"study", "export", here / "out", "-o", here / "all.json"}).exit, 0);
  ASSERT_EQ(dse({"study", "export", here / "out", "-o", here / "all.csv"}).exit, 0);
  const auto rows = json::parse(read(here / "all.json"));
  const auto csv = read(here / "all.csv");
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(lines(csv), static_cast<std::size_t>(count) + 1);
  EXPECT_THAT(csv, testing::StartsWith("subject,kind,network,layer,device,key,"));
  EXPECT_EQ(rows.at(0).at("network"), "autoencoder");
  EXPECT_EQ(dse({"study", "export", here / "out", "-o", "-"}).out, csv);
  EXPECT_EQ(dse({"study", "export", here / "out", "-o", "-", "--json"}).out, read(here / "all.json"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(here.path()), {}), 3) << "nothing half-written";
}

TEST_F(StudyCommand, NamesThatAreNotThereAreBadInput) {
  const auto network = dse({"study", "show", here / "out", "--network", "autoencode"});
  EXPECT_EQ(network.exit, 3);
  EXPECT_THAT(network.err,
              AllOf(HasSubstr("error: holds nothing of network 'autoencode'"), HasSubstr("did you mean autoencoder?")));
  const auto layer = dse({"study", "show", here / "out", "--layer", "nowhere"});
  EXPECT_EQ(layer.exit, 3);
  EXPECT_THAT(layer.err, HasSubstr("of layer 'nowhere'"));
  EXPECT_EQ(dse({"study", "show", here / "out", "--status", "best"}).exit, 2);
  EXPECT_EQ(dse({"study", "export", here / "out", "-o", here / "all.txt"}).exit, 3);
  EXPECT_EQ(dse({"study", "export", here / "out", "-o", here / "absent/all.csv"}).exit, 1);
  EXPECT_EQ(dse({"study"}).exit, 2);
}

TEST_F(StudyCommand, OtherFilesAreBadInput) {
  for (const auto& what : {here / "absent", here.path(), here / "out/sweep.yaml"}) {
    const auto said = dse({"study", "list", what});
    EXPECT_EQ(said.exit, 3) << what;
    EXPECT_THAT(said.err, AllOf(HasSubstr(what + ": error: "), HasSubstr("hint: ")));
    EXPECT_EQ(said.out, "");
  }
  const auto whole = read(here / "out/study.sqlite");
  here.write("cut.sqlite", whole.substr(0, whole.size() / 2));
  const auto cut = dse({"study", "export", here / "cut.sqlite", "-o", here / "cut.csv"});
  EXPECT_EQ(cut.exit, 3);
  EXPECT_THAT(cut.err, HasSubstr("cut.sqlite: error: is damaged"));
  EXPECT_FALSE(std::filesystem::exists(here / "cut.csv"));
}

// user_version: a big-endian integer at byte 60 of a database (sqlite.org/fileformat.html, 1.3).
TEST_F(StudyCommand, ARunRefusesAnotherFormatByName) {
  auto bytes = read(here / "out/study.sqlite");
  bytes[63] = 9;
  here.write("out/study.sqlite", bytes);
  for (const auto& command :
       {std::vector<std::string>{"run", "autoencoder", "--device", "gap8-class", "-o", here / "out"},
        {"study", "list", here / "out"}}) {
    const auto said = dse(command);
    EXPECT_EQ(said.exit, 3);
    EXPECT_THAT(said.err,
                AllOf(HasSubstr("study.sqlite: error: is a study of format 9; this program reads and writes format 5"),
                      HasSubstr("hint: give another folder, or remove it")));
  }
  EXPECT_EQ(read(here / "out/study.sqlite"), bytes);
}

}  // namespace
}  // namespace dse::test::cli_study_test
