// Files, whole: read at once, and written so that a reader never sees half of one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace dse::cli {

/// The content of a regular file of at most 1 GiB; else a diagnostic and nothing.
std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics);

/// Writes beside the target, flushes to the disk and renames. @throws std::runtime_error with the reason when that
/// fails.
void write_file(const std::string& path, std::string_view content);

/// Makes a folder and its parents. @throws std::runtime_error when that fails.
void make_folder(const std::string& path);

/// SHA-256 of a text as 64 hex digits.
std::string hash_of(std::string_view content);

}  // namespace dse::cli
