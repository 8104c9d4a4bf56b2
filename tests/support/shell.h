// Files and commands of a test's folder.
#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace dse::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs a command in the folder; what it says goes to log.txt there. @returns its exit code, -1 when a signal ended it.
inline int shell(const std::filesystem::path& folder, const std::string& command) {
  const int status = std::system(("cd '" + folder.string() + "' && (" + command + ") > log.txt 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dse::test
