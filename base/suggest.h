// Words for diagnostics: quoting what a user wrote, and guessing what was meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace dse {

/// `text` in single quotes, cut to 60 bytes, control characters and invalid UTF-8 shown as `?`: safe to print whatever
/// the input was.
std::string quote(std::string_view text);

/// The candidate nearest to `word` by edit distance, if near enough to be a slip (at most a third of the letters); else
/// empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `a`, `a or b`, `a, b or c`.
std::string join_or(const std::vector<std::string>& words);

}  // namespace dse
