// Reads the table of an engine that is timed by shape (docs/run/table_engines.md).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "models/hw/device.h"

namespace dse::hw {

constexpr std::size_t kMostShapes = 10000;                 // rows of a table
constexpr std::int64_t kMostExtent = 65536;                // of any number in it but cycles
constexpr std::int64_t kMostShapeCycles = 10'000'000'000;  // of one call

/// Comma-separated values (RFC 4180) with the columns operator, out_h, out_w, out_c, in_c, kernel_h, kernel_w,
/// stride_h, stride_w, dilation_h, dilation_w, type (int8, int16), cycles, and source, which is for readers. Errors,
/// with file and line: a column or a value that is missing or none, an unknown operator, two rows of one shape with
/// other cycles, a row with less cycles than one that it covers; the first 20 of them.
/// @returns rows in an order that does not depend on the file's, of one operator the cheapest first; rows that say the
/// same once. Nothing after an error.
std::optional<std::vector<ShapeCycles>> read_shape_rows(std::string_view text, const std::string& file,
                                                        Diagnostics& diagnostics);

/// Where the table called so lies: beside the device file.
std::string shape_file(const std::string& device_file, const std::string& name);

/// The rows of the table called `name` beside the device file. Errors: none can be read, or `name` is a path; said of
/// `where`.
std::vector<ShapeCycles> load_shape_rows(const std::string& device_file, const std::string& name, const Location& where,
                                         const std::string& path, Diagnostics& diagnostics);

}  // namespace dse::hw
