// Cuts a stream of bytes into lines of bounded length.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace dse::explore {

/// What stood on one line, without its end.
struct Line {
  std::string text;
  bool too_long = false;  // more than LineReader::kMaxLine bytes; `text` is empty then
};

/// Bytes in, in pieces of any size; lines out. Holds at most one line's limit and the last piece.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  void feed(std::string_view bytes) { buffer_ += bytes; }
  /// The stream has ended: bytes behind the last newline are a line too.
  void finish() { finished_ = true; }
  bool finished() const { return finished_; }
  /// The next whole line; none: more bytes are needed or, after finish(), there are no more lines.
  std::optional<Line> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  // of the line under way
  std::size_t seen_ = 0;   // up to here there is no newline
  bool skipping_ = false;  // the line under way is too long: its bytes are dropped as they come
  bool finished_ = false;
};

}  // namespace dse::explore
