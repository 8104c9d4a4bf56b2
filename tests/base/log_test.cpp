#include "base/log.h"

#include <gmock/gmock.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace dse::log_test {
namespace {

using testing::HasSubstr;

TEST(Log, WritesToAFileFromTheLevelOn) {
  const auto path = std::filesystem::temp_directory_path() / ("dse_log_" + std::to_string(::getpid()));
  Diagnostics d;
  ASSERT_TRUE(set_up_log("warn", path.string(), d)) << d.text();
  spdlog::info("unimportant");
  spdlog::warn("important");
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), testing::AllOf(HasSubstr("important"), testing::Not(HasSubstr("unimportant"))));
  ASSERT_TRUE(set_up_log("info", "", d));
  std::filesystem::remove(path);
}

TEST(Log, GoesToStderrOtherwise) {
  Diagnostics d;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  ASSERT_TRUE(set_up_log("info", "", d));
  spdlog::info("hello");
  spdlog::default_logger()->flush();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("hello"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Log, AStageTellsWhenItBeginsAndHowLongItTook) {
  Diagnostics d;
  for (const char* level : {"debug", "info"}) {
    testing::internal::CaptureStderr();
    ASSERT_TRUE(set_up_log(level, "", d));
    { const LoggedStage stage("composition"); }
    log_info("a worker was lost");
    spdlog::default_logger()->flush();
    const auto text = testing::internal::GetCapturedStderr();
    const auto told = testing::AllOf(HasSubstr("debug: composition begins"), HasSubstr("composition took 0."));
    EXPECT_THAT(text, HasSubstr("info: a worker was lost"));
    if (level == std::string("debug"))
      EXPECT_THAT(text, told);
    else
      EXPECT_THAT(text, testing::Not(HasSubstr("composition")));
  }
}

TEST(Log, RefusesUnknownLevelsAndImpossibleFiles) {
  Diagnostics d;
  EXPECT_FALSE(set_up_log("loud", "", d));
  EXPECT_FALSE(set_up_log("info", "/proc/none/x.log", d));
  EXPECT_THAT(d.text(), testing::AllOf(HasSubstr("'loud' is none of trace, debug"), HasSubstr("cannot be opened")));
}

}  // namespace
}  // namespace dse::log_test
