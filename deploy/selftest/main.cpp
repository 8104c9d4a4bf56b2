// dse_selftest FOLDER... [--interleavings N] [--seed S]: verifies package folders with the kernels and the runtime of
// this build, without compiling what they hold. Exit code 0, 2 (usage), 3 (a folder cannot be read) or 5 (an output
// differs).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "deploy/runner.h"

int main(int argc, char** argv) {
  std::vector<std::string> folders;
  int interleavings = 20;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    char* end = nullptr;
    if ((arg == "--interleavings" || arg == "--seed") && i + 1 < argc) {
      const unsigned long long value = std::strtoull(argv[++i], &end, 10);
      if (!end || *end != '\0') folders.clear(), i = argc;
      if (arg == "--seed")
        seed = value;
      else
        interleavings = static_cast<int>(value);
    } else if (arg.rfind("--", 0) == 0) {
      folders.clear();
      break;
    } else {
      folders.push_back(arg);
    }
  }
  if (folders.empty()) {
    std::fputs("usage: dse_selftest FOLDER... [--interleavings N] [--seed S]\n", stderr);
    return 2;
  }
  int code = 0;
  for (const std::string& folder : folders) {
    dse::Diagnostics diags;
    const auto files = dse::deploy::read_package(folder, diags);
    const bool good = files && dse::deploy::verify_package(*files, interleavings, seed, folder, diags);
    std::fputs(diags.text().c_str(), stderr);
    if (good)
      std::printf("%s: %d runs (eager, lazy, %d interleavings), outputs as expected\n", folder.c_str(),
                  interleavings + 2, interleavings);
    else
      code = files ? 5 : code == 0 ? 3 : code;
  }
  return code;
}
