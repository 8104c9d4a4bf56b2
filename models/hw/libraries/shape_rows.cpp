#include "models/hw/libraries/shape_rows.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "base/csv.h"
#include "base/suggest.h"
#include "base/yaml/yaml_node.h"
#include "models/hw/libraries/shape_table.h"

namespace dse::hw {
namespace {

constexpr std::size_t kMostErrors = 20;
const std::vector<std::string> kColumns = {"operator",   "out_h",    "out_w",    "out_c",    "in_c",
                                           "kernel_h",   "kernel_w", "stride_h", "stride_w", "dilation_h",
                                           "dilation_w", "type",     "cycles",   "source"};

struct Written {
  ShapeCycles row;
  CallShape shape;
  int line;
};

class Reader {
 public:
  Reader(const CsvTable& table, const std::string& file, Diagnostics& diagnostics)
      : table_(table), file_(file), diagnostics_(diagnostics) {}

  std::optional<std::vector<ShapeCycles>> rows() {
    check_columns();
    if (table_.rows.empty()) error(1, "has no row");
    if (table_.rows.size() > kMostShapes)
      error(table_.rows[kMostShapes].line,
            "is beyond the " + std::to_string(kMostShapes) + " rows that a table may have");
    if (errors_ > 0) return std::nullopt;
    for (const auto& row : table_.rows) {
      row_ = &row;
      if (errors_ < kMostErrors) add();
    }
    if (errors_ == 0) check_order();
    if (errors_ > 0) return std::nullopt;
    std::vector<ShapeCycles> out;
    for (const auto& w : written_)
      if (out.empty() || out.back() != w.row) out.push_back(w.row);
    return out;
  }

 private:
  void error(int line, const std::string& what, const std::string& hint = {}) {
    if (errors_++ < kMostErrors) diagnostics_.error({file_, line, 0}, what, hint);
  }

  void check_columns() {
    for (const auto& c : table_.columns)
      if (std::find(kColumns.begin(), kColumns.end(), c) == kColumns.end()) {
        const auto guess = nearest(c, kColumns);
        error(1, "has a column " + quote(c) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
              "columns are " + join_or(kColumns));
      }
    for (const char* c : {"operator", "out_c", "cycles"})
      if (table_.column(c) < 0) error(1, std::string("has no column ") + c);
  }

  /// Empty where the table has no such column.
  std::string cell(const char* column) const {
    const int c = table_.column(column);
    return c < 0 ? "" : row_->cells[static_cast<std::size_t>(c)];
  }

  /// `usual` where the cell is empty; 0: it may not be.
  std::int64_t number(const char* column, std::int64_t usual, std::int64_t most = kMostExtent) {
    const auto text = cell(column);
    if (text.empty() && usual > 0) return usual;
    std::int64_t value = 0;
    const auto end = text.data() + text.size();
    const auto [at, why] = std::from_chars(text.data(), end, value);
    if (why == std::errc() && at == end && value >= 1 && value <= most) return value;
    if (text.empty())
      error(row_->line, cell("operator") + " needs " + column);
    else
      error(row_->line,
            std::string(column) + ": " + quote(text) + " is no whole number from 1 to " + std::to_string(most));
    return 1;
  }

  /// A cell that says again what the operator has anyway.
  void expect(const char* column, std::int64_t value, const char* what) {
    if (const auto text = cell(column); !text.empty() && text != std::to_string(value))
      error(row_->line, std::string(column) + ": " + quote(text) + " is not " + std::to_string(value) + ", " + what);
  }

  void add() {
    const auto before = errors_;
    ShapeCycles r;
    r.op = cell("operator");
    const auto* o = table_operator(r.op);
    if (!o) return unknown(r.op);
    const std::int64_t image = o->windowed ? 0 : 1;  // an operator without a window may be of one pixel
    r.rows = number("out_h", image), r.columns = number("out_w", image), r.channels = number("out_c", 0);
    if (o->sums)
      r.depth = number("in_c", 0);
    else
      expect("in_c", r.channels, "its out_c");
    if (o->windowed) {
      r.kernel_h = number("kernel_h", 0), r.kernel_w = number("kernel_w", 0);
      r.stride_h = number("stride_h", 0), r.stride_w = number("stride_w", 0);
      r.dilation_h = number("dilation_h", 1), r.dilation_w = number("dilation_w", 1);
    } else {
      for (const char* c : {"kernel_h", "kernel_w", "stride_h", "stride_w", "dilation_h", "dilation_w"})
        expect(c, 1, "as of an operator without a window");
    }
    const auto type = cell("type");
    r.wide = type == "int16";
    if (!type.empty() && type != "int8" && !r.wide) error(row_->line, "type: " + quote(type) + " is not int8 or int16");
    r.cycles = number("cycles", 0, kMostShapeCycles);
    if (errors_ == before) written_.push_back({r, shape_of(r), row_->line});
  }

  void unknown(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& o : table_operators()) names.push_back(o.name);
    const auto guess = nearest(name, names);
    error(row_->line, "has an operator " + quote(name) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
          "tables have " + join_or(names));
  }

  /// Sorts the rows, and looks for those that are larger and yet cheaper than others.
  void check_order() {
    std::stable_sort(written_.begin(), written_.end(), [](const Written& a, const Written& b) {
      const auto key = [](const Written& w) {
        const auto& r = w.row;
        return std::tie(w.shape.kind, w.shape.wide, w.shape.window, r.cycles, r.rows, r.columns, r.channels, r.depth);
      };
      return key(a) < key(b);
    });
    for (std::size_t first = 0; first < written_.size();) {
      std::size_t end = first;
      while (end < written_.size() && written_[end].shape.same_kind(written_[first].shape)) ++end;
      for (auto dear = first; dear < end; ++dear)
        for (auto cheap = first; cheap < dear && errors_ < kMostErrors; ++cheap)
          if (written_[cheap].row.cycles < written_[dear].row.cycles &&
              written_[cheap].shape.covers(written_[dear].shape))
            cheaper(written_[cheap], written_[dear]);
      first = end;
    }
  }

  void cheaper(const Written& cheap, const Written& dear) {
    const bool equal = cheap.shape.extents == dear.shape.extents;
    const auto& later = equal && dear.line > cheap.line ? dear : cheap;
    const auto& other = &later == &dear ? cheap : dear;
    error(later.line,
          words_of(later.row) + " takes " + std::to_string(later.row.cycles) + " cycles, but line " +
              std::to_string(other.line) + " gives " +
              (equal ? "it " : words_of(other.row) + ", which is no larger, ") + std::to_string(other.row.cycles),
          "a call takes what the cheapest row takes that is as large: give the smaller shape no more cycles than the "
          "larger");
  }

  const CsvTable& table_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  const CsvTable::Row* row_ = nullptr;
  std::vector<Written> written_;
  std::size_t errors_ = 0;
};

}  // namespace

std::optional<std::vector<ShapeCycles>> read_shape_rows(std::string_view text, const std::string& file,
                                                        Diagnostics& diagnostics) {
  const auto table = parse_csv(text, file, diagnostics);
  return table ? Reader(*table, file, diagnostics).rows() : std::nullopt;
}

std::string shape_file(const std::string& device_file, const std::string& name) {
  return (std::filesystem::path(device_file).parent_path() / name).string();
}

std::vector<ShapeCycles> load_shape_rows(const std::string& device_file, const std::string& name, const Location& where,
                                         const std::string& path, Diagnostics& diagnostics) {
  const auto file = shape_file(device_file, name);
  std::error_code error;
  if (name.find_first_of("/\\") != std::string::npos || name == "." || name == "..") {
    diagnostics.error(where, path + ": " + quote(name) + " is no plain name of a file",
                      "the table lies in the device file's own folder, so that both travel together");
  } else if (!std::filesystem::is_regular_file(file, error)) {
    diagnostics.error(where, path + ": there is no file " + quote(file));
  } else if (const auto text = yaml::load(file, diagnostics)) {
    if (auto rows = read_shape_rows(*text, file, diagnostics)) return std::move(*rows);
  }
  return {};
}

}  // namespace dse::hw
