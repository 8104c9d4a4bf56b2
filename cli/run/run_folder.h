// The folder of a run: results, plans, and a copy of every input, so that it can be explained and exported on its own.
//
//   sweep.yaml            what was run; refers to inputs/
//   inputs/networks|devices|plans/...   the files as they were; a device's tables beside it
//   plans/<id>.yaml       every reported point's plan
//   front.csv, report.html, results.json (written last: it makes the run finished)
//   study.sqlite          every candidate, for resuming and for looking at (docs/run/study.md)
//   unfinished/           sweep.yaml and inputs/ of a run that has not ended
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/point_options.h"
#include "explore/explore.h"
#include "plan/plan.h"
#include "reports/run/recorded.h"

namespace dse::cli {

/// What a run reads, as bytes: taken before it starts, stored when it ends.
struct Inputs {
  std::string sweep;                                  // text of sweep.yaml
  std::map<std::string, std::string> files;           // path within the folder -> content
  std::map<std::string, std::string> hashes() const;  // the same paths and sweep.yaml -> SHA-256
};

/// Reads every file that a sweep refers to. Nothing after diagnostics.
std::optional<Inputs> take_inputs(const explore::SweepSpec& spec, Diagnostics& diagnostics);

/// Notes in `folder`/unfinished what is about to be run, so that `dse run --resume -o folder` can go on with it.
/// @throws std::runtime_error when a file cannot be written.
void begin_run(const std::string& folder, const Inputs& inputs);

/// The sweep file of what `folder` holds: of the run that has not ended yet, else of the finished one. Nothing if there
/// is none.
std::optional<std::string> sweep_to_resume(const std::string& folder);

/// Stores a finished run in `folder`; plans are there already. Plans of earlier runs that nothing refers to are
/// removed.
/// @throws std::runtime_error when a file cannot be written.
void store_run(const std::string& folder, const Inputs& inputs, const explore::Sweep& sweep);

/// Writes infeasible.json, in the format of results.json: why there is no plan. The next run removes it.
void store_why_none(const std::string& folder, const explore::Sweep& sweep);

/// Whether `folder` holds results.
bool holds_run(const std::string& folder);
/// Whether these are of a run that went to its end.
bool holds_whole_run(const std::string& folder);

/// results.json of a run, after a check that nothing it depends on has changed since. Nothing after diagnostics.
std::optional<reports::RecordedRun> open_run(const std::string& folder, Diagnostics& diagnostics);

/// A point of a run by its id, its row in front.csv (from 1), a mark (knee, smallest, fastest) or an origin
/// (rule-based, ...).
struct Chosen {
  reports::RecordedPoint recorded;
  nlohmann::json front, document;  // of the front and of the point, as results.json has them
};
/// `network` and `device` narrow the choice where the name fits several points; empty = any.
std::optional<Chosen> choose_point(const reports::RecordedRun& run, const std::string& name, const std::string& network,
                                   const std::string& device, Diagnostics& diagnostics);

/// What a run was asked, with the paths of its own copies. Nothing after diagnostics.
std::optional<explore::SweepSpec> sweep_of(const std::string& folder, Diagnostics& diagnostics);

/// The network and device of a front, rebuilt from the run's own copies.
std::optional<explore::Case> rebuild_case(const std::string& folder, const explore::Front& front,
                                          Diagnostics& diagnostics);

/// A point that was asked for, and what it is a point of.
struct PointOfCase {
  Chosen chosen;
  explore::Case c;
};
std::optional<PointOfCase> open_point(const PointOptions& options, Diagnostics& diagnostics);

/// The plan of a point. An error: it is another one than when the run ended.
std::optional<plan::Plan> plan_of(const std::string& folder, const Chosen& chosen, const explore::Case& c,
                                  Diagnostics& diagnostics);

/// What a simulation of a point says now otherwise than when the run was made, after "point P of DIR"; empty: nothing.
std::string differs_from_run(const Chosen& chosen, const explore::Point& now);

}  // namespace dse::cli
