// Files that are no study of this format: refused by name, left as they are, never a crash.
#include <gmock/gmock.h>

#include <random>

#include "explore/study/study_reader.h"
#include "explore/study/study_schema.h"
#include "tests/explore/study/study_support.h"

namespace dse::explore::study_files_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What opening says; empty if it opens.
template <class Open>
std::string refusal(Open&& open) {
  try {
    open();
    return "";
  } catch (const StudyError& e) {
    EXPECT_FALSE(e.diagnostic.hint.empty());
    return e.what();
  }
}

class StudyFiles : public StudyFile {
 protected:
  /// For writing and for reading alike; the file stays as it is.
  std::string refused() const {
    const auto before = bytes_of(path());
    const auto said = refusal([&] { Study(path(), info_of()); });
    EXPECT_EQ(said, refusal([&] { StudyReader{path()}; }));
    EXPECT_TRUE(before == bytes_of(path())) << "the file has changed";
    EXPECT_FALSE(std::filesystem::exists(path() + ".lock"));
    return said;
  }
  void fill(int rows) const {
    Study study(path(), info_of());
    for (int i = 0; i < rows; ++i) study.put(study.subject(layer_subject("k" + std::to_string(i % 3))), numbered(i));
    for (int i = 0; i < 3; ++i) study.finish(study.subject(layer_subject("k" + std::to_string(i))), "q", "{}");
  }
};

TEST_F(StudyFiles, OlderFormatsAreNamed) {
  for (const int format : {1, 2}) {
    std::filesystem::remove(path());
    make_database(path(),
                  "CREATE TABLE layers(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
                  "INSERT INTO layers VALUES('k', 'v'); PRAGMA user_version=" +
                      std::to_string(format));
    EXPECT_EQ(refused(), path() + ": is a study of format " + std::to_string(format) +
                             "; this program reads and writes format 5 (give another folder, or remove it)");
  }
}

TEST_F(StudyFiles, NewerFormatsAreNamed) {
  fill(10);
  make_database(path(), "DROP TABLE searches; PRAGMA user_version=6");
  EXPECT_THAT(refused(), HasSubstr("is a study of format 6; this program reads and writes format 5"));
}

TEST_F(StudyFiles, OtherDatabasesAreRefused) {
  make_database(path(), "CREATE TABLE layers(id)");  // user_version 0
  EXPECT_THAT(refused(), StartsWith(path() + ": is an SQLite database, but not a study"));
  make_database(path(), "PRAGMA user_version=5");
  EXPECT_THAT(refused(), HasSubstr("but not a study"));
  make_database(path(), "PRAGMA application_id=252006674");
  EXPECT_THAT(refused(), HasSubstr("but not a study"));
}

TEST_F(StudyFiles, OtherFilesAreRefused) {
  for (const auto& text : {std::string(4096, 'x'), std::string("short"), std::string(1, '\0')}) {
    write_bytes(path(), text);
    EXPECT_THAT(refused(), StartsWith(path() + ": is not a study: no SQLite database"));
  }
}

TEST_F(StudyFiles, AnEmptyFileIsANewStudy) {
  write_bytes(path(), "");
  EXPECT_THAT(refusal([&] { StudyReader{path()}; }), HasSubstr("is empty"));
  fill(3);
  EXPECT_EQ(StudyReader(path()).subjects().size(), 3U);
}

TEST_F(StudyFiles, ThatAreNotThere) {
  EXPECT_THAT(refusal([&] { StudyReader{path()}; }), HasSubstr(path() + ": there is no such file"));
  EXPECT_THAT(refusal([&] { StudyReader{folder_.string()}; }), HasSubstr("holds no study.sqlite"));
  EXPECT_THROW(Study((folder_ / "absent" / "study.sqlite").string(), info_of()), std::runtime_error);
  std::filesystem::create_directory(path());
  EXPECT_THROW(Study(path(), info_of()), std::runtime_error);
}

TEST_F(StudyFiles, CutShortAnywhereIsDamaged) {
  fill(3000);
  const auto whole = bytes_of(path());
  ASSERT_GT(whole.size(), 100'000U);
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    const auto size = i < 4 ? std::size_t{4096} << i : 100 + random() % (whole.size() - 100);
    write_bytes(path(), whole.substr(0, size));
    EXPECT_THAT(refusal([&] { Study(path(), info_of()); }), AllOf(StartsWith(path()), HasSubstr("is damaged"))) << size;
  }
}

TEST_F(StudyFiles, LackingATableIsDamaged) {
  for (const std::string change : {"DROP TABLE candidates", "ALTER TABLE candidates RENAME COLUMN ticks TO tocks",
                                   "DROP TABLE sessions", "DROP TABLE subjects", "DROP TABLE searches"}) {
    std::filesystem::remove(path());
    fill(3);
    make_database(path(), change);
    EXPECT_THAT(refusal([&] { Study(path(), info_of()); }), HasSubstr("is damaged: ")) << change;
  }
}

TEST_F(StudyFiles, AnUnknownStatusIsDamage) {
  fill(30);
  make_database(path(), "UPDATE candidates SET status = 'lost' WHERE ticks = 1000");
  Study study(path(), info_of());
  EXPECT_THAT(refusal([&] { study.candidates(study.subject(layer_subject("k0"))); }),
              HasSubstr("is damaged: a candidate has the status 'lost'"));
  EXPECT_THAT(refusal([&] { StudyReader(path()).best(1, {}, 0); }), HasSubstr("the status 'lost'"));
}

TEST_F(StudyFiles, ARowThatIsNotAsItWasWrittenIsDamage) {
  for (const std::string edit :
       {"candidates SET ticks = ticks - 1 WHERE ticks IS NOT NULL", "candidates SET bound = bound + 1",
        "candidates SET memory = NULL", "candidates SET status = 'simulated' WHERE status = 'infeasible'",
        "candidates SET energy_fj = 1", "candidates SET traffic = traffic + 1",
        "candidates SET assignment = assignment || '_'", "candidates SET plan = 'other'",
        "candidates SET reason = 'other'", "candidates SET sum = 0", "searches SET result = '{} '",
        "searches SET sum = sum + 1", "subjects SET id = id + 10", "subjects SET sum = 1"}) {
    std::filesystem::remove(path());
    fill(30);
    make_database(path(), "PRAGMA foreign_keys=OFF; UPDATE " + edit);
    EXPECT_THAT(refusal([&] {
                  Study study(path(), info_of());
                  for (int i = 0; i < 3; ++i) {
                    const int subject = study.subject(layer_subject("k" + std::to_string(i)));
                    study.candidates(subject);
                    study.result(subject, "q");
                  }
                }),
                HasSubstr("is not as it was written"))
        << edit;
  }
}

// What a database brings along does not run.
TEST_F(StudyFiles, ForeignTriggersDoNotRun) {
  fill(3);
  make_database(path(), "CREATE TRIGGER t AFTER INSERT ON candidates BEGIN DELETE FROM candidates; END");
  fill(3);
  EXPECT_EQ(StudyReader(path()).subjects()[0].count(), 1);
}

/// Opens and reads everything; whatever is wrong must be an exception.
void read_all(const std::string& path) {
  try {
    const StudyReader reader(path);
    reader.about();
    reader.sessions();
    for (const auto& s : reader.subjects()) {
      reader.best(s.id, {}, 5);
      reader.each(s.id, [](const StudyRow&) {});
    }
    Study study(path, info_of());
    for (int k = 0; k < 3; ++k) {
      const int subject = study.subject(layer_subject("k" + std::to_string(k)));
      study.candidates(subject);
      study.result(subject, "q");
      for (int i = 0; i < 50; ++i) study.put(subject, numbered(1'000'000 + i));
    }
    study.flush();
  } catch (const std::runtime_error&) {
  }
}

TEST_F(StudyFiles, BytesChangedAnywhereNeverCrash) {
  fill(600);
  const auto whole = bytes_of(path());
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    auto bytes = whole;
    for (int n = 0; n < 1 + round % 8; ++n) {
      const auto at = round % 3 == 0 ? random() % 4096 : random() % bytes.size();
      bytes[at] = static_cast<char>(random());
    }
    write_bytes(path(), bytes);
    read_all(path());
    for (const char* rest : {"-journal", "-wal", "-shm"}) std::filesystem::remove(path() + rest);
  }
}

}  // namespace
}  // namespace dse::explore::study_files_test
