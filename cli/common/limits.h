// Objectives and limits on the command line: the same as in a sweep file.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/yaml/yaml.h"
#include "explore/question/sweep.h"

namespace dse::cli {

/// `--limit` l1=64KiB, memory=128KiB, ram=128KiB, energy=2mJ, traffic=1MiB, latency=20ms, memories.l1.peak=64KiB. Of
/// two limits of one metric the tighter stays. `option`: named in diagnostics.
void add_limit(const std::string& text, const std::string& option, explore::SweepSpec& spec, Diagnostics& diagnostics);

/// `--kernels`: whose kernels a package will call, which `ram` counts. Empty: not given.
void add_kernels_option(CLI::App& command, std::string& kernels);

/// `--within` 1%, 0.5 %, 0.01: the share; -1 after a diagnostic.
double read_share(const std::string& text, const std::string& option, Diagnostics& diagnostics);

/// `--set` memories.sram.width=16B/cycle: one value of a field of every device of the sweep, instead of what its file
/// or an axis of the sweep says.
void set_device_field(const std::string& text, explore::SweepSpec& spec, Diagnostics& diagnostics);
/// The same for commands that take one device.
yaml::Overrides overrides_of(const std::vector<std::string>& texts, Diagnostics& diagnostics);

/// `--objective` latency, energy, l1 (the peak of a memory) ...: replaces those of the sweep file. Whether a memory
/// exists only the devices can tell.
void set_objectives(const std::vector<std::string>& names, explore::SweepSpec& spec, Diagnostics& diagnostics);

}  // namespace dse::cli
