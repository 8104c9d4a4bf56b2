// The two things that `dse diff` compares: runs, points of runs, plans, packages.
#pragma once
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/run/run_folder.h"
#include "plan/plan.h"
#include "reports/diff/point_diff.h"

namespace dse::cli {

struct DiffOptions {
  std::string a, b;             // FOLDER, FOLDER#POINT, plan file or package
  std::string point;            // of both; empty = not given
  std::string network, device;  // narrow runs; what plans and packages are simulated with
};

/// One side as far as it can be told without the other.
struct Opened {
  enum class Kind { run, plan, package } kind = Kind::run;
  std::string given;         // as typed, for messages
  std::string path;          // without #POINT
  std::string point;         // of a run; empty = none named
  reports::RecordedRun run;  // narrowed to the fronts that were asked for
  nlohmann::json manifest;   // package, its files' hashes checked
  bool whole() const { return kind == Kind::run && point.empty(); }
};

/// Finds out what `given` is and reads it. Nothing after diagnostics.
std::optional<Opened> open_side(const std::string& given, const DiffOptions& options, Diagnostics& diagnostics);

/// The point of a side, measured: of a run as stored (`knee` unless one is named), of a package from its account, else
/// simulated. `other` tells the network and device where several fit or none is named. Nothing after diagnostics.
/// @throws RecordError when what is stored is damaged.
std::optional<reports::RecordedPoint> measured(const Opened& side, const Opened& other, const DiffOptions& options,
                                               Diagnostics& diagnostics);

/// The knee of one front of a run.
std::optional<reports::RecordedPoint> knee_of(const Opened& run, const reports::RecordedFront& front,
                                              Diagnostics& diagnostics);

/// A plan with its case, simulated with real bytes.
std::optional<reports::RecordedPoint> simulated(const std::string& label, const explore::Case& c,
                                                const plan::Plan& plan, Diagnostics& diagnostics);

}  // namespace dse::cli
