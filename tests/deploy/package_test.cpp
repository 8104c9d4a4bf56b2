// A package compiles with a plain C99 compiler, runs, and notices what is wrong with it.
#include "deploy/export/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "deploy/export/shipped.h"
#include "deploy/host/runner.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "tests/deploy/shipment.h"
#include "tests/support/random_cases.h"
#include "tests/support/shell.h"

namespace dse::package_test {
namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::shell;
using test::text_of;
using ::testing::HasSubstr;

struct Case {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  program::Program program;
  std::vector<std::uint8_t> constants;
  deploy::ByteVectors inputs, outputs;
};

Case make_case(std::uint64_t seed) {
  for (;; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random);
    c.device = test::random_device(random);
    auto made = plan::make_plan(*c.network, *c.device, test::random_choices(random, *c.network, *c.device));
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (!plan) continue;
    c.program = plan::lower(*c.network, *c.device, *plan);
    c.constants = plan::constants_image(*c.network, *c.device, *plan);
    for (std::size_t i = 0; i < c.network->inputs.size(); ++i)
      c.inputs.push_back(nn::seeded_input(c.network->tensors[static_cast<std::size_t>(c.network->inputs[i])],
                                          static_cast<int>(i), seed));
    const auto truth = nn::interpret(*c.network, c.inputs);
    for (const int t : c.network->outputs) c.outputs.push_back(truth[static_cast<std::size_t>(t)]);
    return c;
  }
}

deploy::Shipment shipment(const Case& c) {
  auto s = test::shipment_of(c.program, c.constants, c.inputs, c.outputs);
  s.points[0].latency_ticks = 123456;
  s.documents = {{"plan.yaml", "format: 1\n"}};
  return s;
}

bool write(const Case& c, const fs::path& folder, Diagnostics& diags) {
  return deploy::write_package(*c.network, *c.device, shipment(c), folder.string(), diags);
}

TEST(Package, CompilesAsPlainC99AndRuns) {
  const Case c = make_case(11);
  const fs::path folder = fresh_folder("run");
  Diagnostics diags;
  ASSERT_TRUE(write(c, folder, diags)) << diags.text();
  EXPECT_EQ(shell(folder, "cc -std=c99 -Wall -Wextra -Werror -pedantic *.c -o selftest"), 0)
      << text_of(folder / "log.txt");
  EXPECT_EQ(shell(folder, "./selftest"), 0) << text_of(folder / "log.txt");
  EXPECT_THAT(text_of(folder / "log.txt"), HasSubstr("23 runs, 0 failures"));
  fs::remove_all(folder);
}

TEST(Package, SelfTestNoticesAWrongWeight) {
  const Case c = make_case(12);
  const fs::path folder = fresh_folder("wrong");
  Diagnostics diags;
  ASSERT_TRUE(write(c, folder, diags)) << diags.text();
  // A byte of a weight, with the sums of the whole made right again.
  auto contents = deploy::contents_of(*c.network, *c.device, shipment(c));
  for (auto& b : contents.images[0]) b = static_cast<std::uint8_t>(b ^ 0x40);
  const auto data = deploy::write_contents(contents, deploy::Audience::target, false);
  std::ofstream(folder / "dse_data.c") << "#include \"dse.h\"\nDSE_ALIGNED(16) const uint8_t dse_data[] = {"
                                       << deploy::numbers(data) << "};\n";
  ASSERT_EQ(shell(folder, "cc -std=c99 -O1 *.c -o selftest"), 0) << text_of(folder / "log.txt");
  EXPECT_NE(shell(folder, "./selftest"), 0);
  EXPECT_THAT(text_of(folder / "log.txt"), HasSubstr("outputs differ"));
  fs::remove_all(folder);
}

TEST(Package, FileIsReadBackAndVerified) {
  const Case c = make_case(13);
  const fs::path folder = fresh_folder("folder");
  Diagnostics diags;
  ASSERT_TRUE(write(c, folder, diags)) << diags.text();
  const std::string text = text_of(folder / "plan.dse");
  auto contents = deploy::read_contents({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "f", diags);
  ASSERT_TRUE(contents) << diags.text();
  EXPECT_EQ(contents->inputs, c.inputs);
  EXPECT_EQ(contents->outputs, c.outputs);
  EXPECT_TRUE(deploy::verify_contents(*contents, 10, 1, folder.string(), diags)) << diags.text();
  contents->outputs[0][0] ^= 1;
  EXPECT_FALSE(deploy::verify_contents(*contents, 10, 1, folder.string(), diags));
  EXPECT_THAT(diags.text(), HasSubstr("output 0 differs at byte 0"));
  fs::remove_all(folder);
}

TEST(Package, ManifestNamesEveryFileByHash) {
  const Case c = make_case(14);
  const fs::path folder = fresh_folder("manifest");
  Diagnostics diags;
  ASSERT_TRUE(write(c, folder, diags)) << diags.text();
  const auto manifest = nlohmann::json::parse(text_of(folder / "manifest.json"));
  EXPECT_EQ(manifest["format"], deploy::kManifestFormat);
  EXPECT_EQ(manifest["network"]["structure"], c.network->structure_hash());
  EXPECT_EQ(manifest["points"][0]["cycles"], 123456);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files += entry.is_regular_file();
  EXPECT_EQ(manifest["files"].size() + 1, files) << "all but the manifest itself";
  for (const auto& f : manifest["files"]) {
    const std::string bytes = text_of(folder / f["name"].get<std::string>());
    EXPECT_EQ(f["sha256"], deploy::sha256({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}))
        << f["name"];
  }
  EXPECT_THAT(text_of(folder / "README.md"), HasSubstr("ships reference kernels"));
  fs::remove_all(folder);
}

TEST(Package, IsNotWrittenWhenItsOutputsWouldDiffer) {
  Case c = make_case(15);
  c.outputs[0][0] ^= 1;
  const fs::path folder = fresh_folder("refused");
  Diagnostics diags;
  EXPECT_FALSE(write(c, folder, diags));
  EXPECT_THAT(diags.text(), HasSubstr("differs at byte 0"));
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Package, ShipsTheSourcesVerbatim) {
  std::size_t found = 0;
  for (const auto& file : deploy::shipped_files())
    for (const char* folder :
         {"models/nn/kernels", "models/nn/kernels/checks", "models/nn/kernels/npu", "deploy/runtime/npu",
          "models/nn/kernels/circulant", "models/nn/kernels/elementwise", "models/nn/kernels/movement",
          "models/nn/kernels/products", "models/nn/kernels/reductions", "models/nn/kernels/techniques", "program",
          "deploy/runtime", "deploy/runtime/selftest", "deploy/runtime/ports", "deploy/runtime/guard",
          "deploy/runtime/libraries"}) {
      const fs::path path = fs::path(DSE_SOURCE_DIR) / folder / file.name;
      if (!fs::exists(path)) continue;
      EXPECT_EQ(text_of(path), file.text) << path;
      ++found;
    }
  EXPECT_EQ(found, deploy::shipped_files().size());
}

TEST(Package, Sha256OfKnownText) {
  const std::string abc = "abc", two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  const auto of = [](const std::string& s) {
    return deploy::sha256({reinterpret_cast<const std::uint8_t*>(s.data()), s.size()});
  };
  EXPECT_EQ(of(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace dse::package_test
