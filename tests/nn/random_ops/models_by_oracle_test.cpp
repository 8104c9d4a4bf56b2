// Whole models of users: every tensor by the oracle. A second opinion on the goldens, and on inputs they do not have.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "network_oracle.h"

namespace dse::nn::random_ops::models_by_oracle_test {
namespace {

TEST(OracleModels, EveryTensorOfEveryModelEqualsTheOracle) {
  const char* shared = std::getenv("DSE_SHARED");
  const auto folder =
      (shared ? std::filesystem::path(shared) : std::filesystem::path(DSE_SOURCE_DIR) / ".." / "shared") / "models" /
      "tflite";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no models at " << folder;
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    Diagnostics diags;
    const NetworkPtr n = load_network(entry.path().string(), diags);
    EXPECT_TRUE(n) << diags.text();
    if (!n) continue;
    if (n->macs() > 20'000'000) continue;  // the oracle takes its time
    EXPECT_EQ(first_difference(*n, 7, 2), "") << entry.path();
    ++compared;
  }
  EXPECT_GE(compared, 8);
}

}  // namespace
}  // namespace dse::nn::random_ops::models_by_oracle_test
