// Numbers in the text of a device file: found by path, replaced where they stand.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/yaml/yaml_node.h"

namespace dse::explore {

/// A number of a device file, as "1.2" or "300 cycles".
struct DeviceNumber {
  std::string path;  // "engines.core.cycles_per_mac.conv"
  double value = 0;
  std::string unit;      // what follows the number, with its space: " cycles"
  bool whole = false;    // cycles: no fractions
  bool divides = false;  // time falls as it grows: a rate per cycle or a share of one
  double most = 1000;    // of a rate
  int line = 0, column = 0, length = 0;

  /// The number with this value, as a file has it.
  std::string text(double v) const;
};

/// What a fit may change: a number, or all numbers of a table by one factor.
struct DeviceConstant {
  std::string path;  // of the number or the table
  bool factor = false;
  std::optional<double> start;  // where a fit starts, if not at what the file has
  std::vector<DeviceNumber> numbers;

  bool divides() const { return numbers.front().divides; }
  double value() const { return factor ? 1 : numbers.front().value; }
  double first() const { return start.value_or(value()); }
  std::string text(double v) const;
};

/// The constants at these paths, each of which may have `=NUMBER` behind it: where a fit starts. Errors: no such field,
/// or no plain number and no table of them there.
std::optional<std::vector<DeviceConstant>> find_constants(const std::string& text, const std::string& file,
                                                          const std::vector<std::string>& paths,
                                                          Diagnostics& diagnostics);

/// Paths of all numbers in the table of the engine called so that its library is timed by: cycles_per_count,
/// cycles_per_mac or efficiency.
std::vector<std::string> rates_of(const std::string& text, const std::string& file, const std::string& engine);

/// The text with new values of these constants; all else stays, comments too.
std::string with_constants(const std::string& text, const std::vector<DeviceConstant>& constants,
                           const std::vector<double>& values);

/// The same with `timing_error` at this value, to a thousandth: replaced, or in a line of its own at the end.
std::string with_timing_error(const std::string& text, const std::string& file, double error);

}  // namespace dse::explore
