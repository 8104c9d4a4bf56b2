// Objectives and limits on the command line: the same as in a sweep file.
#pragma once
#include <string>

#include "explore/sweep.h"

namespace dse::cli {

/// `--limit` l1=64KiB, memory=128KiB, energy=2mJ, traffic=1MiB, latency=20ms, memories.l1.peak=64KiB. Of two limits of
/// one metric the tighter stays. `option`: named in diagnostics.
void add_limit(const std::string& text, const std::string& option, explore::SweepSpec& spec, Diagnostics& diagnostics);

/// `--objective` latency, energy, l1 (the peak of a memory) ...: replaces those of the sweep file. Whether a memory
/// exists only the devices can tell.
void set_objectives(const std::vector<std::string>& names, explore::SweepSpec& spec, Diagnostics& diagnostics);

}  // namespace dse::cli
