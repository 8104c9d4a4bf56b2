// Synthetic networks of one operator: those of our operator kinds in int8 equal the reference, all others are refused
// by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "golden.h"
#include "models/nn/import.h"

namespace dse::nn::test {
namespace {

/// The model with every shape [2, H, W, C] made [1, H, W, C]: both images of the batch then run one after the other.
std::vector<std::uint8_t> without_batch(const std::filesystem::path& folder) {
  auto bytes = read_bytes(folder / "model.tflite");
  const auto description = read_json(folder / "case.json");
  for (const auto& t : description["tensors"]) {
    auto shape = t["shape"].get<std::vector<std::uint32_t>>();
    if (shape.size() != 4 || shape[0] != 2 || t.contains("hex")) continue;
    shape.insert(shape.begin(), 4);  // a vector in the file is its length and its elements
    std::vector<std::uint8_t> pattern;
    for (const auto v : shape)
      for (int b = 0; b < 4; ++b) pattern.push_back(static_cast<std::uint8_t>(v >> 8 * b));
    auto at = bytes.begin();
    while ((at = std::search(at, bytes.end(), pattern.begin(), pattern.end())) != bytes.end()) *(at + 4) = 1;
  }
  return bytes;
}

void expect_batches_equal(const Network& n, const std::filesystem::path& seed) {
  const auto input = read_bytes(seed / "input0.bin");
  const auto half = static_cast<std::ptrdiff_t>(input.size() / 2);
  std::vector<std::uint8_t> output;
  for (const int image : {0, 1}) {
    const auto bytes = interpret(n, {{input.begin() + image * half, input.begin() + (image + 1) * half}});
    const auto& out = bytes[static_cast<std::size_t>(n.outputs[0])];
    output.insert(output.end(), out.begin(), out.end());
  }
  EXPECT_EQ(output, read_bytes(seed / "output0.bin")) << seed;
}

TEST(GoldenOperators, EqualTheReferenceOrAreRefusedByName) {
  const auto folder = shared() / "golden" / "tflite_ops";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden tensors at " << folder;
  int equal = 0, batched = 0, cases = 0;
  std::map<std::string, int> skipped;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "model.tflite")) continue;
    ++cases;
    const std::string kind = read_json(entry.path() / "model.json")["ops"][0]["code"];
    Diagnostics diags;
    const NetworkPtr network = load_network((entry.path() / "model.tflite").string(), diags);
    if (!network && diags.text().find("batch 2") != std::string::npos) {
      Diagnostics none;
      const NetworkPtr single = import_tflite(without_batch(entry.path()), "model.tflite", none);
      ASSERT_TRUE(single) << entry.path() << none.text();
      for (const auto& seed : seeds(entry.path())) expect_batches_equal(*single, seed);
      ++batched;
      continue;
    }
    if (!network) {
      ++skipped[kind];
      EXPECT_NE(diags.text().find(kind), std::string::npos) << entry.path() << "\n" << diags.text();
      continue;
    }
    ++equal;
    for (const auto& seed : seeds(entry.path())) EXPECT_GE(expect_golden(*network, seed), 2) << seed;
  }
  for (const auto& [kind, count] : skipped) std::cout << "[ skipped  ] " << count << " x " << kind << "\n";
  std::cout << "[ compared ] " << equal << " of " << cases << " cases, and " << batched << " image by image\n";
  EXPECT_EQ(equal, 36);
  EXPECT_EQ(batched, 3);
}

}  // namespace
}  // namespace dse::nn::test
