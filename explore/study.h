// The study: simulated layer fronts kept in the output folder (SQLite), so that an interrupted sweep resumes without
// redoing them. A memo table, nothing more: the search runs again and finds its results there.
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace dse::explore {

class Study {
 public:
  /// Opens or makes `path`. A study of another version of the program is emptied. @throws std::runtime_error when the
  /// file cannot be used.
  explicit Study(const std::string& path);
  ~Study();
  std::optional<std::string> find(const std::string& key) const;
  /// Written in batches of 64; the rest when the study closes or at flush().
  void put(const std::string& key, const std::string& value);
  void flush();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dse::explore
