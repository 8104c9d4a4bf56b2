#include "deploy/host/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/system/whole_file.h"
#include "deploy/host/sha256.h"

namespace dse::deploy {

namespace fs = std::filesystem;

namespace {

constexpr const char *kManifest = "manifest.json", *kBeside = ".partial-";

[[noreturn]] void fail(const fs::path& folder, int error) {
  throw std::runtime_error(folder.string() + ": cannot be written: " + std::strerror(error));
}

/// Every file and link below a folder, with '/' between names.
std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> out;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_symlink() || !at->is_directory()) out.insert(at->path().lexically_relative(folder).generic_string());
  return out;
}

/// Names and hashes that a manifest lists, in its order; nothing where it is none.
std::vector<std::pair<std::string, std::string>> listed_in(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> out;
  std::ifstream in(folder / kManifest, std::ios::binary);
  const auto j = nlohmann::json::parse(in, nullptr, false);
  if (!j.is_object() || !j.contains("files") || !j["files"].is_array()) return {};
  for (const auto& f : j["files"]) {
    if (!f.is_object() || !f.contains("name") || !f["name"].is_string() || !f.contains("sha256") ||
        !f["sha256"].is_string())
      return {};
    out.emplace_back(f["name"].get<std::string>(), f["sha256"].get<std::string>());
  }
  return out;
}

std::string hash_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void write_all(const fs::path& folder, const NamedTexts& files) {
  std::error_code failed;
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path(), failed);
    if (failed) fail(folder, failed.value());
    write_whole((folder / name).string(), text);
  }
}

/// File by file, among those of others.
void write_into(const fs::path& folder, const NamedTexts& files) {
  std::error_code error;
  const auto before = listed_in(folder);
  fs::remove(folder / kManifest, error);
  const auto inside = names_in(folder);
  for (const auto& [name, hash] : before)
    if (inside.count(name)) fs::remove(folder / name, error);
  NamedTexts ordered = files;
  std::stable_partition(ordered.begin(), ordered.end(), [](const auto& f) { return f.first != kManifest; });
  write_all(folder, ordered);
}

/// Removes what those left who were killed as they wrote this folder.
void remove_left(const fs::path& folder) {
  const std::string start = folder.filename().string() + kBeside;
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(folder.parent_path(), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int pid = 0;
    const auto* last = name.data() + name.size();
    if (!name.starts_with(start) || std::from_chars(name.data() + start.size(), last, pid).ptr != last || pid <= 0)
      continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH) left.push_back(at->path());
  }
  for (const auto& path : left) fs::remove_all(path, error);
}

/// Whether a folder holds files that its manifest does not list.
bool holds_others(const fs::path& folder) {
  auto inside = names_in(folder);
  const auto listed = listed_in(folder);
  if (!listed.empty()) inside.erase(kManifest);
  for (const auto& [name, hash] : listed) inside.erase(name);
  return !inside.empty();
}

/// A folder that is removed with what is in it.
struct Beside {
  fs::path path;
  ~Beside() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

}  // namespace

std::vector<FolderFault> faults_of(const std::string& folder) {
  std::vector<FolderFault> out;
  auto inside = names_in(folder);
  const auto listed = listed_in(folder);
  if (inside.empty()) return out;
  if (listed.empty())
    out.push_back({FolderFault::Kind::missing, kManifest});
  else
    inside.erase(kManifest);
  for (const auto& [name, hash] : listed) {
    if (inside.erase(name) == 0)
      out.push_back({FolderFault::Kind::missing, name});
    else if (hash_of_file(fs::path(folder) / name) != hash)
      out.push_back({FolderFault::Kind::changed, name});
  }
  for (const auto& name : inside) out.push_back({FolderFault::Kind::foreign, name});
  return out;
}

void write_folder(const std::string& name, const NamedTexts& files) {
  std::error_code error;
  fs::path folder = fs::weakly_canonical(fs::absolute(name), error);  // a link to a folder stays one
  if (!folder.has_filename()) folder = folder.parent_path();
  fs::create_directories(folder.parent_path(), error);
  if (error) fail(folder, error.value());
  remove_left(folder);
  const bool there = fs::exists(folder, error);
  if (there && !fs::is_directory(folder, error)) fail(folder, ENOTDIR);
  if ((there && holds_others(folder)) || (there && fs::equivalent(folder, fs::current_path(error), error)))
    return write_into(folder, files);
  const Beside beside{folder.string() + kBeside + std::to_string(::getpid())};
  write_all(beside.path, files);
  if (::renameat2(AT_FDCWD, beside.path.c_str(), AT_FDCWD, folder.c_str(),
                  there ? RENAME_EXCHANGE : RENAME_NOREPLACE) == 0)
    return;
  if (there) return write_into(folder, files);  // a mount, or a file system that cannot exchange
  if (::rename(beside.path.c_str(), folder.c_str()) != 0) fail(folder, errno);
}

}  // namespace dse::deploy
