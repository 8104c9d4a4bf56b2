// One writer per study: a lock that ends with its process, however that ends.
#pragma once
#include <string>

namespace dse::explore {

/// Holds `path`.lock. A record lock of POSIX: forked workers do not inherit it, so that those who outlive a killed
/// parent for a moment do not keep the study from being resumed.
class StudyLock {
 public:
  /// @throws std::runtime_error when another process, or this one, holds it (with the process id), or when the folder
  /// does not exist or cannot be written.
  explicit StudyLock(const std::string& path);
  ~StudyLock();
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;

 private:
  std::string file_;
  int fd_ = -1;
  int owner_;
};

}  // namespace dse::explore
