// dse quantize: the example of its documentation, its files and its refusals.
#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::quantize_test {
namespace {

using testing::HasSubstr;

TEST(Quantize, TheExampleOfTheDocumentationRuns) {
  const Folder folder;
  const auto lines = shell_lines(std::string(DSE_SOURCE_DIR) + "/docs/network/quantize.md");
  ASSERT_EQ(lines.size(), 3u);
  for (const auto& line : lines) {
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string w; words >> w;) arguments.push_back(w);
    ASSERT_EQ(arguments.front(), "dse");
    arguments.erase(arguments.begin());
    const auto r = dse(arguments, folder.path());
    ASSERT_EQ(r.exit, 0) << line << '\n' << r.err;
    if (arguments[0] == "infer") continue;
    if (line.find("--json") == std::string::npos) {
      EXPECT_THAT(r.out, HasSubstr("ds-cnn in q-format: outputs "));
      continue;
    }
    const auto j = nlohmann::json::parse(r.out);
    EXPECT_EQ(j["layers"].size(), 13u);
    EXPECT_GT(j["sqnr_db"].get<double>(), 25);
    EXPECT_EQ(j["layers"][0]["weights"]["bits"], 8);
  }
  EXPECT_EQ(std::filesystem::file_size(folder / "run/output0.bin"), 24u);  // 12 classes in 16 bits
  const auto inspected = dse({"inspect", folder / "ds-cnn.tflite"});
  EXPECT_EQ(inspected.exit, 0) << inspected.err;
}

TEST(Quantize, ReadsSamplesFromAFolder) {
  const Folder folder;
  std::filesystem::create_directories(folder / "samples");
  for (const char* name : {"input0_a.bin", "input0_b.bin"}) {
    std::ofstream out(folder / (std::string("samples/") + name), std::ios::binary);
    for (int i = 0; i < 490; ++i) {
      const float v = static_cast<float>(i % 21 - 10) / 5;
      out.write(reinterpret_cast<const char*>(&v), 4);
    }
  }
  const auto out = folder / "net.dsenet";
  const auto r = dse({"quantize", "ds-cnn", "--calibration", folder / "samples", "--json", "-o", out});
  ASSERT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(nlohmann::json::parse(r.out)["samples"], 2);
  std::ofstream(folder / "samples/input0_c.bin") << "short";
  const auto bad = dse({"quantize", "ds-cnn", "--calibration", folder / "samples", "-o", out});
  EXPECT_EQ(bad.exit, 3);
  EXPECT_THAT(bad.err, HasSubstr("has 5 bytes, but input 'input' takes 1960 of float32 or 490 of int8"));
}

TEST(Quantize, RefusesWhatCannotBe) {
  const Folder folder;
  const auto file = [&](const char* name) { return folder / name; };
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"-o", file("x.onnx")}, "'.onnx' is no kind of file that can be written"},
      {{"--scheme", "q-format", "-o", file("x.tflite")}, "TensorFlow Lite has no Q formats"},
      {{"--bits", "16", "-o", file("x.tflite")}, "tflite-int8 has 8 bits"},
      {{"--weights", "median", "-o", file("x.tflite")}, "'median' is no statistic"},
      {{"--calibration", file("none"), "-o", file("x.tflite")}, "cannot be read"},
  };
  for (const auto& [more, what] : cases) {
    std::vector<std::string> arguments{"quantize", "ds-cnn"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto r = dse(arguments);
    EXPECT_EQ(r.exit, 3);
    EXPECT_THAT(r.err, HasSubstr(what));
  }
}

/// What the program says on a terminal, on both streams.
std::string on_a_terminal(const std::vector<std::string>& arguments) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::vector<char*> argv = {const_cast<char*>(DSE_PROGRAM)};
    for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::setenv("TERM", "xterm", 1);
    ::execv(DSE_PROGRAM, argv.data());
    ::_exit(127);
  }
  std::string said;
  char bytes[4096];
  for (ssize_t n; (n = ::read(terminal, bytes, sizeof bytes)) > 0;) said.append(bytes, static_cast<std::size_t>(n));
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  EXPECT_EQ(status, 0) << said;
  return said;
}

TEST(Quantize, ShowsProgressOnATerminalOnly) {
  const Folder here;
  const auto network = here.write("n.yaml",
                                  "format: 1\nname: n\ninput: {shape: [1, 16]}\nlayers:\n  - fully_connected: {units: "
                                  "8}\n  - fully_connected: {units: 4}\n");
  const std::vector<std::string> arguments = {"quantize", network,     "--scheme", "q-format", "--bits",
                                              "auto",     "--samples", "4",        "-o",       here / "n.dsenet"};
  const auto shown = on_a_terminal(arguments);
  for (const char* stage : {"observing ranges", "choosing bits", "comparing with float", "100 %  4 of 4"})
    EXPECT_THAT(shown, testing::HasSubstr(stage));
  const auto plain = dse(arguments);
  EXPECT_EQ(plain.exit, 0);
  EXPECT_EQ(plain.err, "");
  EXPECT_THAT(shown, testing::HasSubstr(plain.out.substr(0, 20)));
}

}  // namespace
}  // namespace dse::test::quantize_test
