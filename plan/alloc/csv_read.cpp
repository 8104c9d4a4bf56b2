#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

#include "plan/alloc/csv.h"

namespace dse::plan::alloc {
namespace {

enum Column { id, lower, upper, size, alignment, gaps, offset, columns };
constexpr std::array<const char*, columns> kNames = {"id", "lower", "upper", "size", "alignment", "gaps", "offset"};
constexpr std::size_t kMostBuffers = 100'000;
constexpr std::int64_t kMostPairs = 10'000'000;  // bounds the memory of the planners to about 1 GB

struct Field {
  std::string_view text;
  int column = 1;  // of its first character
};

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> out;
  for (std::size_t at = 0;;) {
    const auto end = std::min(line.find(',', at), line.size());
    Field f{line.substr(at, end - at), static_cast<int>(at) + 1};
    while (!f.text.empty() && f.text.front() == ' ') f.text.remove_prefix(1), ++f.column;
    while (!f.text.empty() && f.text.back() == ' ') f.text.remove_suffix(1);
    out.push_back(f);
    if (end == line.size()) return out;
    at = end + 1;
  }
}

/// A text for messages: no control characters, not too long.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return text.size() > 40 ? out + "..." : out;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, Diagnostics& d) : rest_(text), file_(file), d_(d) {}

  std::optional<Table> read() {
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
    std::string_view line;
    if (!next(line)) {
      error(1, "no line with the names of the columns", "id,lower,upper,size");
      return {};
    }
    if (!header(line)) return {};
    while (next(line)) {
      if (table_.buffers.size() == kMostBuffers) {
        error(1, fmt::format("more than {} buffers", kMostBuffers));
        return {};
      }
      row(line);
      if (errors_ >= kMostErrors) {
        error(1, "too many errors: the rest of the file is not read");
        return {};
      }
    }
    if (errors_ == 0) count_pairs();
    if (errors_ > 0) return {};
    return std::move(table_);
  }

 private:
  static constexpr int kMostErrors = 50;

  /// The next line that is not empty.
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (!line.empty()) return true;
    }
    return false;
  }

  void error(int column, std::string what, std::string hint = {}) {
    ++errors_;
    d_.error({file_, std::max(line_, 1), column}, std::move(what), std::move(hint));
  }

  bool header(std::string_view line) {
    static const std::map<std::string_view, Column> known = {
        {"id", id},       {"buffer", id},           {"buffer_id", id}, {"lower", lower},
        {"start", lower}, {"begin", lower},         {"upper", upper},  {"end", upper},
        {"size", size},   {"alignment", alignment}, {"gaps", gaps},    {"offset", offset}};
    for (const Field& f : fields_of(line)) {
      const auto found = known.find(f.text);
      if (found == known.end()) {
        error(f.column, fmt::format("unknown column '{}'", shown(f.text)),
              "id, lower, upper (or end), size, alignment, gaps, offset");
        continue;
      }
      if (at_[found->second] >= 0) error(f.column, fmt::format("column '{}' is there twice", kNames[found->second]));
      at_[found->second] = width_++;
      if (f.text == "end") inclusive_ = 1;
    }
    for (const Column c : {id, lower, upper, size})
      if (errors_ == 0 && at_[c] < 0) error(1, fmt::format("no column '{}'", kNames[c]), "id,lower,upper,size");
    return errors_ == 0;
  }

  /// A number at the front of `text`, which is cut off.
  static std::optional<std::int64_t> number(std::string_view& text) {
    std::int64_t n = 0;
    if (text.empty() || text.front() < '0' || text.front() > '9') return {};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (status != std::errc{} || n > kLargest) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return n;
  }

  std::int64_t cell(const std::vector<Field>& fields, Column c, std::int64_t least = 0) {
    const Field& f = fields[at_[c]];
    auto text = f.text;
    const auto n = number(text);
    if (n && text.empty() && *n >= least) return *n;
    error(f.column, fmt::format("{} '{}' is not a whole number from {} to 2^56", kNames[c], shown(f.text), least));
    return least;
  }

  void row(std::string_view line) {
    const auto fields = fields_of(line);
    if (static_cast<int>(fields.size()) != width_) {
      error(fields.back().column, fmt::format("{} fields for {} columns", fields.size(), width_));
      return;
    }
    const int before = errors_;
    Buffer b;
    b.id = std::string(fields[at_[id]].text);
    if (b.id.empty()) error(fields[at_[id]].column, "a buffer without id");
    if (!b.id.empty() && b.id.front() == '"')
      error(fields[at_[id]].column, "quoted fields are not understood", "write the id without quotes");
    const auto [first, fresh] = lines_.try_emplace(b.id, line_);
    if (!fresh)
      error(fields[at_[id]].column, fmt::format("id '{}' is that of line {} too", shown(b.id), first->second));
    b.lower = cell(fields, lower);
    b.upper = cell(fields, upper) + inclusive_;
    b.size = cell(fields, size);
    if (at_[alignment] >= 0 && !fields[at_[alignment]].text.empty()) b.alignment = cell(fields, alignment, 1);
    if (at_[offset] >= 0 && !fields[at_[offset]].text.empty()) b.offset = cell(fields, offset);
    if (errors_ == before && b.upper < b.lower)
      error(fields[at_[upper]].column, fmt::format("the life ends at {}, before it begins at {}", b.upper, b.lower));
    if (errors_ == before && b.upper > kLargest) error(fields[at_[upper]].column, "end is above 2^56");
    if (errors_ == before && b.offset && *b.offset % b.alignment != 0)
      error(fields[at_[offset]].column,
            fmt::format("offset {} is no multiple of the alignment {}", *b.offset, b.alignment));
    if (errors_ == before && at_[gaps] >= 0) read_gaps(fields[at_[gaps]], b);
    total_ += b.size + b.alignment;
    if (errors_ == before && total_ > kLargest)
      error(fields[at_[size]].column, "the sum of all sizes and alignments is above 2^56");
    if (errors_ != before) return;
    table_.buffers.push_back(std::move(b));
    table_.lines.push_back(line_);
  }

  void read_gaps(const Field& field, Buffer& b) {
    auto text = field.text;
    const auto column = [&] { return field.column + static_cast<int>(field.text.size() - text.size()); };
    const auto take = [&](char c) {
      if (text.empty() || text.front() != c) return false;
      text.remove_prefix(1);
      return true;
    };
    std::int64_t at = b.lower;
    while (!text.empty()) {
      if (take(' ')) continue;
      const int begin = column();
      Gap g;
      const auto from = number(text);
      const bool dash = take('-');
      const auto to = dash ? number(text) : std::nullopt;
      std::optional<std::int64_t> low = 0, high = 0;
      bool window = true;
      if (from && to && take('@')) {
        low = number(text);
        window = take(':');
        high = number(text);
      }
      if (!from || !to || !low || !high || !window || (!text.empty() && text.front() != ' ')) {
        error(column(), fmt::format("gaps '{}' end in something else than 7-9 or 7-9@0:8", shown(field.text)));
        return;
      }
      g = {*from, *to + inclusive_, *low, *high};
      if (g.lower < at || g.lower >= g.upper || g.upper > b.upper) {
        error(begin, fmt::format("gap {}-{} is empty, before the end of another one or outside the life", *from,
                                 to.value_or(0)));
        return;
      }
      if (*low > *high || *high > b.size) {
        error(begin, fmt::format("the window {}:{} is not inside 0:{}", *low, *high, b.size));
        return;
      }
      if (g.begin == g.end) g.begin = g.end = 0;
      at = g.upper;
      b.gaps.push_back(g);
    }
  }

  /// Refuses what would not fit into memory.
  void count_pairs() {
    enum { ends, gap, begins };
    std::vector<std::pair<std::int64_t, int>> changes;
    for (const Buffer& b : table_.buffers) {
      if (b.lower == b.upper) continue;
      changes.push_back({b.lower, begins}), changes.push_back({b.upper, ends});
      for (const Gap& g : b.gaps) changes.push_back({g.lower, gap}), changes.push_back({g.upper, gap});
    }
    std::sort(changes.begin(), changes.end());
    std::int64_t live = 0, pairs = 0;
    for (const auto& [step, what] : changes) {
      if (what != ends) pairs += live;
      live += what == begins ? 1 : what == ends ? -1 : 0;
    }
    if (pairs > kMostPairs)
      d_.error({file_, 0, 0},
               fmt::format("{} pairs of buffers are alive together (those of gaps included): more than {}", pairs,
                           kMostPairs)),
          ++errors_;
  }

  std::string_view rest_;
  const std::string& file_;
  Diagnostics& d_;
  Table table_;
  std::unordered_map<std::string, int> lines_;  // of each id
  std::array<int, columns> at_{-1, -1, -1, -1, -1, -1, -1};
  int line_ = 0, width_ = 0, errors_ = 0;
  std::int64_t inclusive_ = 0, total_ = 0;
};

}  // namespace

std::optional<Table> read_csv(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  return Reader(text, file, diagnostics).read();
}

}  // namespace dse::plan::alloc
