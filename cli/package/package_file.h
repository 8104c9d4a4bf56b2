// plan.dse as commands read it: repaired, decrypted, verified, simulated again.
#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "deploy/format/contents.h"

namespace dse::cli {

/// The file, or the one in a package's folder.
std::string package_path(const std::string& file_or_folder);

/// Whether the file begins as packages do.
bool is_package_file(const std::string& file);

/// The bytes of a package file, repaired, and decrypted with the key that `key` names (deploy::read_key()) where they
/// are encrypted. With check bits, wrong bits are corrected, which is a note. Nothing after diagnostics.
std::optional<deploy::Bytes> unlock_package(deploy::Bytes bytes, const std::string& file, const std::string& key,
                                            Diagnostics& diagnostics);
/// The same of a file.
std::optional<deploy::Bytes> open_package_file(const std::string& file, const std::string& key,
                                               Diagnostics& diagnostics);

/// `dse run --from-package`: reads network, device and plans out of a package and simulates them. An error: a plan
/// makes another program or another image than is shipped, computes other bytes, or takes other cycles than promised.
/// @returns an exit code.
int run_from_package(const std::string& file, const std::string& key, bool json);

}  // namespace dse::cli
