#include "base/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/characters.h"

namespace dse {

namespace {

/// Insertions, deletions, changes and swaps of neighbours; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "'";
  while (!text.empty() && out.size() <= 60) {
    const std::size_t length = utf8_length(text), n = length > text.size() ? 0 : length;
    const auto c = static_cast<unsigned char>(text[0]);
    if (n == 0 || (n == 1 && (c < 0x20 || c == 0x7F)))
      out += '?';
    else
      out.append(text.substr(0, n));
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  if (!text.empty()) out += "...";
  return out + "'";
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > 100) return {};
  std::string best;
  std::size_t best_distance = word.size() / 3 + 1;
  for (const auto& c : candidates) {
    const std::size_t d = edit_distance(word, c);
    if (d < best_distance) best = c, best_distance = d;
  }
  return best;
}

std::string join_or(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace dse
