// What the tests of studies share.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "explore/study/sqlite.h"
#include "explore/study/study.h"

namespace dse::explore {

/// A folder of its own for each test.
class StudyFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("dse-study-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "study.sqlite").string(); }
  /// A database made by other hands.
  static void make_database(const std::string& path, const std::string& sql) {
    sqlite::Database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).exec(sql);
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::filesystem::path folder_;
};

inline StudyInfo info_of(int model = 7) {
  return {"1.2.3", model, "dse run sweep.yaml -o out", {{"sweep.yaml", "ab12"}}};
}

inline Subject layer_subject(const std::string& key = "k0") {
  return {"layer", key, "d0", "resnet8", "conv3", "gap8-class/l1=64KiB", 175'000'000};
}

/// A candidate whose every field follows from `i`.
inline Candidate numbered(std::int64_t i) {
  Candidate c;
  c.assignment = "tile=" + std::to_string(i);
  c.status = static_cast<CandidateStatus>(i % kCandidateStatuses);
  if (c.status == CandidateStatus::simulated) c.costs = {1000 + i, 1'000'000'000'000 + i, i};
  c.bound = 900 + i, c.memory = 10 * i;
  if (c.status >= CandidateStatus::infeasible) c.reason = "reason " + std::to_string(i);
  if (i % 4 == 0) c.plan = "plan" + std::to_string(i);
  return c;
}

}  // namespace dse::explore
