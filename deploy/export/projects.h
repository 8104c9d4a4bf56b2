// Build files of a package: CMake, and skeletons for what firmware is built with.
#pragma once
#include <string>
#include <vector>

#include "deploy/export/generate_c.h"

namespace dse::deploy {

/// Names that --for takes.
std::vector<std::string> project_kinds();

/// CMakeLists.txt (which is an ESP-IDF component too) and memories.ld, and what each kind needs besides. `files`: of
/// the package, renamed already.
TextFiles project_files(const TextFiles& files, const program::Program& p, const std::string& prefix, KernelSet kernels,
                        const std::vector<std::string>& kinds);

}  // namespace dse::deploy
