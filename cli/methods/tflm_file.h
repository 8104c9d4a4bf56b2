// A TensorFlow Lite file whose arena is planned for TensorFlow Lite Micro, written and proven.
#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "methods/tflm/head.h"
#include "models/nn/network.h"

namespace dse::cli {

struct TflmFile {
  nn::Network network;  // as that runtime's planner sees it
  plan::TflmHead head;
  bool moved = false;        // operators run in another order than in the file
  std::string not_compared;  // why outputs of both files were not compared; empty: they are equal
};

/// Writes `out`: the network of `file` with the order and the offsets that need the least head. Its plan is validated
/// as written, and its outputs are compared with those of `file`. Nothing after diagnostics.
/// @throws InvariantError when what was written is wrong.
std::optional<TflmFile> write_tflm_file(const std::string& file, const std::string& out, plan::OrderRule rule,
                                        Diagnostics& diagnostics);

}  // namespace dse::cli
