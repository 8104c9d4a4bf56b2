// Tables of comma-separated values (RFC 4180): cells may be in double quotes, and then have commas, line ends and
// doubled quotes in them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace dse {

struct CsvTable {
  struct Row {
    std::vector<std::string> cells;  // as many as there are columns
    int line = 0;                    // that it begins in, from 1
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;

  /// Index of a column, -1 where there is none.
  int column(std::string_view name) const;
};

/// The first line names the columns, each once. Empty lines are skipped. Errors: a quote that does not end or stands
/// within a cell, another number of cells than columns, a column twice, nothing at all; the first 20 of them.
/// @returns nothing after an error.
std::optional<CsvTable> parse_csv(std::string_view text, const std::string& file, Diagnostics& diagnostics);

}  // namespace dse
