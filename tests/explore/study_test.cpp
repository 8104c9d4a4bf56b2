#include "explore/study.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dse::explore {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class StudyFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("dse-study-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "study.sqlite").string(); }
  fs::path folder_;
};

TEST_F(StudyFile, KeepsWhatWasPut) {
  const std::string key("a\0key", 5), value("\0\x01\xff bytes\0", 10);
  {
    Study study(path());
    EXPECT_FALSE(study.find(key));
    study.put(key, value);
    study.put("empty", "");
  }
  Study study(path());
  ASSERT_TRUE(study.find(key));
  EXPECT_EQ(*study.find(key), value);
  ASSERT_TRUE(study.find("empty"));
  EXPECT_EQ(*study.find("empty"), "");
  EXPECT_FALSE(study.find(std::string("a", 1))) << "keys are bytes, not C strings";
}

TEST_F(StudyFile, FlushMakesItVisibleToOthers) {
  Study writer(path()), reader(path());
  writer.put("k", "v");
  EXPECT_FALSE(reader.find("k"));
  writer.flush();
  ASSERT_TRUE(reader.find("k"));
  EXPECT_EQ(*reader.find("k"), "v");
  writer.flush();  // nothing to write
}

TEST_F(StudyFile, BatchesOfSixtyFourAreWrittenByThemselves) {
  Study writer(path()), reader(path());
  for (int i = 0; i < 64; ++i) writer.put("k" + std::to_string(i), "v");
  EXPECT_TRUE(reader.find("k0"));
  EXPECT_TRUE(reader.find("k63"));
}

TEST_F(StudyFile, TheLatestValueCounts) {
  Study study(path());
  study.put("k", "old");
  study.flush();
  study.put("k", "new");
  study.flush();
  EXPECT_EQ(*study.find("k"), "new");
}

TEST_F(StudyFile, OfAnotherVersionIsEmptied) {
  {
    Study study(path());
    study.put("k", "v");
  }
  // user_version: a big-endian integer at byte 60 of a database file (sqlite.org/fileformat.html, 1.3).
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);
    file.write("\0\0\x7f\x7f", 4);
  }
  {
    Study study(path());
    EXPECT_FALSE(study.find("k"));
    study.put("k", "w");
  }
  EXPECT_EQ(*Study(path()).find("k"), "w");
}

TEST_F(StudyFile, ThatCannotBeUsedIsAnError) {
  EXPECT_THROW(Study((folder_ / "absent" / "study.sqlite").string()), std::runtime_error);
  std::ofstream(path()) << std::string(4096, 'x');
  EXPECT_THROW(Study{path()}, std::runtime_error);
}

}  // namespace
}  // namespace dse::explore
