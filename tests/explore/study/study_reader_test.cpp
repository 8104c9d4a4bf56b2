// Reading a study without writing it.
#include "explore/study/study_reader.h"

#include <gmock/gmock.h>

#include "tests/explore/study/study_support.h"

namespace dse::explore::study_reader_test {
namespace {

using ::testing::ElementsAre;

class StudyReading : public StudyFile {
 protected:
  std::vector<std::string> best(std::optional<CandidateStatus> status, std::int64_t limit) const {
    std::vector<std::string> out;
    for (const auto& row : StudyReader(path()).best(1, status, limit)) out.push_back(row.candidate.assignment);
    return out;
  }
};

TEST_F(StudyReading, TellsWhoWrote) {
  { Study study(path(), info_of(7)); }
  auto second = info_of(8);
  second.command_line = "dse run other.yaml -o out";
  { Study study(path(), second); }
  const StudyReader reader(folder_.string());  // a folder means its study.sqlite
  EXPECT_EQ(reader.path(), path());
  const auto about = reader.about();
  EXPECT_EQ(about.at("format"), "5");
  EXPECT_EQ(about.at("version"), "1.2.3");
  EXPECT_EQ(about.at("model"), "7");
  EXPECT_EQ(about.at("command_line"), "dse run sweep.yaml -o out");
  EXPECT_EQ(about.at("inputs"), R"({"sweep.yaml":"ab12"})");
  const auto sessions = reader.sessions();
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[1].info.model, 8);
  EXPECT_EQ(sessions[1].info.command_line, second.command_line);
  EXPECT_EQ(sessions[1].info.inputs, second.inputs);
  EXPECT_EQ(sessions[1].started.size(), std::string("2026-01-31T12:34:56Z").size());
  EXPECT_NE(sessions[1].ended, "");
}

TEST_F(StudyReading, CountsWhatSubjectsHave) {
  {
    Study study(path(), info_of());
    const int a = study.subject(layer_subject("a")), b = study.subject(layer_subject("b"));
    for (int i = 0; i < 14; ++i) study.put(a, numbered(i));
    study.finish(b, "q", "");
  }
  const auto subjects = StudyReader(path()).subjects();
  ASSERT_EQ(subjects.size(), 2U);
  EXPECT_THAT(subjects[0].counts, ElementsAre(3, 3, 2, 2, 2, 2));
  EXPECT_EQ(subjects[0].count(), 14);
  EXPECT_EQ(subjects[0].searches, 0);
  EXPECT_EQ(subjects[1].count(), 0);
  EXPECT_EQ(subjects[1].searches, 1);
  const auto& s = subjects[1].subject;
  EXPECT_EQ(s.kind + s.key + s.device_hash + s.network + s.name + s.device, "layerbd0resnet8conv3gap8-class/l1=64KiB");
  EXPECT_EQ(s.tick_hz, 175'000'000);
  EXPECT_EQ(subjects[1].model, 7);
}

TEST_F(StudyReading, BestFirst) {
  {
    Study study(path(), info_of());
    const int subject = study.subject(layer_subject());
    const auto put = [&](const char* name, CandidateStatus status, std::int64_t ticks, std::int64_t bound,
                         std::int64_t memory) {
      study.put(subject, {name, status, {ticks, -1, -1}, bound, memory, "", ""});
    };
    put("a slow", CandidateStatus::simulated, 300, 100, 1);
    put("b large", CandidateStatus::simulated, 200, 100, 9);
    put("c small", CandidateStatus::simulated, 200, 150, 8);
    put("d far", CandidateStatus::dominated, -1, 20, 1);
    put("e near", CandidateStatus::dominated, -1, 10, 1);
    put("f not", CandidateStatus::infeasible, -1, 1, -1);
    put("g fast", CandidateStatus::simulated, 100, 100, 100);
  }
  EXPECT_THAT(best({}, 0), ElementsAre("g fast", "c small", "b large", "a slow", "e near", "d far", "f not"));
  EXPECT_THAT(best({}, 2), ElementsAre("g fast", "c small"));
  EXPECT_THAT(best(CandidateStatus::dominated, 0), ElementsAre("e near", "d far"));
  EXPECT_THAT(best(CandidateStatus::hung, 0), ElementsAre());
}

TEST_F(StudyReading, EveryRowOnceWhateverTheirNumber) {
  for (const int count : {0, 1, 1023, 1024, 1025, 5000}) {
    std::filesystem::remove(path());
    {
      Study study(path(), info_of());
      study.describe("chip", "d0", std::nullopt, "measured");
      const int before = study.subject(layer_subject("before")), subject = study.subject(layer_subject("it")),
                after = study.subject(layer_subject("after"));
      study.put(before, numbered(1)), study.put(after, numbered(2));
      for (int i = 0; i < count; ++i) study.put(subject, numbered(i));
      study.put(subject,
                {"", CandidateStatus::hung, {-1, -1, -1}, -1, -1, "", ""});  // the empty assignment comes first
    }
    std::vector<Candidate> read;
    StudyReader(path()).each(2, [&](const StudyRow& row) { read.push_back(row.candidate); });
    EXPECT_EQ(read, Study(path(), info_of()).candidates(2));
    EXPECT_EQ(read.size(), static_cast<std::size_t>(count) + 1);
  }
}

TEST_F(StudyReading, ViewsNameTheUnits) {
  {
    Study study(path(), info_of());
    study.describe("chip", "d0", std::nullopt, "measured");
    const int subject = study.subject(layer_subject());
    study.put(subject, {"x", CandidateStatus::simulated, {175'000, 2'500'000'000, 128}, 1, 64, "", "p"});
    study.put(subject, {"y", CandidateStatus::hung, {-1, -1, -1}, 1, -1, "no sign of life", ""});
  }
  sqlite::Database db(path(), SQLITE_OPEN_READONLY);
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
  sqlite::Statement row(db,
                        "SELECT network, layer, device, assignment, CAST(latency_us AS INTEGER), energy_uj * 10, "
                        "memory_bytes, traffic_bytes, plan FROM simulated_candidates");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0) + row.text(1) + row.text(2) + row.text(3), "resnet8conv3gap8-class/l1=64KiBx");
  EXPECT_EQ(row.integer(4), 1000);
  EXPECT_EQ(row.integer(5), 25);
  EXPECT_EQ(row.integer(6), 64);
  EXPECT_EQ(row.integer(7), 128);
  EXPECT_EQ(row.text(8), "p");
  EXPECT_FALSE(row.step());
  sqlite::Statement lost(db, "SELECT assignment, status, reason FROM lost_candidates");
  ASSERT_TRUE(lost.step());
  EXPECT_EQ(lost.text(0) + lost.text(1) + lost.text(2), "yhungno sign of life");
  sqlite::Statement counts(db, "SELECT status, candidates FROM subject_counts ORDER BY status");
  ASSERT_TRUE(counts.step());
  EXPECT_EQ(counts.text(0), "hung");
}

/// Energies as readers are told them, by rows and by the view: "1000 -" is one of nJ, and one that is not known.
std::string energies(const std::string& path) {
  std::string out;
  const auto add = [&](std::int64_t fj) { out += (out.empty() ? "" : " ") + (fj < 0 ? "-" : std::to_string(fj)); };
  const StudyReader reader(path);
  for (const auto& s : reader.subjects()) {
    reader.each(s.id, [&](const StudyRow& row) { add(row.candidate.costs[kEnergy]); });
    for (const auto& row : reader.best(s.id, {}, 0)) add(row.candidate.costs[kEnergy]);
  }
  sqlite::Database db(path, SQLITE_OPEN_READONLY);
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
  sqlite::Statement view(db,
                         "SELECT CAST(energy_uj * 1000000000 AS INTEGER) FROM simulated_candidates ORDER BY subject");
  while (view.step()) add(view.integer_or(0, -1));
  return out;
}

TEST_F(StudyReading, EnergiesAreToldWhereTheDeviceSaysWhoseTheyAre) {
  const Candidate simulated{"x", CandidateStatus::simulated, {1, 7'000'000'000, 0}, 1, 64, "", ""};
  const auto write = [&](const std::string& source) {
    Study study(path(), info_of());
    auto other = layer_subject("b");
    other.device_hash = "d1";
    study.describe("chip", "d0", std::nullopt, source), study.describe("other", "d1", std::nullopt);
    const int a = study.subject(layer_subject("a")), b = study.subject(other);
    study.put(a, simulated), study.put(b, simulated);
    // A search goes on with what was counted, told or not.
    EXPECT_THAT(study.candidates(b), ElementsAre(simulated));
  };
  write("");
  EXPECT_EQ(energies(path()), "- - - - - -");
  write("measured");
  EXPECT_EQ(energies(path()), "7000000000 7000000000 - - 7000000000 -");
  {  // as a program made it that knew no sources
    sqlite::Database db(path(), SQLITE_OPEN_READWRITE);
    db.exec(
        "DROP TABLE devices; DROP VIEW simulated_candidates;"
        "CREATE TABLE devices(device TEXT PRIMARY KEY, hash TEXT NOT NULL, area_mm2 REAL) WITHOUT ROWID;"
        "CREATE VIEW simulated_candidates AS SELECT subject, energy_fj * 1e-9 AS energy_uj FROM candidates");
  }
  EXPECT_THAT(StudyReader(path()).best(1, {}, 0).at(0).candidate.costs[kEnergy], -1);
  write("measured");
  EXPECT_EQ(energies(path()), "7000000000 7000000000 - - 7000000000 -");
}

}  // namespace
}  // namespace dse::explore::study_reader_test
