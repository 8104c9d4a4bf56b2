// Networks as exporters write them (a PAD before each convolution, MEAN at the end) against the same with padded
// convolutions: one structure, the same bytes, the same front.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/process.h"

namespace dse::test::cli_rewrites_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string padded(const std::string& network) {
  return DSE_SOURCE_DIR "/tests/nn/rewrite/networks/" + network + "-padded.yaml";
}

json inspected(const std::string& network, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"inspect", network, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  return json::parse(said.out);
}

std::string output(const std::string& network, const Folder& folder, const std::string& to) {
  const auto said = dse({"infer", network, "--seed", "3", "-o", folder / to});
  EXPECT_EQ(said.exit, 0) << said.err;
  return content(folder / (to + "/output0.bin"));
}

/// front.csv of a run with few simulations, which decide the same for both if both are the same to decide about.
/// Without the ids of points, which the name of the file goes into.
std::string front(const std::string& network, const std::string& device, const Folder& folder, const std::string& to) {
  const auto sweep =
      folder.write(to + ".yaml", "format: 1\nnetworks: [" + network + "]\ndevices: [" + device +
                                     "]\nexplore:\n  budget: {simulations: 100}\n  objectives: [memory, latency]\n");
  const auto said = dse({"run", sweep, "-o", folder / to});
  EXPECT_EQ(said.exit, 0) << said.err;
  static const std::regex id("\\b[0-9a-f]{8}(,|\\.yaml)");
  return std::regex_replace(content(folder / (to + "/front.csv")), id, "ID$1");
}

class ExplicitPads : public testing::TestWithParam<std::string> {};

TEST_P(ExplicitPads, AreThePaddedNetwork) {
  const auto explicit_ = inspected(GetParam()), twin = inspected(padded(GetParam()));
  EXPECT_EQ(explicit_["structure"], twin["structure"]);
  EXPECT_EQ(explicit_["peak"]["bytes"], twin["peak"]["bytes"]);
  const auto as_is = inspected(GetParam(), {"--as-in-file"});
  EXPECT_GT(as_is["operators"].get<int>(), explicit_["operators"].get<int>() + 8);
  EXPECT_TRUE(as_is["rewrites"].empty());
  int pads = 0, means = 0;
  for (const auto& r : explicit_["rewrites"]) pads += r["what"] == "pad", means += r["what"] == "mean";
  EXPECT_EQ(pads, as_is["operators"].get<int>() - explicit_["operators"].get<int>());
  EXPECT_EQ(means, 1);
}

TEST_P(ExplicitPads, WriteAFileThatIsThePaddedNetwork) {
  const Folder folder;
  const auto file = folder / "better.tflite";
  const auto said = dse({"inspect", GetParam(), "--rewritten", "-o", file});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("pad pad0: folded into conv0"), HasSubstr(file)));
  EXPECT_EQ(inspected(file)["structure"], inspected(GetParam())["structure"]);
  const auto expected = output(GetParam(), folder, "a");
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(output(file, folder, "b"), expected);
  EXPECT_EQ(output(padded(GetParam()), folder, "c"), expected);
}

TEST_P(ExplicitPads, HaveTheFrontOfThePaddedNetwork) {
  const std::string device = GetParam() == "once-for-all-48" ? "gap8-class" : "cortex-m7-class";
  const Folder folder;
  const auto expected = front(padded(GetParam()), device, folder, "padded");
  EXPECT_THAT(expected, HasSubstr("\n"));
  EXPECT_EQ(front(GetParam(), device, folder, "explicit"), expected) << device;
}

INSTANTIATE_TEST_SUITE_P(Networks, ExplicitPads, testing::Values("mobilenet-v2-0.35-64", "once-for-all-48"),
                         [](const auto& info) { return info.param.substr(0, 4) + "Like"; });

TEST(Rewrites, TextAndPageShowThem) {
  const auto text = dse({"inspect", "once-for-all-48"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("rewritten at import"), HasSubstr("pad0: folded into conv0"),
                              HasSubstr("mean0: a pool of")));
  EXPECT_THAT(dse({"inspect", "once-for-all-48", "--as-in-file"}).out,
              AllOf(Not(HasSubstr("rewritten at import")), HasSubstr("PAD")));
  const Folder folder;
  ASSERT_EQ(dse({"inspect", "once-for-all-48", "--html", folder / "page.html"}).exit, 0);
  EXPECT_THAT(content(folder / "page.html"), HasSubstr("Rewritten at import"));
}

TEST(Rewrites, TheFileNeedsAName) {
  EXPECT_EQ(dse({"inspect", "once-for-all-48", "--rewritten"}).exit, 2);
  EXPECT_EQ(dse({"inspect", "once-for-all-48", "-o", "x.tflite"}).exit, 2);
}

}  // namespace
}  // namespace dse::test::cli_rewrites_test
