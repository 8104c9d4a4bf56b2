// dse train, predict, compress, and variants in sweeps: the examples of their documentation, what is kept and refused.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::circulant_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(Circulant, TheExamplesOfTheDocumentationRun) {
  const Folder folder;
  const auto lines = shell_lines(std::string(DSE_SOURCE_DIR) + "/docs/network/circulant.md");
  ASSERT_EQ(lines.size(), 5u);
  std::map<std::string, Said> said;
  for (const auto& line : lines) {
    const auto r = dse_line("$ " + line, folder.path());
    ASSERT_EQ(r.exit, 0) << line << '\n' << r.err;
    said[line.substr(0, line.find(' ', 4))] = r;
  }
  EXPECT_THAT(said["dse train"].out, AllOf(HasSubstr("circulant-arch1"), HasSubstr("1930 parameters"),
                                           HasSubstr("dense with as many parameters           1935 parameters")));
  EXPECT_THAT(said["dse predict"].err, AllOf(HasSubstr("accuracy "), HasSubstr("us simulated on stm32l4r5")));
  // The example is one in which the network becomes smaller, by as much as the page says.
  const auto& compressed = said["dse compress"].out;
  std::smatch kept;
  ASSERT_TRUE(
      std::regex_search(compressed, kept, std::regex("(\\d+) weights, (\\d+) kept \\(([\\d.]+) times fewer\\)")))
      << compressed;
  EXPECT_LT(std::stoi(kept[2]), std::stoi(kept[1]));
  EXPECT_THAT(read(std::string(DSE_SOURCE_DIR) + "/docs/network/circulant.md"), HasSubstr("\n    " + kept[0].str()));
  std::smatch accuracy;
  ASSERT_TRUE(std::regex_search(compressed, accuracy, std::regex("accuracy ([\\d.]+) % before, ([\\d.]+) % after")))
      << compressed;
  EXPECT_GT(std::stod(accuracy[2]), std::stod(accuracy[1]));
  std::ifstream labels(folder / "labels.txt");
  int count = 0;
  for (std::string l; std::getline(labels, l); ++count) ASSERT_TRUE(l.size() == 1 && l[0] >= '0' && l[0] <= '9') << l;
  EXPECT_EQ(count, 500);
  EXPECT_FALSE(std::filesystem::exists(folder / "arch1.dsenet.checkpoint"));
  const auto inspected = dse({"inspect", folder / "arch1-q15.dsenet"});
  EXPECT_EQ(inspected.exit, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("CIRCULANT_FULLY_CONNECTED"));
}

TEST(Circulant, IntegersAreAsGoodAsFloat) {
  const Folder folder;
  const auto trained = dse(
      {"train", "circulant-arch2", "--data", "made", "--epochs", "4", "--alone", "--json", "-o", folder / "a.dsenet"});
  ASSERT_EQ(trained.exit, 0) << trained.err;
  const double real = json::parse(trained.out).at("accuracy");
  EXPECT_GT(real, 0.5);
  for (const std::vector<std::string> form : {std::vector<std::string>{"--domain", "time"},
                                              {"--domain", "frequency"},
                                              {"--domain", "frequency", "--scheme", "q-format", "--bits", "16"}}) {
    std::vector<std::string> arguments{"quantize", folder / "a.dsenet", "--data", "made", "-o", folder / "q.dsenet"};
    arguments.insert(arguments.end(), form.begin(), form.end());
    const auto made = dse(arguments);
    ASSERT_EQ(made.exit, 0) << made.err;
    const auto predicted = dse({"predict", folder / "q.dsenet", "made", "--json"});
    ASSERT_EQ(predicted.exit, 0) << predicted.err;
    EXPECT_NEAR(json::parse(predicted.out).at("accuracy").get<double>(), real, 0.02);
  }
}

TEST(Circulant, AnInterruptedTrainingGoesOnToTheSameWeights) {
  const Folder folder;
  const std::vector<std::string> whole{"train", "circulant-arch1", "--data", "made", "--epochs", "30", "--alone", "-o"};
  auto at = [&](const std::string& file) {
    auto a = whole;
    a.push_back(folder / file);
    return a;
  };
  ASSERT_EQ(dse(at("whole.dsenet")).exit, 0);
  const auto stopped = dse_stopped(at("part.dsenet"), SIGINT, folder / "part.dsenet.checkpoint");
  if (stopped.exit == 130) {  // else it was faster than the signal
    EXPECT_THAT(stopped.err, HasSubstr("interrupted in epoch"));
    EXPECT_FALSE(std::filesystem::exists(folder / "part.dsenet"));
    const auto other =
        dse({"train", "circulant-arch1", "--data", "made", "--epochs", "31", "--alone", "-o", folder / "part.dsenet"});
    EXPECT_EQ(other.exit, 3);
    EXPECT_THAT(other.err,
                AllOf(HasSubstr("is of another network, other data or other options"), HasSubstr("--fresh")));
    const auto on = dse(at("part.dsenet"));
    EXPECT_EQ(on.exit, 0) << on.err;
    EXPECT_THAT(on.out, HasSubstr("goes on after epoch"));
  }
  const auto bytes = [&](const char* name) {
    std::ifstream in(folder / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(bytes("whole.dsenet"), bytes("part.dsenet"));
}

TEST(Circulant, SaysWhatIsWrong) {
  const Folder folder;
  const auto said = [&](const std::vector<std::string>& arguments, int exit) {
    const auto r = dse(arguments);
    EXPECT_EQ(r.exit, exit) << r.err;
    return r.err;
  };
  EXPECT_THAT(said({"train", "circulant-arch1", "--data", folder / "none", "-o", folder / "a.dsenet"}, 3),
              AllOf(HasSubstr("no such folder of data"), HasSubstr("made")));
  EXPECT_THAT(said({"train", "circulant-arch1", "--data", folder.path(), "-o", folder / "a.dsenet"}, 3),
              HasSubstr("has no train-images-idx3-ubyte"));
  EXPECT_THAT(said({"train", "circulant-arch1", "--data", "made", "-o", folder / "a.tflite"}, 3),
              HasSubstr("trained weights are written as .dsenet"));
  EXPECT_THAT(said({"train", "resnet8", "--data", "made", "-o", folder / "a.dsenet"}, 3), HasSubstr("only chains"));
  EXPECT_THAT(
      said({"train", "circulant-arch1", "--data", "made", "--learning-rate", "1e9", "-o", folder / "a.dsenet"}, 3),
      AllOf(HasSubstr("diverged in epoch 1"), HasSubstr("a smaller --learning-rate")));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.dsenet"));
  const auto network = folder.write("n.yaml",
                                    "format: 1\nname: n\ninput: {shape: [1, 16]}\nlayers:\n"
                                    "  - fully_connected: {name: fc, units: 8, block: 0}\n");
  EXPECT_THAT(said({"inspect", network}, 3), HasSubstr("'block' must be an integer from 1 to 32768"));
  EXPECT_THAT(said({"compress", "circulant-arch1", "--blocks", "fc9=4", "-o", folder / "c.dsenet"}, 3),
              HasSubstr("'fc9' is no layer that can have blocks"));
  EXPECT_THAT(said({"compress", "resnet8", "--blocks", "stem=64", "-o", folder / "c.dsenet"}, 3),
              HasSubstr("a block of 64 is larger than the layer, which has 3 inputs and 16 outputs"));
  EXPECT_THAT(said({"compress", "resnet8", "--blocks", "stem", "-o", folder / "c.dsenet"}, 3),
              HasSubstr("'stem' is no LAYER=SIZE"));
  EXPECT_THAT(said({"compress", "resnet8", "--blocks", "auto", "--finetune", "-o", folder / "c.dsenet"}, 3),
              HasSubstr("--finetune needs --data"));
}

TEST(Circulant, ConvolutionsAreCompressedPlannedAndExecuted) {
  const Folder folder;
  const auto made = dse({"compress", "resnet8", "--blocks", "conv1=16,stack3=8,conv3=3,fully_connected0=10", "--json",
                         "-o", folder / "c.dsenet"});
  ASSERT_EQ(made.exit, 0) << made.err;
  const auto j = json::parse(made.out);
  EXPECT_GT(j.at("relative_error").get<double>(), 0.1);
  EXPECT_LT(j.at("kept").get<int>(), j.at("weights").get<int>());
  for (const char* domain : {"time", "frequency"}) {
    ASSERT_EQ(dse({"quantize", folder / "c.dsenet", "--domain", domain, "-o", folder / "q.dsenet"}).exit, 0);
    for (const char* device : {"cortex-m7-class", "stm32l4r5"}) {
      const auto r =
          dse({"run", folder / "q.dsenet", "--device", device, "-o", folder / (std::string("r") + domain + device)});
      EXPECT_EQ(r.exit, 0) << domain << " " << device << r.err;
    }
  }
}

TEST(Circulant, AnArrayWithoutTransformsSaysSo) {
  const Folder folder;
  ASSERT_EQ(dse({"compress", "circulant-arch1", "-o", folder / "c.dsenet"}).exit, 0);
  ASSERT_EQ(dse({"quantize", folder / "c.dsenet", "--domain", "frequency", "-o", folder / "f.dsenet"}).exit, 0);
  ASSERT_EQ(dse({"quantize", folder / "c.dsenet", "-o", folder / "t.dsenet"}).exit, 0);
  EXPECT_EQ(dse({"run", folder / "t.dsenet", "--device", "array-45nm", "-o", folder / "t"}).exit, 0);
  const auto r = dse({"run", folder / "f.dsenet", "--device", "array-45nm", "-o", folder / "f"});
  EXPECT_EQ(r.exit, 4) << r.err;
  EXPECT_THAT(r.out + r.err, HasSubstr("cannot make Fourier transforms: it has no cycles_per_transform"));
}

const char* const kSweep =
    "format: 1\nnetworks:\n  - base: circulant-arch2\n    axes: {fc0.block: [1, 16, 64], domain: [time, frequency]}\n"
    "    data: made\n    epochs: 2\n    images: 300\ndevices: [stm32l4r5]\n"
    "explore: {objectives: [memory, latency, weights, accuracy]}\n";

TEST(Variants, AreTrainedMeasuredAndComparedOnce) {
  const Folder folder;
  const auto sweep = folder.write("sweep.yaml", kSweep);
  const auto r = dse({"run", sweep, "-o", folder / "out"});
  ASSERT_EQ(r.exit, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("circulant-arch2 over 6 variants"), HasSubstr("fc0.block=16 domain=frequency"),
                           HasSubstr("equal dense")));
  std::ifstream in(folder / "out/results.json");
  const auto results = json::parse(in);
  ASSERT_EQ(results.at("fronts").size(), 6u);
  for (const auto& front : results.at("fronts")) {
    EXPECT_EQ(front.at("variant").at("of"), "circulant-arch2");
    EXPECT_EQ(front.at("variant").at("accuracy_of"), "300 images");
    EXPECT_GT(front.at("variant").at("accuracy").get<double>(), 0.1);
    EXPECT_GT(front.at("weight_bytes").get<int>(), 700);
  }
  EXPECT_EQ(results.at("across").at(0).at("objectives"), json({"memory", "latency", "weights", "accuracy"}));
  // A run knows itself: what its copies say is what it was, and nothing is trained again.
  const auto again = dse({"run", sweep, "-o", folder / "out"});
  EXPECT_EQ(again.exit, 0);
  EXPECT_THAT(again.err, HasSubstr("holds the results of this run already"));
  const auto resumed = dse({"run", "--resume", "-o", folder / "out"});
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  const auto exported =
      dse({"export", folder / "out", "--point", "knee", "--network", "circulant-arch2/fc0.block=64/domain=frequency",
           "-o", folder / "package", "--check", "host"});
  EXPECT_EQ(exported.exit, 0) << exported.err;
  EXPECT_THAT(exported.out + exported.err, HasSubstr("passes on host"));
}

TEST(Variants, WithoutDataTheAccuracyIsAProxy) {
  const Folder folder;
  const auto sweep =
      folder.write("sweep.yaml",
                   "format: 1\nnetworks:\n  - base: circulant-arch2\n    axes: {fc0.block: [1, 8, 64], bits: "
                   "[8, 16]}\ndevices: [stm32l4r5]\nexplore: {objectives: [latency, accuracy]}\n");
  const auto r = dse({"run", sweep, "-o", folder / "out"});
  ASSERT_EQ(r.exit, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("circulant-arch2 over 6 variants"), HasSubstr("(proxy)")));
}

TEST(Variants, ANetworkThatIsThereMayTellItsAccuracy) {
  const Folder folder;
  const auto sweep = folder.write(
      "sweep.yaml",
      "format: 1\nnetworks:\n  - {file: ds-cnn, accuracy: 0.92, accuracy_of: a test set}\ndevices: [stm32l4r5]\n"
      "explore: {objectives: [latency, accuracy], budget: {simulations: 4}}\n");
  const auto r = dse({"run", sweep, "-o", folder / "out"});
  ASSERT_EQ(r.exit, 0) << r.err;
  std::ifstream in(folder / "out/results.json");
  EXPECT_EQ(json::parse(in).at("fronts").at(0).at("variant").at("accuracy_of"), "a test set");
}

TEST(Variants, RefuseWhatCannotBe) {
  const Folder folder;
  const auto said = [&](const std::string& networks, const std::string& explore = "") {
    const auto sweep = folder.write("s.yaml", "format: 1\nnetworks:\n" + networks + "devices: [stm32l4r5]\n" + explore);
    const auto r = dse({"run", sweep, "-o", folder / "out"});
    EXPECT_EQ(r.exit, 3) << networks << r.err;
    return r.err;
  };
  EXPECT_THAT(said("  - {base: circulant-arch1, axes: {fc9.block: [1]}}\n"),
              HasSubstr("the network has no layer 'fc9'"));
  EXPECT_THAT(said("  - {base: circulant-arch1, axes: {fc0.block: [512]}}\n"), HasSubstr("a block of 512 is larger"));
  EXPECT_THAT(said("  - {base: circulant-arch1, axes: {bits: [4]}}\n"), HasSubstr("axis bits: '4' is none of 8, 16"));
  EXPECT_THAT(said("  - {base: circulant-arch1, axes: {colour: [4]}}\n"), HasSubstr("no axis 'colour' of a network"));
  EXPECT_THAT(said("  - {axes: {bits: [8]}}\n"), HasSubstr("a network has either a file or a base"));
  EXPECT_THAT(said("  - {base: circulant-arch1, data: nowhere}\n"), HasSubstr("no such folder of data"));
  EXPECT_THAT(said("  - resnet8\n", "explore: {objectives: [latency, accuracy]}\n"),
              HasSubstr("objective accuracy: nothing is known of that of resnet8"));
  EXPECT_THAT(said("  - resnet8\n", "explore: {constraints: {accuracy: \"<= 1\"}}\n"),
              HasSubstr("accuracy has no upper limit"));
}

}  // namespace
}  // namespace dse::test::circulant_test
