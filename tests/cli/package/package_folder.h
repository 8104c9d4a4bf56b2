// A run, the package of its fastest point in a folder, and what becomes of it.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace dse::test {

/// Content by name, of all below a folder.
using Files = std::map<std::string, std::string>;
inline Files files_of(const std::string& folder) {
  Files out;
  for (const auto& e : std::filesystem::recursive_directory_iterator(folder))
    if (e.is_regular_file()) out[std::filesystem::relative(e.path(), folder).string()] = read(e.path().string());
  return out;
}

class PackageFolder : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = new Folder;
    const auto network =
        run_->write("small.yaml",
                    "format: 1\nname: wakeword7\ninput: {shape: [1, 12, 12, 3]}\nlayers:\n"
                    "  - conv: {name: stem, filters: 8, kernel: 3, stride: 2, padding: same, activation: relu}\n"
                    "  - fully_connected: {name: secret_layer, units: 5}\n");
    const auto said = dse({"run", network, "--device", "gap8-class", "-o", *run_ / "out", "--jobs", "2"});
    ASSERT_EQ(said.exit, 0) << said.err;
  }
  static void TearDownTestSuite() { delete run_; }
  static std::vector<std::string> words(const std::string& folder, std::vector<std::string> more) {
    std::vector<std::string> out{"export", *run_ / "out", "-o", folder};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  Said exported(std::vector<std::string> more) { return dse(words(here / "p", std::move(more))); }
  void export_well(std::vector<std::string> more) {
    const auto said = exported(std::move(more));
    ASSERT_EQ(said.exit, 0) << said.err;
  }
  Said verified() { return dse({"package", "verify", here / "p", "--interleavings", "1"}); }
  Folder here;
  static inline Folder* run_ = nullptr;
};

}  // namespace dse::test
