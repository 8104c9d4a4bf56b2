// dse inspect: text, JSON, page, what cannot be run, shapes of open inputs, and the example of the documentation.
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace dse::test::inspect_test
