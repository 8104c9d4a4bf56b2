// Ends that only convert are the host's in every command, in a run's folder and its package, unless kept.
#include "tests/verify/float_ends.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/nn/onnx/onnx_writer.h"

namespace dse::test::float_ends_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

/// The same network as an ONNX file: pairs around two convolutions, Softmax in FLOAT32 behind them.
std::string onnx_file() {
  using namespace nn::test;
  OnnxModel m;
  m.input("image", {1, 3, 32, 32}).output("shares");
  m.scalar("s", 0.125f).int8s("z", {}, {-3}).scalar("ws", 0.0625f).int8s("wz", {}, {0});
  m.int8s("w1", {8, 3, 3, 3}, integers(216, -7, 7, 1)).int8s("w2", {2, 8, 3, 3}, integers(144, -7, 7, 2));
  const auto pair = [&](const std::string& t) {
    m.node("QuantizeLinear", {t, "s", "z"}, {t + "_q"}).node("DequantizeLinear", {t + "_q", "s", "z"}, {t + "_d"});
  };
  pair("image");
  for (const std::string w : {"w1", "w2"}) m.node("DequantizeLinear", {w, "ws", "wz"}, {w + "_d"});
  m.node("Conv", {"image_d", "w1_d"}, {"a"}, {{"strides", {2, 2}}}), pair("a");
  m.node("Conv", {"a_d", "w2_d"}, {"b"}, {{"strides", {2, 2}}}), pair("b");
  m.node("Flatten", {"b_d"}, {"logits"}).node("Softmax", {"logits"}, {"shares"}, {{"axis", 1}});
  return text_of(m.bytes());
}

std::vector<std::string> files(const Folder& folder) {
  return {folder.write("float-ends.tflite", text_of(float_ends_file())), folder.write("float-ends.onnx", onnx_file())};
}

/// Without the estimate of the time that it takes.
std::string spaces_of(const Said& said) { return said.out.substr(0, said.out.find("  estimate")); }

TEST(FloatEnds, AreTheHostsInEveryCommand) {
  const Folder folder;
  for (const auto& file : files(folder)) {
    const std::vector<std::vector<std::string>> commands = {{"run", file, "--device", "gap8-class", "--dry-run"},
                                                            {"choices", file, "--device", "gap8-class"},
                                                            {"memory", file, "--device", "gap8-class"},
                                                            {"order", file},
                                                            {"csdf", file},
                                                            {"npu", file, "--check"},
                                                            {"inspect", file},
                                                            {"validate", file}};
    for (const auto& command : commands) {
      const auto said = dse(command);
      EXPECT_EQ(said.exit, 0) << command[0] << ' ' << file << said.err;
      EXPECT_THAT(said.err, AllOf(HasSubstr("its ends only convert"), HasSubstr("--float-io"))) << command[0];
      auto told = command;
      told.push_back("--integer-io");
      const auto same = dse(told);
      EXPECT_EQ(spaces_of(same), spaces_of(said)) << command[0];
    }
    // Kept, the ends are planned; the softmax of FLOAT32 cannot be.
    const auto kept = dse({"validate", file, "--float-io"});
    EXPECT_EQ(kept.exit, 3);
    EXPECT_THAT(kept.err, HasSubstr("computes in FLOAT32"));
    EXPECT_EQ(dse({"validate", file, "--float-io", "--cut"}).exit, 0);
    EXPECT_EQ(dse({"validate", file, "--float-io", "--integer-io"}).exit, 2);
    EXPECT_THAT(dse({"inspect", file, "--as-in-file"}).err, Not(HasSubstr("only convert")));
  }
}

TEST(FloatEnds, AreComputedByInferUnlessLeftOut) {
  const Folder folder;
  for (const auto& file : files(folder)) {
    ASSERT_EQ(dse({"infer", file, "--seed", "1", "-o", folder / "whole"}).exit, 0);
    const auto part = dse({"infer", file, "--integer-io", "--seed", "1", "-o", folder / "part"});
    ASSERT_EQ(part.exit, 0) << part.err;
    EXPECT_EQ(read(folder / "whole/output0.bin").size(), 4 * read(folder / "part/output0.bin").size());
  }
}

TEST(FloatEnds, BelongToTheRun) {
  const Folder folder;
  for (const auto& file : files(folder)) {
    const auto out = folder / (file.ends_with(".onnx") ? "onnx" : "tflite"), kept = out + "-kept";
    const std::vector<std::string> ask = {"run", file, "--device", "cortex-m7-class", "--cut", "--jobs", "1", "-o"};
    const auto run = [&](const std::string& to, const std::string& option) {
      auto command = ask;
      command.push_back(to), command.push_back(option);
      return dse(command);
    };
    const auto said = run(out, "--integer-io");
    ASSERT_EQ(said.exit, 0) << said.err;
    EXPECT_THAT(read(out + "/sweep.yaml"), Not(HasSubstr("float_io")));
    const auto results = json::parse(read(out + "/results.json"));
    EXPECT_THAT(results["fronts"][0]["notes"].dump(), HasSubstr("operators are the host's"));
    EXPECT_EQ(dse({"explain", out}).exit, 0);
    const auto package = out + "-package";
    const auto exported = dse({"export", out, "-o", package});
    ASSERT_EQ(exported.exit, 0) << exported.err;
    EXPECT_THAT(read(package + "/README.md"), AllOf(HasSubstr("## The host's part"), HasSubstr("it only converts")));
    EXPECT_EQ(json::parse(read(package + "/manifest.json"))["network"]["host"].size(), 3u);
    EXPECT_EQ(try_package(package), "");
    // Kept, in the same folder: another network, which neither answers nor resumes the first.
    const auto smallest = [](const json& j) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const auto& p : j["fronts"][0]["points"]) least = std::min(least, p["memory_bytes"].get<std::int64_t>());
      return least;
    };
    const auto again = run(out, "--float-io");
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_THAT(again.err, Not(HasSubstr("holds the results of this run already")));
    EXPECT_THAT(read(out + "/sweep.yaml"), HasSubstr("float_io: true"));
    const auto with_ends = json::parse(read(out + "/results.json"));
    EXPECT_NE(with_ends["fronts"][0]["network_hash"], results["fronts"][0]["network_hash"]);
    EXPECT_GT(smallest(with_ends), smallest(results));
    // A study of its own gives the same.
    ASSERT_EQ(run(kept, "--float-io").exit, 0);
    EXPECT_EQ(json::parse(read(kept + "/results.json"))["fronts"][0]["points"], with_ends["fronts"][0]["points"]);
    // Nor is it taken back.
    ASSERT_EQ(run(out, "--integer-io").exit, 0);
    EXPECT_EQ(json::parse(read(out + "/results.json"))["fronts"][0]["points"], results["fronts"][0]["points"]);
  }
}

TEST(FloatEnds, HaveAKeyInSweeps) {
  const Folder folder;
  const auto file = files(folder)[0];
  for (const char* key : {"float_io: true\n", ""}) {
    const auto sweep = folder.write(
        "sweep.yaml", "format: 1\nnetworks: [" + file + "]\n" + key + "cut: true\ndevices: [cortex-m7-class]\n");
    const auto by_key = dse({"run", sweep, "--dry-run"});
    const auto by_option =
        dse({"run", file, "--device", "cortex-m7-class", "--cut", "--dry-run", *key ? "--float-io" : "--integer-io"});
    EXPECT_EQ(by_key.exit, 0) << by_key.err;
    EXPECT_EQ(spaces_of(by_key), spaces_of(by_option));
    // The option goes before the key.
    const auto other = dse({"run", sweep, "--dry-run", *key ? "--integer-io" : "--float-io"});
    EXPECT_NE(spaces_of(other), spaces_of(by_key));
  }
}

TEST(FloatEnds, ThePagesFileIsThisOne) {
  const std::string path = DSE_SOURCE_DIR "/tests/cli/networks/float-ends.tflite";
  const auto bytes = text_of(float_ends_file());
  if (std::getenv("DSE_WRITE_FILES") != nullptr) std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read(path), bytes);
}

}  // namespace
}  // namespace dse::test::float_ends_test
