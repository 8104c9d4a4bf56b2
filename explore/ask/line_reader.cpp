#include "explore/ask/line_reader.h"

#include <algorithm>

namespace dse::explore {

std::optional<Line> LineReader::next() {
  const auto end = buffer_.find('\n', std::max(seen_, begin_));
  if (end != std::string::npos) {
    Line line;
    line.too_long = skipping_ || end - begin_ > kMaxLine;
    if (!line.too_long) line.text = buffer_.substr(begin_, end - begin_);
    begin_ = seen_ = end + 1;
    skipping_ = false;
    return line;
  }
  // Lines that were handed out are dropped once per piece, not once per line.
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.size() > kMaxLine) skipping_ = true;
  if (skipping_) buffer_.clear();
  seen_ = buffer_.size();
  if (!finished_ || (buffer_.empty() && !skipping_)) return std::nullopt;
  Line line{std::move(buffer_), skipping_};
  buffer_.clear();
  seen_ = 0;
  skipping_ = false;
  return line;
}

}  // namespace dse::explore
