// Element-wise operators and SOFTMAX equal the reference, byte for byte, in all types.
#include <gtest/gtest.h>

#include "golden.h"
#include "golden_case.h"

namespace dse::nn::test {
namespace {

TEST(GoldenElementWise, EqualsTheReference) {
  const auto folder = shared() / "golden" / "tflite_ops";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden tensors at " << folder;
  int cases = 0, outputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "case.json")) continue;
    if (!describes(read_json(entry.path() / "case.json")["op"])) continue;
    ++cases;
    Diagnostics diags;
    const NetworkPtr n = golden_case(entry.path(), diags);
    if (!n) {
      ADD_FAILURE() << entry.path() << "\n" << diags.text();
      continue;
    }
    for (const auto& seed : seeds(entry.path())) {
      std::vector<std::vector<std::uint8_t>> inputs;
      for (std::size_t i = 0; i < n->inputs.size(); ++i)
        inputs.push_back(read_bytes(seed / ("input" + std::to_string(i) + ".bin")));
      const auto bytes = interpret(*n, inputs);
      const auto expected = read_bytes(seed / "output0.bin");
      const auto& made = bytes[static_cast<std::size_t>(n->outputs[0])];
      ++outputs;
      if (made == expected) continue;
      int wrong = 0;
      for (std::size_t i = 0; i < std::min(made.size(), expected.size()); ++i) wrong += made[i] != expected[i];
      ADD_FAILURE() << seed << ": " << wrong << " of " << expected.size() << " bytes differ, " << made.size()
                    << " were made";
    }
  }
  EXPECT_EQ(cases, 92);
  EXPECT_EQ(outputs, 2 * 92);
}

}  // namespace
}  // namespace dse::nn::test
