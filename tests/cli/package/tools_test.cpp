// What an export says and ends in where there is no room, no compiler or no key, and what a package tells of itself.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/package/package_folder.h"
#include "tests/support/shell.h"

namespace dse::test::tools_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class PackageTools : public PackageFolder {};

/// A soft limit of this process, which what it starts inherits.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(PackageTools, AFullDiskIsNoMismatchAndLeavesTheOldOne) {
  export_well({"--point", "fastest"});
  const auto whole = files_of(here / "p");
  for (const rlim_t bytes : {0u, 1000u, 8000u}) {
    Said said;
    {
      const FileLimit full(bytes);
      Running run(words(here / "p", {"--point", "fastest", "--prefix", "net"}));
      said = run.wait();
      EXPECT_EQ(run.signal(), 0);
    }
    EXPECT_EQ(said.exit, 1) << bytes;
    if (bytes > 0) {
      EXPECT_THAT(said.err, HasSubstr("cannot be written: File too large"));
    }
    EXPECT_EQ(files_of(here / "p"), whole);
  }
}

TEST_F(PackageTools, AFullDiskEndsARunWithAMessage) {
  for (const rlim_t bytes : {500u, 5000u, 20'000u}) {
    const FileLimit full(bytes);
    Running run({"run", *run_ / "small.yaml", "--device", "gap8-class", "-o", here / std::to_string(bytes), "-j", "1"});
    const auto said = run.wait();
    EXPECT_EQ(run.signal(), 0);
    EXPECT_EQ(said.exit, 1) << bytes << said.err;
    EXPECT_THAT(said.err, HasSubstr("error: "));
  }
}

TEST_F(PackageTools, AMissingCompilerIsNoMismatch) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", here.path().c_str(), 1);
  const auto host = exported({"--check", "host"}), board = exported({"--check", "cortex-m4"});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(host.exit, 1);
  EXPECT_THAT(host.err, HasSubstr("there is no C compiler"));
  EXPECT_EQ(board.exit, 1);
  EXPECT_FALSE(fs::exists(here / "p"));
}

TEST_F(PackageTools, AKeyIsNeverSaid) {
  std::string digits;
  for (int i = 0; i < 32; ++i) digits += "c7";
  here.write("key", digits);
  here.write("almost", digits + "zz");
  export_well({"--key", here / "key"});
  fs::remove_all(here / "p");
  for (const auto& given : {digits, "env:" + digits, digits.substr(1), std::string(32, 'K'), here / "almost"}) {
    const auto said = exported({"--key", given});
    EXPECT_EQ(said.exit, 3) << said.err;
    for (const auto& part : {digits.substr(0, 16), std::string(16, 'K')})
      EXPECT_THAT(said.err + said.out, Not(HasSubstr(part)));
  }
}

TEST_F(PackageTools, AKeyThatNeverEndsIsRefused) {
  ASSERT_EQ(::mkfifo((here / "fifo").c_str(), 0600), 0);
  for (const auto& key : {here / "fifo", std::string("/dev/zero"), here.path()}) {
    Running run(words(here / "p", {"--key", key}));
    ASSERT_TRUE(run.ends_within(60)) << key;
    const auto said = run.wait();
    EXPECT_EQ(said.exit, 3);
    EXPECT_THAT(said.err, HasSubstr("is no regular file"));
  }
}

TEST_F(PackageTools, CheckBitsComeWithWhatUsesThem) {
  export_well({"--parity"});
  here.write("p/main.c",
             "#include <string.h>\n#include \"dse.h\"\n#include \"dse_repair.h\"\n"
             "static DSE_ALIGNED(16) uint8_t copy[DSE_DATA_BYTES];\nint main(void) {\n"
             "  uint32_t i, corrected = 0;\n  for (i = 0; i < sizeof copy; i += 97) {\n"
             "    memcpy(copy, dse_data, sizeof copy);\n    copy[i] ^= (uint8_t)(1u << i % 8);\n"
             "    if (dse_repair(copy, sizeof copy, &corrected) || corrected != 1) return 1;\n"
             "    if (memcmp(copy, dse_data, sizeof copy)) return 2;\n  }\n  return 0;\n}\n");
  EXPECT_EQ(shell(here / "p", "cc -std=c99 -Wall -Wextra -Wconversion -Werror -O1 *.c -o t && ./t"), 0)
      << read(here / "p/log.txt");
  fs::remove_all(here / "p");
  export_well({});
  EXPECT_FALSE(fs::exists(here / "p/dse_repair.c"));
}

TEST_F(PackageTools, APrivateOneTellsNoNames) {
  here.write("key", std::string(64, 'a'));
  std::string open_hash;
  for (const bool hidden : {false, true}) {
    fs::remove_all(here / "p");
    std::vector<std::string> more{"--key", here / "key"};
    if (hidden) more.emplace_back("--private");
    export_well(more);
    if (!hidden) open_hash = json::parse(read(here / "p/manifest.json"))["network"]["structure"].get<std::string>();
    std::string all;
    for (const auto& [name, text] : files_of(here / "p")) all += name + "\n" + text;
    for (const auto& word : {std::string("secret_layer"), std::string("wakeword7"), std::string("gap8-class"),
                             open_hash, std::string("account.json"), std::string("plan.yaml"), *run_ / "out"})
      EXPECT_EQ(all.find(word) == std::string::npos, hidden) << word;
    EXPECT_EQ(dse({"package", "verify", here / "p", "--key", here / "key"}).exit, 0);
    EXPECT_EQ(dse({"run", "--from-package", here / "p", "--key", here / "key"}).exit, 0);
    EXPECT_EQ(shell(here / "p", "cc -std=c99 -O1 *.c -o ../t && ../t ../key"), 0) << read(here / "p/log.txt");
  }
  EXPECT_EQ(exported({"--private"}).exit, 2);
}

TEST_F(PackageTools, ProgramsAreToldApartByTheirSums) {
  export_well({"--point", "smallest", "--and", "fastest", "--and", "knee"});
  const auto sections = json::parse(dse({"package", "inspect", here / "p", "--json"}).out)["sections"];
  std::map<std::string, int> sums;
  int programs = 0;
  for (const auto& s : sections)
    if (s["kind"] == "PROG") ++programs, ++sums[s["crc32c"].get<std::string>()];
  ASSERT_GE(programs, 2);
  EXPECT_EQ(sums.size(), static_cast<std::size_t>(programs));
}

}  // namespace
}  // namespace dse::test::tools_test
