#include "cli/common/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "deploy/export/package.h"

namespace dse::cli {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) {
    diagnostics.error({path, 0, 0}, "cannot be read: " + error.message());
    return std::nullopt;
  }
  if (size > (std::uintmax_t{1} << 30)) {
    diagnostics.error({path, 0, 0}, "is larger than 1 GiB");
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) {
    diagnostics.error({path, 0, 0}, "cannot be read");
    return std::nullopt;
  }
  return content;
}

namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::runtime_error(path + ": cannot " + std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

void write_file(const std::string& path, std::string_view content) {
  const auto beside = path + ".tmp." + std::to_string(::getpid());
  const int fd = ::open(beside.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail(path, "be written");
  std::size_t done = 0;
  while (done < content.size()) {
    const auto n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int why = errno;
      ::close(fd);
      ::unlink(beside.c_str());
      errno = why;
      fail(path, "be written");
    }
    done += static_cast<std::size_t>(n);
  }
  ::fsync(fd);  // without it a crash may leave an empty file under the final name; some file systems cannot, and that
                // is fine
  if (::close(fd) != 0) fail(path, "be written");
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const int why = errno;
    ::unlink(beside.c_str());
    errno = why;
    fail(path, "be replaced");
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path))
    throw std::runtime_error(path + ": is no folder and cannot be made one" + (error ? ": " + error.message() : ""));
}

std::string hash_of(std::string_view content) {
  return deploy::sha256(std::span(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()));
}

}  // namespace dse::cli
