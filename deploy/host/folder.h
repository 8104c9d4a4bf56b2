// The folder of a package on the disk: written whole, and held against its manifest.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace dse::deploy {

/// What is otherwise in a folder than its manifest.json says.
struct FolderFault {
  enum class Kind { missing, changed, foreign };
  Kind kind;
  std::string name;  // within the folder
};

/// Missing and changed files in the order of the manifest, then foreign ones by name: all that it does not list.
/// Without a manifest that can be read, that one is missing and every file foreign. Of a folder that is none: nothing.
std::vector<FolderFault> faults_of(const std::string& folder);

using NamedTexts = std::vector<std::pair<std::string, std::string>>;  // (name, text)

/// Writes a package's files, manifest.json among them, in place of what the folder held: beside it, and then the two
/// change places, so that whoever is killed leaves the old package or the new one. A folder that holds files of
/// others keeps them, and one that cannot change places (the working directory, a mount) stays where it is: these are
/// written file by file, the manifest last, and are without one in between.
/// @throws std::runtime_error with the reason when it cannot be written; then it holds what it held before, but for
/// those that are written file by file.
void write_folder(const std::string& folder, const NamedTexts& files);

}  // namespace dse::deploy
