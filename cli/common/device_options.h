// Options of commands that take one device.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dse::cli {

/// Adds `--set memories.sram.width=16B/cycle`, which may be given several times.
inline CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& texts) {
  return command
      .add_option("--set", texts, "a field of the device, instead of what its file says: memories.sram.width=16B/cycle")
      ->allow_extra_args(false);
}

}  // namespace dse::cli
