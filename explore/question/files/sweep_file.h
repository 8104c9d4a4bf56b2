// Sweep files: read, written, and their schema.
#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// Reads a sweep file; every problem goes to `diags`. Choice names and values are checked against the registry.
std::optional<SweepSpec> read_sweep(const std::string& path, Diagnostics& diags);
std::optional<SweepSpec> read_sweep_text(const std::string& text, const std::string& file, Diagnostics& diags);
/// The equivalent sweep file of a spec (what the one-line form writes beside its results).
std::string write_sweep(const SweepSpec& spec);
/// JSON Schema of the sweep file.
std::string sweep_schema();

}  // namespace dse::explore
