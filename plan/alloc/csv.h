// Buffers as MiniMalloc's CSV files have them.
#pragma once
#include <optional>
#include <string_view>

#include "base/diagnostics.h"
#include "plan/alloc/problem.h"

namespace dse::plan::alloc {

/// A problem as read: `lines[i]` is where buffer i stands, from 1.
struct Table {
  std::vector<Buffer> buffers;
  std::vector<int> lines;
};

/// The first line names the columns, in any order:
///   id | buffer | buffer_id   any text without comma
///   lower | start | begin     first step
///   upper                     first step after the life; or `end`, the last step of it
///   size                      bytes
///   alignment                 optional; empty = 1
///   gaps                      optional: `7-9 12-14@2:8`, steps in which the buffer is not needed, or only its bytes 2
///                             to 7. The second step counts as the column of ends does
///   offset                    optional: where it must lie; empty = anywhere
/// Numbers are whole, from 0 to 2^56. At most 100,000 buffers and ten million pairs that are alive together. Lines end
/// with LF or CRLF; empty ones are skipped. @returns nothing when `diagnostics` got an error.
std::optional<Table> read_csv(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// The same buffers with these offsets, in columns id, lower, upper, size, alignment and gaps where any buffer has
/// them, offset.
std::string write_csv(const std::vector<Buffer>& buffers, const std::vector<std::int64_t>& offsets);

}  // namespace dse::plan::alloc
