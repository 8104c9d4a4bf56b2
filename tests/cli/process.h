// Runs the built program and keeps what it said.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace dse::test {

struct Said {
  int exit = -1;
  std::string out, err;
};

/// Runs `dse` with these arguments in `folder`. @throws std::runtime_error if it cannot be started or is killed.
Said dse(const std::vector<std::string>& arguments, const std::string& folder = ".");

/// The same in this folder, and sends `signal` as soon as `file` exists (or after 20 s).
Said dse_stopped(const std::vector<std::string>& arguments, int signal, const std::string& file);

/// An empty folder that is removed again.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

std::string read(const std::string& path);

}  // namespace dse::test
