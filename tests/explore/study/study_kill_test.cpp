// Writers that are killed, writers that meet, forks of a writer.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <random>

#include "explore/study/study_reader.h"
#include "tests/explore/study/study_support.h"

namespace dse::explore::study_kill_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A child of the test that runs `work`, which tells it numbers.
class Child {
 public:
  template <class Work>
  explicit Child(Work&& work) {
    if (::pipe(pipe_) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(pipe_[0]);
      try {
        work([this](std::int64_t n) {
          if (::write(pipe_[1], &n, sizeof n) != sizeof n) ::_exit(2);
        });
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(pipe_[1]);
  }
  ~Child() {
    if (pid_ > 0) kill();
    ::close(pipe_[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Waits for the next number; -1 at the end.
  std::int64_t hear() const {
    std::int64_t n = 0;
    return ::read(pipe_[0], &n, sizeof n) == sizeof n ? n : -1;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  pid_t pid() const { return pid_; }

 private:
  int pipe_[2] = {-1, -1};
  pid_t pid_ = -1;
};

class StudyKill : public StudyFile {};

// The same file through all rounds; now and then a new one, killed while it is made.
TEST_F(StudyKill, AnyMomentLosesNothingThatWasFlushed) {
  std::mt19937 random(3);
  std::int64_t sure = -1, next = 0;
  for (int round = 0; round < 30; ++round) {
    const bool fresh = round % 6 == 5;
    if (fresh) std::filesystem::remove(path()), std::filesystem::remove(path() + "-journal"), sure = -1, next = 0;
    Child child([&](auto tell) {
      std::mt19937 own(static_cast<unsigned>(round));
      Study study(path(), info_of());
      const int subject = study.subject(layer_subject());
      for (std::int64_t i = next;; ++i) {
        study.put(subject, numbered(i));
        if (own() % 50 == 0) study.flush(), tell(i);
      }
    });
    std::int64_t told = fresh ? -1 : child.hear();
    ASSERT_TRUE(fresh || told >= 0) << "the child ended by itself";
    ::usleep(static_cast<useconds_t>(random() % (fresh ? 15'000 : 30'000)));
    child.kill();
    for (std::int64_t n = child.hear(); n >= 0; n = child.hear()) told = n;
    sure = std::max(sure, told);
    std::int64_t count = 0;
    {
      Study study(path(), info_of());
      const auto rows = study.candidates(study.subject(layer_subject()));
      count = static_cast<std::int64_t>(rows.size());
      EXPECT_GT(count, sure) << "round " << round;
      std::vector<Candidate> expected;
      for (std::int64_t i = 0; i < count; ++i) expected.push_back(numbered(i));
      std::sort(expected.begin(), expected.end(),
                [](const auto& a, const auto& b) { return a.assignment < b.assignment; });
      EXPECT_EQ(rows, expected) << "round " << round << ": rows are whole, in order of putting";
    }
    EXPECT_FALSE(std::filesystem::exists(path() + "-journal"));
    EXPECT_FALSE(std::filesystem::exists(path() + ".lock"));
    next = count, sure = count - 1;
  }
}

TEST_F(StudyKill, ReadersSeeWhatWasFlushedBeforeAKill) {
  Child child([&](auto tell) {
    Study study(path(), info_of());
    const int subject = study.subject(layer_subject());
    for (int i = 0; i < 100; ++i) study.put(subject, numbered(i));
    study.flush();
    study.put(subject, numbered(100));
    tell(0);
    ::pause();
  });
  ASSERT_EQ(child.hear(), 0);
  EXPECT_EQ(StudyReader(path()).subjects().at(0).count(), 100) << "while it is being written";
  child.kill();
  const StudyReader reader(path());
  EXPECT_EQ(reader.subjects().at(0).count(), 100);
  EXPECT_EQ(reader.sessions().at(0).ended, "") << "it was killed";
}

std::string refusal(const std::string& path) {
  try {
    Study(path, info_of());
  } catch (const StudyError&) {
    return "bad input";
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST_F(StudyKill, OnlyOneWriterAtATime) {
  Child child([&](auto tell) {
    Study study(path(), info_of());
    tell(0);
    ::pause();
  });
  ASSERT_EQ(child.hear(), 0);
  EXPECT_THAT(refusal(path()), AllOf(HasSubstr(path() + ": somebody is writing this study"),
                                     HasSubstr("process " + std::to_string(child.pid()) + " ")));
  std::filesystem::create_symlink(folder_, folder_.string() + "-link");
  EXPECT_THAT(refusal(folder_.string() + "-link/study.sqlite"), HasSubstr("somebody is writing"));
  std::filesystem::remove(folder_.string() + "-link");
  child.kill();
  EXPECT_EQ(refusal(path()), "");
  const Study mine(path(), info_of());
  EXPECT_THAT(refusal(path()), HasSubstr("process " + std::to_string(::getpid()) + " "));
}

// Workers are forked from the process that writes: what they inherit neither writes twice nor keeps the study locked.
TEST_F(StudyKill, ForksLeaveItAlone) {
  auto study = std::make_unique<Study>(path(), info_of());
  const int subject = study->subject(layer_subject());
  study->put(subject, numbered(1));
  {
    Child destroys([&](auto) { study.reset(); });
    EXPECT_EQ(destroys.wait(), 0);
  }
  EXPECT_EQ(StudyReader(path()).subjects().size(), 0U);
  EXPECT_THAT(refusal(path()), HasSubstr("somebody is writing"));
  study->put(subject, numbered(2));
  Child outlives([](auto tell) {
    tell(0);
    ::pause();
  });
  ASSERT_EQ(outlives.hear(), 0);
  study.reset();
  Study again(path(), info_of());
  EXPECT_EQ(again.candidates(again.subject(layer_subject())), (std::vector<Candidate>{numbered(1), numbered(2)}));
}

// Somebody who reads for long stops neither the writer nor its rows.
TEST_F(StudyKill, ASlowReaderDoesNotStopTheWriter) {
  Study study(path(), info_of());
  const int subject = study.subject(layer_subject());
  for (int i = 0; i < 100; ++i) study.put(subject, numbered(i));
  study.flush();
  {
    sqlite::Database reader(path(), SQLITE_OPEN_READONLY);
    sqlite::Statement rows(reader, "SELECT assignment FROM candidates");
    ASSERT_TRUE(rows.step());
    for (int i = 100; i < 300; ++i) {
      study.put(subject, numbered(i));
      if (i % 100 == 50) ::usleep(600'000);
    }
    EXPECT_EQ(study.candidates(subject).size(), 300U);
  }
  study.flush();
  EXPECT_EQ(StudyReader(path()).subjects().at(0).count(), 300);
}

}  // namespace
}  // namespace dse::explore::study_kill_test
