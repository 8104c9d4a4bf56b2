// Runs a sweep: enumerates each layer's schedules, composes them exactly, simulates whole plans, returns the fronts.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "explore/question/sweep.h"
#include "explore/results.h"
#include "explore/study/study.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"
#include "plan/plan.h"

namespace dse::explore {

struct Progress {
  std::string what;                  // "resnet8 on gap8-class/l1=64KiB"
  std::int64_t done = 0, total = 0;  // work items of this (network, device)
  std::int64_t simulated = 0, discarded = 0;
  int front = 0;
  double gap = -1;  // how far the front is proven to be from the best there is, at most; below 0: not known yet
  double seconds = 0, eta_seconds = -1;
};

struct ExploreOptions {
  int jobs = 1;
  std::string out;                                // output folder: plans/ and the study go there
  std::function<void(const Progress&)> progress;  // called from the parent only; may be empty
  const std::atomic<bool>* interrupted = nullptr;
  StudyInfo info;                                  // of this run, for the study
  const plan::ChoiceRegistry* registry = nullptr;  // nullptr: the standard one
  double hang_seconds = 60;                        // a simulation without an end after so long costs its candidate
  /// Called in a worker before each simulation, with the assignment: for tests that make workers fail.
  std::function<void(const std::string&)> before_candidate;
  bool verify = true;  // front and marked points run with real bytes, compared with the interpreter
};

/// One (network, device point) of a sweep, resolved.
struct Case {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::string device_label;  // "gap8-class/l1=64KiB"
  /// Axes of this device point, path -> value as written: {"memories.l1.size", "64 KiB"}.
  std::vector<std::pair<std::string, std::string>> axes = {};
  /// Decisions about the network that every plan of the case keeps, the user's own excepted.
  plan::NetworkChoice whole = {};
  /// What the network is called in this sweep, "model#2", where another file's has its name; empty: as it calls itself.
  std::string network_label = {};
  /// Its file, where the name alone would not tell which is meant.
  std::string network_file = {};
  /// Called with every program that a whole plan of this case is lowered to, before it is checked and run: for tests
  /// that make candidates wrong.
  std::function<void(const plan::Plan&, program::Program&)> lowered = {};
  const std::string& network_name() const { return network_label.empty() ? network->name : network_label; }
};

/// The program of a plan of this case.
program::Program lower(const Case& c, const plan::Plan& plan);

/// The complete assignment of a plan of this case: the layers' choices, those of the network, and the axes of the
/// device point as "device.memories.l1.size".
plan::Assignment assignment_of(const Case& c, const plan::Plan& plan);

/// The decisions about the whole network that a sweep's `choices:` fix: `network.input`, to one value.
plan::NetworkChoice whole_of(const SweepSpec& spec);

/// How the networks of a sweep are read: shapes, cut. What is wrong with them goes to `diags`.
nn::LoadOptions load_options(const SweepSpec& spec, Diagnostics& diags);

/// Loads networks and devices and multiplies out the axes, in file order. Every problem goes to `diags`; empty on
/// error.
std::vector<Case> resolve(const SweepSpec& spec, Diagnostics& diags);

/// Explores everything. Deterministic for given inputs, seed and budget, whatever `jobs`. Writes plans to
/// out/plans/<id>.yaml. An interrupted run returns what it has (Front::complete = false).
Sweep explore(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options, Diagnostics& diags);

/// Simulates one plan with all accounts (and real bytes with `verify`), as the exploration does.
Point simulate_point(const Case& c, const plan::Plan& plan, bool verify, bool trace);

}  // namespace dse::explore
