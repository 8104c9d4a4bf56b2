// Constants of a device file from measured cycles: what a team with a board in hand makes of a device on paper.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "explore/calibrate/device_text.h"
#include "explore/calibrate/measured.h"

namespace dse::explore {

struct CalibratedConstant {
  DeviceNumber number;  // as it was
  double after = 0;
  double deviation = 0;  // standard, in parts of `after`; 0 where no row tells the constant or it is 0
  bool told = false;
};

struct CalibratedRow {
  std::string label;
  double measured = 0, before = 0, after = 0;  // cycles
  double left_out = 0;  // (predicted - measured) / measured, with constants from the other networks' rows
};

struct Calibration {
  std::vector<CalibratedConstant> constants;
  std::vector<CalibratedRow> rows;
  /// Root of the mean square of what rows are off when their network is left out; -1 where there is but one network.
  double error = -1;
  std::string text;  // the device file with the new constants, and `timing_error` where there are several networks
};

/// Fits the numbers at `paths` (none: the rates of the engine that computes) to the rows: non-negative least squares of
/// the errors in parts of what was measured, with rows that the simulator predicts. A CPU runs every network
/// as TensorFlow Lite for Microcontrollers does, layer by layer; other engines by rule, with resident weights.
///
/// Errors: more constants than a third of the rows, since a fit that can meet every row predicts none; a device that
/// cannot run a network.
std::optional<Calibration> calibrate(const std::string& text, const std::string& file,
                                     const std::vector<MeasuredRow>& rows, std::vector<std::string> paths,
                                     Diagnostics& diagnostics);

}  // namespace dse::explore
