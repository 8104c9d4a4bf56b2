#include "cli/common/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace dse::cli {

Output::Output(const std::string& file) : file_(file), partial_(file + ".partial"), to_stdout_(file == "-") {
  out_ = to_stdout_ ? stdout : std::fopen(partial_.c_str(), "wb");
  if (!out_) fail("cannot be written");
}

Output::~Output() {
  if (to_stdout_ || !out_) return;
  std::fclose(out_);
  std::remove(partial_.c_str());
}

void Output::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), out_) != text.size()) fail("cannot be written");
}

void Output::close() {
  if (std::fflush(out_) != 0) fail("cannot be written");
  if (to_stdout_) return;
  auto* out = out_;
  out_ = nullptr;
  if (std::fclose(out) != 0) fail("cannot be written");
  std::filesystem::rename(partial_, file_);
}

void Output::fail(const char* what) const {
  throw std::runtime_error((to_stdout_ ? "standard output" : file_) + ": " + what + ": " + std::strerror(errno));
}

}  // namespace dse::cli
