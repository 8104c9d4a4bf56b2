#include "tests/nn/golden/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace dse::nn::test {

namespace fs = std::filesystem;

fs::path shared() {
  if (const char* dir = std::getenv("DSE_SHARED")) return dir;
  return fs::path(DSE_SOURCE_DIR) / ".." / "shared";
}

std::string crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const std::uint8_t b : bytes) {
    crc ^= b;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08x", ~crc);
  return text;
}

std::vector<std::uint8_t> read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return nlohmann::json::parse(in);
}

std::vector<fs::path> seeds(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& e : fs::directory_iterator(folder))
    if (e.path().filename().string().starts_with("seed")) found.push_back(e.path());
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

/// One run: given inputs, golden outputs.
TensorBytes expect_step(const Network& network, const fs::path& seed, const std::string& suffix, TensorBytes& state) {
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < network.inputs.size(); ++i)
    inputs.push_back(read_bytes(seed / ("input" + std::to_string(i) + suffix + ".bin")));
  TensorBytes bytes = interpret(network, inputs, state);
  for (std::size_t o = 0; o < network.outputs.size(); ++o)
    EXPECT_EQ(bytes[static_cast<std::size_t>(network.outputs[o])],
              read_bytes(seed / ("output" + std::to_string(o) + suffix + ".bin")))
        << seed << " output " << o << suffix;
  return bytes;
}

}  // namespace

int expect_golden(const Network& network, const fs::path& seed) {
  const auto golden = read_json(seed / "tensors.json");
  EXPECT_EQ(golden["inputs"].get<std::vector<int>>(), network.inputs) << seed;
  EXPECT_EQ(golden["outputs"].get<std::vector<int>>(), network.outputs) << seed;
  TensorBytes state = initial_state(network);
  const TensorBytes bytes = expect_step(network, seed, "", state);
  int compared = 0;
  for (const auto& t : golden["tensors"]) {
    const auto i = t["i"].get<std::size_t>();
    if (i >= network.tensors.size()) {
      ADD_FAILURE() << seed << " tensor " << i << " of " << network.tensors.size();
      continue;
    }
    const Tensor& tensor = network.tensors[i];
    EXPECT_EQ(tensor.name, t["name"].get<std::string>());
    EXPECT_EQ(tensor.shape, t["shape"].get<std::vector<std::int64_t>>()) << tensor.name;
    EXPECT_EQ(name_of(tensor.type), t["dtype"].get<std::string>()) << tensor.name;
    EXPECT_EQ(t["kind"] == "variable", tensor.kind == TensorKind::variable) << tensor.name;
    EXPECT_EQ(crc32(tensor.kind == TensorKind::constant ? tensor.data : bytes[i]), t["crc32"].get<std::string>())
        << seed << " tensor " << i << " '" << tensor.name << "'";
    ++compared;
  }
  for (int step = 1; fs::exists(seed / ("input0_step" + std::to_string(step) + ".bin")); ++step)
    expect_step(network, seed, "_step" + std::to_string(step), state);
  return compared;
}

void expect_rewritten_equal(const std::string& file) {
  Diagnostics diags;
  const NetworkPtr better = load_network(file, diags), plain = load_network(file, diags, every_tensor());
  ASSERT_TRUE(better && plain) << diags.text();
  TensorBytes state = initial_state(*better), state_of_plain = initial_state(*plain);
  for (std::uint64_t step = 0; step < 2; ++step) {
    std::vector<std::vector<std::uint8_t>> inputs;
    for (const int t : plain->inputs)
      inputs.push_back(
          seeded_input(plain->tensors[static_cast<std::size_t>(t)], static_cast<int>(inputs.size()), 5, step));
    const auto made = interpret(*better, inputs, state), expected = interpret(*plain, inputs, state_of_plain);
    ASSERT_EQ(better->outputs, plain->outputs);
    for (const int t : plain->outputs)
      EXPECT_EQ(made[static_cast<std::size_t>(t)], expected[static_cast<std::size_t>(t)]) << file;
  }
}

}  // namespace dse::nn::test
