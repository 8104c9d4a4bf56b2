// Files of a run's own: whole, or not there. (What a user asks for is written to the disk as well: cli/common/files.h.)
#pragma once
#include <string>
#include <string_view>

namespace dse {

/// Writes beside the target and renames. @throws std::runtime_error when it cannot be written, and what
/// std::filesystem::rename throws.
void write_whole(const std::string& path, std::string_view content);

}  // namespace dse
