// Files that every package holds verbatim: the kernels, the runtime, the self-test.
#pragma once
#include <string_view>
#include <vector>

namespace dse::deploy {

struct ShippedFile {
  std::string_view name;  // without a folder: packages are flat
  std::string_view text;
};

const std::vector<ShippedFile>& shipped_files();

}  // namespace dse::deploy
