// Everything that must hold for one point of a front: what was simulated, what is computed and what is shipped are the
// same.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explore/explore.h"

namespace dse::verify {

/// What one point is held to, and where its files may go.
struct PointJob {
  const explore::Case* c = nullptr;
  const explore::Point* point = nullptr;
  std::string out;       // the sweep's output folder
  std::string scratch;   // a folder of its own for the exported package; removed afterwards
  bool compile = false;  // also as plain C99, as a user would
};

/// @returns one line per broken promise; empty = all hold.
std::vector<std::string> check_point(const PointJob& job);

}  // namespace dse::verify
