// What a study keeps: candidates and results come back as they were put, of this timing model alone.
#include "explore/study/study.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "explore/study/study_reader.h"
#include "tests/explore/study/study_support.h"

namespace dse::explore::explore_study_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(StudyFile, KeepsCandidatesAsTheyWerePut) {
  std::vector<Candidate> put;
  for (int i = 0; i < 300; ++i) put.push_back(numbered(i));
  Candidate odd;
  odd.assignment = std::string("a\0b \xff 'quoted' \"twice\", \n", 25), odd.reason = "größer";
  odd.costs[kTicks] = std::numeric_limits<std::int64_t>::max();
  put.push_back(odd);
  put.push_back({"", CandidateStatus::outside, {0, 0, 0}, 0, 0, "", ""});  // zero is known
  {
    Study study(path(), info_of());
    const int subject = study.subject(layer_subject());
    for (const auto& c : put) study.put(subject, c);
  }
  std::sort(put.begin(), put.end(), [](const auto& a, const auto& b) { return a.assignment < b.assignment; });
  Study study(path(), info_of());
  EXPECT_EQ(study.candidates(study.subject(layer_subject())), put);
}

TEST_F(StudyFile, DevicePointsAreKeptAsTheyWereDescribedLast) {
  {
    Study study(path(), info_of());
    study.describe("chip/l1=64KiB", "d0", 1.5), study.describe("other", "d1", std::nullopt);
    study.describe("chip/l1=64KiB", "d0", 1.25);
  }
  {
    sqlite::Database db(path(), SQLITE_OPEN_READWRITE);
    sqlite::Statement all(db, "SELECT device, hash, area_mm2 FROM devices ORDER BY device");
    ASSERT_TRUE(all.step());
    EXPECT_EQ(all.text(0) + " " + all.text(1) + " " + all.text(2), "chip/l1=64KiB d0 1.25");
    ASSERT_TRUE(all.step());
    EXPECT_EQ(all.text(0) + " " + all.text(1) + " " + all.text(2), "other d1 ");
    EXPECT_FALSE(all.step());
    all.reset();
    db.exec("DROP TABLE devices");  // as an older program made it
  }
  Study study(path(), info_of());
  study.describe("chip", "d0", 2);
}

TEST_F(StudyFile, ARowThatWaitsIsFoundAtOnce) {
  Study study(path(), info_of());
  const int subject = study.subject(layer_subject());
  study.put(subject, numbered(1));
  EXPECT_THAT(study.candidates(subject), ElementsAre(numbered(1)));
  study.finish(subject, "q", "found");
  EXPECT_EQ(study.result(subject, "q"), "found");
}

// Random puts into random subjects, with flushes in between, against a map.
TEST_F(StudyFile, TheLastCandidateOfAnAssignmentCounts) {
  std::mt19937 random(1);
  std::map<std::string, std::map<std::string, Candidate>> expected;
  for (int session = 0; session < 3; ++session) {
    Study study(path(), info_of());
    for (int i = 0; i < 2000; ++i) {
      const auto key = "k" + std::to_string(random() % 5);
      auto c = numbered(static_cast<std::int64_t>(random() % 10'000));
      c.assignment = "tile=" + std::to_string(random() % 100);
      study.put(study.subject(layer_subject(key)), c);
      expected[key][c.assignment] = c;
      if (random() % 300 == 0) study.flush();
      if (random() % 300 != 0) continue;
      EXPECT_EQ(study.candidates(study.subject(layer_subject(key))).size(), expected[key].size());
    }
  }
  Study study(path(), info_of());
  for (const auto& [key, rows] : expected) {
    std::vector<Candidate> list;
    for (const auto& [assignment, c] : rows) list.push_back(c);
    EXPECT_EQ(study.candidates(study.subject(layer_subject(key))), list) << key;
  }
}

TEST_F(StudyFile, SubjectsAreToldApartByKindAndKeyAlone) {
  Study study(path(), info_of());
  const int a = study.subject(layer_subject("a"));
  auto renamed = layer_subject("a");
  renamed.network = "another", renamed.name = "conv9";
  EXPECT_EQ(study.subject(renamed), a);
  auto whole = layer_subject("a");
  whole.kind = "network";
  EXPECT_NE(study.subject(whole), a);
  EXPECT_NE(study.subject(layer_subject("b")), a);
  study.put(a, numbered(1));
  EXPECT_THAT(study.candidates(study.subject(whole)), IsEmpty());
}

TEST_F(StudyFile, ResultsBelongToASubjectAndAQuestion) {
  {
    Study study(path(), info_of());
    const int a = study.subject(layer_subject("a")), b = study.subject(layer_subject("b"));
    EXPECT_FALSE(study.result(a, "q"));
    study.finish(a, "q", R"({"front":[]})");
    study.finish(a, "r", "");
    study.finish(b, "q", "of b");
    study.finish(b, "q", "of b, again");
  }
  Study study(path(), info_of());
  const int a = study.subject(layer_subject("a")), b = study.subject(layer_subject("b"));
  EXPECT_EQ(study.result(a, "q"), R"({"front":[]})");
  EXPECT_EQ(study.result(a, "r"), "");
  EXPECT_EQ(study.result(b, "q"), "of b, again");
  EXPECT_FALSE(study.result(b, "r"));
}

TEST_F(StudyFile, WhatAnotherTimingModelMeasuredStaysButIsNotFound) {
  for (const int model : {7, 8}) {
    Study study(path(), info_of(model));
    const int subject = study.subject(layer_subject());
    EXPECT_THAT(study.candidates(subject), IsEmpty()) << "of model " << model;
    EXPECT_FALSE(study.result(subject, "q"));
    study.put(subject, numbered(model));
    study.finish(subject, "q", std::to_string(model));
  }
  for (const int model : {7, 8}) {
    Study study(path(), info_of(model));
    const int subject = study.subject(layer_subject());
    EXPECT_THAT(study.candidates(subject), ElementsAre(numbered(model)));
    EXPECT_EQ(study.result(subject, "q"), std::to_string(model));
  }
}

TEST_F(StudyFile, WhatWasFlushedIsThereForReaders) {
  Study study(path(), info_of());
  const int subject = study.subject(layer_subject());
  study.put(subject, numbered(1));
  study.flush();
  study.flush();  // nothing to write
  const StudyReader reader(path());
  ASSERT_EQ(reader.subjects().size(), 1U);
  EXPECT_EQ(reader.subjects()[0].count(), 1);
}

TEST_F(StudyFile, RowsGoToTheDiskByThemselvesWithTime) {
  Study study(path(), info_of());
  const int subject = study.subject(layer_subject());
  study.put(subject, numbered(0));
  ::usleep(600'000);
  study.put(subject, numbered(1));  // less than a whole transaction, but late
  EXPECT_EQ(StudyReader(path()).subjects().at(0).count(), 2);
  for (int i = 2; i < 66; ++i) study.put(subject, numbered(i));
  ::usleep(600'000);
  study.put(subject, numbered(66));
  EXPECT_EQ(StudyReader(path()).subjects().at(0).count(), 67);
}

TEST_F(StudyFile, StatusesAreTheseWords) {
  for (int i = 0; i < kCandidateStatuses; ++i) {
    const auto status = static_cast<CandidateStatus>(i);
    EXPECT_EQ(candidate_status(to_string(status)), status);
  }
  EXPECT_EQ(to_string(CandidateStatus::hung), "hung");
  EXPECT_FALSE(candidate_status("Hung"));
  EXPECT_FALSE(candidate_status(""));
}

}  // namespace
}  // namespace dse::explore::explore_study_test
