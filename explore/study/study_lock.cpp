#include "explore/study/study_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>

namespace dse::explore {
namespace {

/// Record locks do not tell one opener from another in the same process: what this one holds.
std::mutex held_mutex;
std::set<std::string>& held() {
  static std::set<std::string> files;
  return files;
}

[[noreturn]] void busy(const std::string& path, int process) {
  throw std::runtime_error(path + ": somebody is writing this study: process " + std::to_string(process) +
                           " (wait until it ends, or give another folder)");
}

}  // namespace

StudyLock::StudyLock(const std::string& path) : owner_(::getpid()) {
  std::error_code none;
  auto real = std::filesystem::weakly_canonical(path, none);  // whatever links lead there
  file_ = (none ? path : real.string()) + ".lock";
  const std::lock_guard guard(held_mutex);
  if (held().count(file_) != 0) busy(path, owner_);
  for (;;) {
    fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0)
      throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno) +
                               "; is its folder one that can be written to?");
    struct flock lock {};
    lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
    if (::fcntl(fd_, F_SETLK, &lock) != 0) {
      const int error = errno;
      struct flock other {};
      other.l_type = F_WRLCK, other.l_whence = SEEK_SET;
      const bool known = ::fcntl(fd_, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
      ::close(fd_);
      if (error != EACCES && error != EAGAIN)
        throw std::runtime_error(path + ": cannot be locked: " + std::strerror(error));
      if (known) busy(path, other.l_pid);
      continue;  // it has just ended
    }
    // The one before removes its file as it ends: a lock on a file that has no name any more keeps nobody out.
    struct stat mine {
    }, named{};
    if (::fstat(fd_, &mine) == 0 && ::stat(file_.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
        mine.st_dev == named.st_dev)
      break;
    ::close(fd_);
  }
  held().insert(file_);
}

StudyLock::~StudyLock() {
  if (::getpid() == owner_) {
    const std::lock_guard guard(held_mutex);
    ::unlink(file_.c_str());
    held().erase(file_);
  }
  ::close(fd_);
}

}  // namespace dse::explore
