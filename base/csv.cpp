#include "base/csv.h"

#include <algorithm>
#include <set>

#include "base/suggest.h"

namespace dse {
namespace {

constexpr std::size_t kMostErrors = 20;

class Parser {
 public:
  Parser(std::string_view text, const std::string& file, Diagnostics& diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}

  std::optional<CsvTable> table() {
    CsvTable out;
    while (at_ < text_.size() && errors_ < kMostErrors) {
      CsvTable::Row row{{}, line_};
      if (!read_row(row.cells)) continue;
      if (row.cells.size() == 1 && row.cells[0].empty()) continue;
      if (out.columns.empty())
        name(out, row);
      else if (row.cells.size() != out.columns.size())
        error(row.line, "has " + std::to_string(row.cells.size()) + " cells, but there are " +
                            std::to_string(out.columns.size()) + " columns");
      else
        out.rows.push_back(std::move(row));
    }
    if (out.columns.empty() && errors_ == 0) error(1, "has no line that names its columns");
    if (errors_ > 0) return std::nullopt;
    return out;
  }

 private:
  void error(int line, const std::string& what) {
    diagnostics_.error({file_, line, 0}, what);
    ++errors_;
  }

  void name(CsvTable& out, const CsvTable::Row& row) {
    std::set<std::string> seen;
    for (const auto& c : row.cells)
      if (!seen.insert(c).second) error(row.line, "names the column " + quote(c) + " twice");
    out.columns = row.cells;
  }

  /// One row, up to behind its line end. @returns false after an error.
  bool read_row(std::vector<std::string>& cells) {
    const int first = line_;
    bool right = true;
    for (;;) {
      cells.emplace_back();
      right = read_cell(cells.back()) && right;
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      break;
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_, ++line_;
    if (!right) error(first, "has a quote that does not stand at both ends of its cell");
    return right;
  }

  bool at_end() const {
    return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' ||
           (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }

  bool read_cell(std::string& cell) {
    bool right = true, closed = true;
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_, closed = false; at_ < text_.size(); ++at_) {
        if (text_[at_] == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          ++at_;
        } else if (text_[at_] == '"') {
          ++at_, closed = true;
          break;
        }
        line_ += text_[at_] == '\n';
        cell += text_[at_];
      }
      right = closed && at_end();
    }
    for (; !at_end(); ++at_) {
      right = right && text_[at_] != '"';
      cell += text_[at_];
    }
    return right;
  }

  std::string_view text_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0, errors_ = 0;
  int line_ = 1;
};

}  // namespace

int CsvTable::column(std::string_view name) const {
  const auto it = std::find(columns.begin(), columns.end(), name);
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

std::optional<CsvTable> parse_csv(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  return Parser(text, file, diagnostics).table();
}

}  // namespace dse
