// results.json read back: fronts, and points as far as comparisons and the console need them.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::reports {

/// What is recorded is damaged, lacks what is asked of it, or does not add up. The message names the side.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A front as results.json has it, its points without their accounts, memories and buffers. A latency of 0: it was not
/// timed. `complete` says that of all points.
struct RecordedFront {
  explore::Front front;
  nlohmann::json document;  // as it stands
};

struct RecordedRun {
  explore::Provenance provenance;
  std::vector<RecordedFront> fronts;
};

/// A point of a run, with the front that it belongs to. Its engines, windows and trace are not read.
struct RecordedPoint {
  std::string label;  // as the user named it
  explore::Front front;
  explore::Point point;
  std::set<std::string> missing;  // fields that an older version did not write
};

/// @throws RecordError, as do all that follow.
RecordedRun read_results(const std::string& text);
explore::Front read_front(const nlohmann::json& front);
RecordedPoint read_point(const std::string& label, const nlohmann::json& front, const nlohmann::json& point);

}  // namespace dse::reports
