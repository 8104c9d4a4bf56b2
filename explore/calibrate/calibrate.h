// Constants of a device file from measured cycles: what a team with a board in hand makes of a device on paper.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/yaml.h"
#include "explore/calibrate/device_text.h"
#include "explore/calibrate/measured.h"
#include "plan/rules/cluster_plan.h"

namespace dse::explore {

/// A device file and what was measured on such a device.
struct CalibrationBoard {
  std::string text, file;
  std::vector<MeasuredRow> rows;
  yaml::Overrides set{};                       // other values of fields that are not fitted: how the board was set up
  bool counts = true;                          // else its rows are predicted and nothing is fitted to them
  plan::Buffers buffers = plan::Buffers::two;  // of plans for clusters
};

struct CalibratedConstant {
  DeviceConstant constant;  // as it was, in the board's file
  int board = -1;           // whose it is; -1: of all
  double after = 0;
  double deviation = 0;  // standard, in parts of `after`; 0 where no row tells the constant or it is 0
  bool told = false;
};

struct CalibratedRow {
  std::string label, about;
  std::size_t board = 0;
  bool whole = true;                           // a whole network; else one operator
  double measured = 0, before = 0, after = 0;  // cycles
  double left_out = 0;  // (predicted - measured) / measured, with constants from the other networks' rows
  double predicted() const { return measured * (1 + left_out); }
};

struct Calibration {
  std::vector<CalibratedConstant> constants;
  std::vector<CalibratedRow> rows;  // of the first board, then of the second, ...
  /// Root of the mean square of what rows are off when their network is left out; -1 where there is but one network.
  double error = -1;
  /// The device files with the new constants, and each with `timing_error` of its own rows where there are several
  /// networks.
  std::vector<std::string> texts;
};

/// What is fitted: fields of the device files, the same for all boards or of each board its own.
struct FittedPaths {
  std::vector<std::string> shared, each;
};

/// Fits the constants at `paths` (none: the rates of the engine that computes) to the rows:
/// non-negative least squares of the errors in parts of what was measured, with rows that the simulator predicts. A
/// table among them is fitted by one factor, to what stands in each board's file. A CPU runs every network as
/// TensorFlow Lite for Microcontrollers does, layer by layer; other engines by rule, with resident weights.
///
/// Errors: more constants than a third of the rows, since a fit that can meet every row predicts none; a device that
/// cannot run a network.
std::optional<Calibration> calibrate(const std::vector<CalibrationBoard>& boards, FittedPaths paths,
                                     Diagnostics& diagnostics);

/// The rows with the constants as they are: nothing is fitted, and `left_out` is their error.
std::optional<Calibration> predict(const std::vector<CalibrationBoard>& boards, Diagnostics& diagnostics);

}  // namespace dse::explore
