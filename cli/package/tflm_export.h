// dse export --tflm: the network of a run for a runtime that people already have.
#pragma once
#include <string>

#include "base/diagnostics.h"
#include "explore/measure/results.h"

namespace dse::cli {

/// Writes the TensorFlow Lite file of a front with its arena planned (cli/methods/tflm_file.h), and beside it `out`.md,
/// which says what arena it needs. False after diagnostics, as for a network that is no TensorFlow Lite file.
bool export_tflm(const std::string& run, const explore::Front& front, const std::string& out, Diagnostics& diagnostics);

}  // namespace dse::cli
