// Compiles a package and runs its self-test: on this host, or on emulated Cortex-M processors. An emulator proves what
// a program computes, never how long it takes.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "deploy/emulate/promise.h"
#include "deploy/export/generate_c.h"
#include "deploy/format/sealed.h"

namespace dse::deploy {

/// Names that --check takes: "host", "cortex-m4", "cortex-m33", "cortex-m55".
std::vector<std::string> check_targets();

/// What an image that was linked takes (arm-none-eabi-size) and used. Its `text` and `data` are flash, `data` and `bss`
/// RAM. The start-up code, the self-test and the test vector are part of it.
struct Checked {
  std::string target, compiler;
  std::int64_t text = 0, data = 0, bss = 0;
  std::int64_t objects = 0;  // of `data` and `bss`, what is not of the start-up code and the self-test; 0: not read
  std::int64_t stack = 0;    // most bytes in use at once; 0: not measured
  std::int64_t instructions = 0;  // of one inference, as the emulator counted them; 0: not counted
  std::vector<std::string> runs;  // "eager", ...: that gave the simulated bytes
};

/// What is compiled.
struct Compilable {
  const TextFiles& files;  // of the package, with their folders
  std::string prefix;      // of its names
  Style style = Style::interpreted;
  std::vector<std::string> memories;  // macro_of() each arena
  const std::optional<Key>& key;
  KernelSet kernels = KernelSet::reference;
  std::string library = {};  // folder of kernels that are not the package's: CMSIS-NN's, or with own_kernels.h
  Promise promise = {};      // a check holds the image to it, unless kernels are the user's own, which may have more
};

/// A compiler or an emulator is missing, fails or takes too long, or there is no room to build in: nothing is known of
/// the package.
struct ToolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The sources in a folder of kernels that are not the package's, sorted; of a library without those of float. Empty:
/// it is no such folder.
std::vector<std::string> kernel_sources(KernelSet kernels, const std::string& folder);

/// Warnings are errors.
/// @returns nothing, with diagnostics, when a run differs or there are no kernels where they are to be. @throws
/// ToolError
std::optional<Checked> check_on(const std::string& target, const Compilable& package, Diagnostics& diagnostics);

}  // namespace dse::deploy
