// The folder of a package: old or new whoever is killed, nobody else's files, and nothing in it unnoticed.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/cli/package/package_folder.h"
#include "tests/support/slow.h"

namespace dse::test::folder_test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class PackageFolderDrill : public PackageFolder {
 protected:
  void kill_exports(int total);
  void edit_files(int total);
};
class PackageFolderDrillSlow : public PackageFolderDrill {};

void PackageFolderDrill::kill_exports(int total) {
  const std::vector<std::string> ways[2] = {{"--point", "fastest"},
                                            {"--point", "fastest", "--prefix", "net", "--for", "zephyr"}};
  Files whole[2];
  const auto start = std::chrono::steady_clock::now();
  for (int w = 0; w < 2; ++w) {
    export_well(ways[w]);
    whole[w] = files_of(here / "p");
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 2;
  ASSERT_NE(whole[0], whole[1]);
  std::mt19937 random(33);
  int kills = 0;
  for (int n = 0; kills < total; ++n) {
    ASSERT_LT(n, 20 * total) << "hardly any kill comes in time";
    Running run(words(here / "p", ways[n % 2]));
    // Mostly near the end, where it writes.
    const double share = random() % 4 == 0 ? 0.0 : 0.6;
    if (!run.ends_within(seconds * (share + (1.05 - share) * static_cast<double>(random() % 1000) / 1000))) {
      run.send(SIGKILL);
      run.wait();
      kills += run.signal() == SIGKILL;
    }
    const auto now = files_of(here / "p");
    // What is exported has the command line in it, which is the same each time.
    ASSERT_TRUE(now == whole[0] || now == whole[1]) << "a mixture after " << kills << " kills";
  }
  export_well(ways[0]);
  EXPECT_EQ(files_of(here / "p"), whole[0]);
  for (const auto& e : fs::directory_iterator(here.path()))
    EXPECT_EQ(e.path().filename(), "p") << "left by one that was killed";
  std::printf("%d exports killed\n", kills);
}

void PackageFolderDrill::edit_files(int total) {
  export_well({"--point", "fastest"});
  ASSERT_EQ(verified().exit, 0) << verified().err;
  const auto whole = files_of(here / "p");
  std::mt19937 random(34);
  for (int n = 0; n < total; ++n) {
    auto at = whole.begin();
    std::advance(at, static_cast<long>(random() % whole.size()));
    const auto path = here / ("p/" + at->first);
    auto text = at->second;
    std::string what = at->first;
    switch (random() % 3) {
      case 0:
        text[random() % text.size()] ^= static_cast<char>(1u << random() % 7);
        std::ofstream(path, std::ios::binary) << text;
        break;
      case 1:
        fs::remove(path);
        break;
      default:
        what = "new.c";
        std::ofstream(here / "p/new.c") << "int x;\n";
    }
    // Of the manifest itself an edit may change what nobody hashes, a price for instance: then it says nothing false of
    // files.
    const auto said = verified();
    if (what != "manifest.json") {
      EXPECT_NE(said.exit, 0) << what;
      EXPECT_THAT(said.err, HasSubstr(what));
    }
    std::ofstream(path, std::ios::binary) << at->second;
    fs::remove(here / "p/new.c");
  }
  EXPECT_EQ(verified().exit, 0) << verified().err;
}

TEST_F(PackageFolderDrill, AKilledExportLeavesOldOrNew) { kill_exports(4); }
TEST_F(PackageFolderDrill, VerifyNoticesEveryEdit) { edit_files(12); }
TEST_F(PackageFolderDrillSlow, AKilledExportLeavesOldOrNew) { kill_exports(test::of_slow(100)); }
TEST_F(PackageFolderDrillSlow, VerifyNoticesEveryEdit) { edit_files(test::of_slow(300)); }

TEST_F(PackageFolder, FilesOfOthersAreNotOverwritten) {
  fs::create_directory(here / "p");
  here.write("p/README.md", "mine\n");
  const auto said = exported({});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("README.md"));
  EXPECT_EQ(files_of(here / "p"), (Files{{"README.md", "mine\n"}}));
  fs::remove(here / "p/README.md");
  here.write("p/notes.txt", "mine\n");
  EXPECT_EQ(exported({}).exit, 3);
  export_well({"--force"});
  EXPECT_EQ(read(here / "p/notes.txt"), "mine\n");
  EXPECT_THAT(verified().err, HasSubstr("notes.txt"));
  fs::remove(here / "p/notes.txt");
  EXPECT_EQ(verified().exit, 0);
  export_well({});  // over a package of its own
  std::ofstream(here / "p/dse_arenas.c", std::ios::app) << "/* tuned */\n";
  EXPECT_THAT(exported({}).err, HasSubstr("dse_arenas.c"));
}

TEST_F(PackageFolder, WithoutAManifestItIsNoPackage) {
  export_well({});
  fs::remove(here / "p/manifest.json");
  const auto said = verified();
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("manifest.json: error: is missing"));
}

}  // namespace
}  // namespace dse::test::folder_test
