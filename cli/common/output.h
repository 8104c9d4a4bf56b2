// What commands write: JSON on standard output, and files piece by piece.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace dse::cli {

/// JSON on standard output: two spaces a level, and a line end; invalid UTF-8 becomes U+FFFD.
template <class Json>
void print_json(const Json& j) {
  fmt::print("{}\n", j.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// A file that appears under its name when it is whole, or standard output ("-"). One that is never closed is removed.
class Output {
 public:
  /// @throws std::runtime_error, as all below do, with the reason when it cannot be written.
  explicit Output(const std::string& file);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(const std::string& text);
  void close();
  bool to_stdout() const { return to_stdout_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  std::string file_, partial_;
  bool to_stdout_;
  std::FILE* out_ = nullptr;
};

}  // namespace dse::cli
