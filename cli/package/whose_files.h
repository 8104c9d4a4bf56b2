// Whose the files in a folder are that a command writes: of its own kind, or of others.
#pragma once
#include <string>

#include "base/diagnostics.h"
#include "deploy/host/folder.h"

namespace dse::cli {

/// An error where the folder holds what an export would lose: files that are no package's, or were changed since.
void check_package_folder(const std::string& folder, Diagnostics& diagnostics);

/// An error where the folder holds something and no run has been there: what it holds would lie among results. What a
/// user adds to the folder of a run stays as it is.
void check_run_folder(const std::string& folder, Diagnostics& diagnostics);

/// Says what is wrong with a file of a package's folder. @returns false.
bool report_fault(const std::string& folder, const deploy::FolderFault& fault, Diagnostics& diagnostics);

/// Whether the folder holds the files that its manifest lists, as they were written, and no others. False after a
/// diagnostic for each that is missing, changed or foreign.
bool is_whole_package(const std::string& folder, Diagnostics& diagnostics);

}  // namespace dse::cli
