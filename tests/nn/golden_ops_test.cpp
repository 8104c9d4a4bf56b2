// Synthetic networks of one operator: those of our operator kinds in int8 equal the reference, all others are refused by name.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "golden.h"

namespace dse::nn::test {
namespace {

TEST(GoldenOperators, EqualTheReferenceOrAreRefusedByName) {
  const auto folder = shared() / "golden" / "tflite_ops";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden tensors at " << folder;
  int equal = 0, cases = 0;
  std::map<std::string, int> skipped;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "model.tflite")) continue;
    ++cases;
    const std::string kind = read_json(entry.path() / "model.json")["ops"][0]["code"];
    Diagnostics diags;
    const NetworkPtr network = load_network((entry.path() / "model.tflite").string(), diags);
    if (!network) {
      ++skipped[kind];
      EXPECT_NE(diags.text().find(kind), std::string::npos) << entry.path() << "\n" << diags.text();
      std::cout << "[ refused  ] " << entry.path().filename().string() << ": " << diags.list()[0].what << "\n";
      continue;
    }
    ++equal;
    for (const auto& seed : seeds(entry.path())) EXPECT_GE(expect_golden(*network, seed), 2) << seed;
  }
  for (const auto& [kind, count] : skipped) std::cout << "[ skipped  ] " << count << " x " << kind << "\n";
  std::cout << "[ compared ] " << equal << " of " << cases << " cases\n";
  EXPECT_GE(equal, 30);
}

}  // namespace
}  // namespace dse::nn::test
