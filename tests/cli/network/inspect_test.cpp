// dse inspect: text, JSON, page, what cannot be run, shapes of open inputs, and the example of the documentation.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::inspect_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A length-delimited or a varint field of a protobuf message; all lengths and values here are below 128.
std::string field(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}
std::string field(int number, int value) {
  return std::string{static_cast<char>(number << 3), static_cast<char>(value)};
}

/// A float tensor; 0 is an extent that the file leaves open.
std::string value(const std::string& name, const std::vector<int>& shape) {
  std::string dimensions;
  for (const int d : shape) dimensions += field(1, d == 0 ? field(2, "n") : field(1, d));
  return field(1, name) + field(2, field(1, field(1, 1) + field(2, dimensions)));
}

std::string node(const std::string& input, const std::string& output, const std::string& type) {
  return field(1, input) + field(2, output) + field(4, type);
}

/// x -> Relu -> y -> `second` -> z.
std::string model(const std::string& second, const std::vector<int>& shape) {
  const auto graph = field(1, node("x", "y", "Relu")) + field(1, node("y", "z", second)) + field(2, "g") +
                     field(11, value("x", shape)) + field(12, value("z", shape));
  return field(1, 8) + field(7, graph) + field(8, field(2, 13));
}

TEST(Inspect, TextHasTheTableTheTotalsAndThePeak) {
  const auto said = dse({"inspect", "resnet8"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  EXPECT_THAT(said.out, AllOf(StartsWith("resnet8: 16 operators, 12,501,632 MACs, 77,706 parameters"),
                              HasSubstr("1x32x32x16"), HasSubstr("\n    total "), HasSubstr("scale 1, zero point -128"),
                              HasSubstr("peak of activations  49,152 bytes, while operator 2 (stack1) runs"),
                              HasSubstr("cannot be run: none"), HasSubstr("per channel")));
}

TEST(Inspect, JsonAddsUp) {
  const auto said = dse({"inspect", "resnet8", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto j = json::parse(said.out);
  std::int64_t parameters = 0, bytes = 0, peak = 0, of_kinds = 0;
  for (const auto& l : j["layers"]) {
    parameters += l["parameters"].get<std::int64_t>();
    bytes += l["parameter_bytes"].get<std::int64_t>();
    peak = std::max(peak, l["live_bytes"].get<std::int64_t>());
  }
  for (const auto& k : j["kinds"]) of_kinds += k["operators"].get<std::int64_t>();
  EXPECT_EQ(parameters, j["parameters"].get<std::int64_t>());
  EXPECT_EQ(bytes, j["parameter_bytes"].get<std::int64_t>());
  EXPECT_EQ(peak, j["peak"]["bytes"].get<std::int64_t>());
  EXPECT_EQ(of_kinds, 16);
  EXPECT_EQ(j["layers"][0]["tensors"]["constants"][0]["quantization"]["per_channel"], true);
  EXPECT_THAT(j["unsupported"], IsEmpty());
}

TEST(Inspect, HtmlIsOneFile) {
  const Folder here;
  const auto said = dse({"inspect", "ds-cnn", "--html", here / "page.html"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto page = read(here / "page.html");
  EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("\"depthwise3\""), HasSubstr("id=\"canvas\"")));
  EXPECT_EQ(dse({"inspect", "ds-cnn", "--html", here / "page.html", "--json"}).exit, 2);
  EXPECT_EQ(dse({"inspect", "ds-cnn", "--html", here / "no/such/folder/page.html"}).exit, 1);
}

TEST(Inspect, WhatCannotBeRunIsShownWithItsIndexAndReason) {
  const Folder here;
  const auto file = here.write("odd.onnx", model("MadeUp", {1, 4}));
  const auto said = dse({"inspect", file});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("cannot be run: 1 operator of 2\n"), HasSubstr("(MadeUp): "),
                              HasSubstr("float operators (quantise first: dse quantize): 2 of 2: 0-1")));
  const auto j = json::parse(dse({"inspect", file, "--json"}).out);
  EXPECT_EQ(j["unsupported"][0]["operator"], 1);
  EXPECT_EQ(j["unsupported"][0]["type"], "MadeUp");
  EXPECT_NE(j["unsupported"][0]["why"], "");
  EXPECT_EQ(j["layers"][0]["evaluation"], "float");
}

TEST(Inspect, OpenShapesAreGivenOnTheCommandLine) {
  const Folder here;
  const auto file = here.write("open.onnx", model("Relu", {0, 4}));
  EXPECT_EQ(dse({"inspect", file}).exit, 3);
  const auto said = dse({"inspect", file, "--shape", "x=3x4"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("'x'  3x4  FLOAT32  48 bytes"));
  for (const char* wrong : {"x", "=3x4", "x=", "x=3x", "x=0x4", "x=ax4", "x=-1x4", "x=9999999999x4"})
    EXPECT_EQ(dse({"inspect", file, "--shape", wrong}).exit, 2) << wrong;
  EXPECT_EQ(dse({"inspect", file, "--shape", "x=3x4", "--shape", "x=3x4"}).exit, 2);
}

TEST(Inspect, TheDocumentedExampleIsWhatIsPrinted) {
  const auto text = read(std::string(DSE_SOURCE_DIR) + "/docs/network/inspect.md");
  const std::string open = "```\n$ dse inspect ds-cnn\n";
  const auto from = text.find(open);
  ASSERT_NE(from, std::string::npos);
  const auto begin = from + open.size();
  EXPECT_EQ(dse({"inspect", "ds-cnn"}).out, text.substr(begin, text.find("```", begin) - begin));
}

TEST(GivenShapes, EveryCommandRefusesANameThatNoInputHas) {
  const Folder here;
  const std::string text =
      "format: 1\nname: small\ninput: {shape: [1, 6, 6, 3]}\nlayers:\n  - conv: {filters: 4, kernel: 3}\n"
      "  - fully_connected: {units: 2}\n";
  const auto file = here.write("small.yaml", text), other = here.write("other.yaml", text), out = here / "out";
  const auto plan = here.write("plan.yaml", "network: {name: small}\n");
  const auto sweep =
      here.write("sweep.yaml", "format: 1\nnetworks: small.yaml\ndevices: gap8-class\nshapes: nonsense=7x7\n");
  const std::map<std::string, std::vector<std::vector<std::string>>> lines = {
      {"run", {{file, "-d", "gap8-class", "-o", out}, {file, other, "-d", "gap8-class", "-o", out}}},
      {"npu", {{file}, {file, other, "--optimise", "pareto"}}},
      {"simulate", {{"-n", file, "-d", "gap8-class", "-p", plan}}},
      {"check", {{plan, "-n", file, "-d", "gap8-class"}}},
      {"choices", {{file, "-d", "gap8-class"}}},
      {"validate", {{file}}},
      {"inspect", {{file}}},
      {"infer", {{file, "-o", out, "--seed", "1"}}},
      {"quantize", {{file, "-o", here / "out.dsenet"}}},
      {"compress", {{file, "--blocks", "auto", "-o", here / "out.dsenet"}}},
      {"memory", {{file}}},
      {"csdf", {{file}}},
      {"order", {{file}}},
  };
  int asked = 0;
  for (const auto& command : commands()) {
    if (dse({command, "--help"}).out.find("--shape ") == std::string::npos) continue;
    ASSERT_TRUE(lines.count(command)) << command << " takes --shape and has no line here";
    for (auto line : lines.at(command)) {
      line.insert(line.begin(), command);
      line.insert(line.end(), {"--shape", "nonsense=7x7"});
      const auto said = dse(line);
      EXPECT_EQ(said.exit, 3) << command << ": " << said.err;
      EXPECT_THAT(said.err,
                  AllOf(HasSubstr("there is no input 'nonsense' to give a shape"), HasSubstr("the inputs are input")))
          << command;
      ++asked;
    }
  }
  EXPECT_GE(asked, 13);
  for (const auto& line : {std::vector<std::string>{"validate", sweep}, {"run", sweep, "-o", out}}) {
    const auto said = dse(line);
    EXPECT_EQ(said.exit, 3) << line[0] << ": " << said.err;
    EXPECT_THAT(said.err, HasSubstr("there is no input 'nonsense' to give a shape")) << line[0];
  }
}

/// Whatever the format: a shape that the file states can be said again, and no other one.
TEST(GivenShapes, AreThoseThatTheFileStates) {
  const Folder here;
  const auto yaml =
      here.write("small.yaml",
                 "format: 1\nname: small\ninput: {shape: [1, 6, 6, 3]}\nlayers:\n  - conv: {filters: 4, kernel: 3}\n"
                 "  - fully_connected: {units: 2}\n");
  ASSERT_EQ(dse({"quantize", yaml, "-o", here / "small.dsenet"}).exit, 0);
  ASSERT_EQ(dse({"quantize", yaml, "-o", here / "small.tflite"}).exit, 0);
  struct File {
    std::string path, input, right, wrong;
  };
  for (const auto& f :
       {File{yaml, "input", "1x6x6x3", "1x6x6x4"}, File{here / "small.dsenet", "input", "1x6x6x3", "6x6x3"},
        File{here / "small.tflite", "input", "1x6x6x3", "7x7"},
        File{here.write("closed.onnx", model("Relu", {3, 4})), "x", "3x4", "3x5"}}) {
    const auto right = dse({"inspect", f.path, "--shape", f.input + "=" + f.right});
    EXPECT_EQ(right.exit, 0) << f.path << ": " << right.err;
    const auto wrong = dse({"inspect", f.path, "--shape", f.input + "=" + f.wrong});
    EXPECT_EQ(wrong.exit, 3) << f.path;
    EXPECT_THAT(wrong.err, AllOf(HasSubstr("input '" + f.input + "' has shape ["), HasSubstr("--shape says [")));
    const auto none = dse({"inspect", f.path, "--shape", f.input + "2=" + f.right});
    EXPECT_EQ(none.exit, 3) << f.path;
    EXPECT_THAT(none.err, AllOf(HasSubstr("there is no input '" + f.input + "2' to give a shape"),
                                HasSubstr("the inputs are " + f.input)));
  }
  // Of several networks one has the input.
  const auto both =
      dse({"npu", here / "small.tflite", here / "small.dsenet", "--optimise", "pareto", "--shape", "input=1x6x6x3"});
  EXPECT_EQ(both.exit, 0) << both.err;
}

}  // namespace
}  // namespace dse::test::inspect_test
