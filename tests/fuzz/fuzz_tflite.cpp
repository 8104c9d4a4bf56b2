// Any bytes as a TensorFlow Lite model: refused with a diagnostic or imported and run, never a crash; and what can be
// written again is the same network.
#include <cstdlib>

#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"
#include "run_small.h"

namespace {

using dse::nn::NetworkPtr;

NetworkPtr read(const std::vector<std::uint8_t>& bytes, const dse::nn::LoadOptions& options) {
  dse::Diagnostics diags;
  const auto network = dse::nn::import_tflite(bytes, "fuzz.tflite", diags, options);
  if ((network == nullptr) != diags.has_errors()) std::abort();
  return network;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes{data, data + size};
  dse::nn::LoadOptions as_float, anything;
  as_float.allow_float = true;
  anything.allow_float = anything.keep_unsupported = true;
  const auto inspected = read(bytes, anything);
  const auto network = read(bytes, as_float);
  if (!network) return 0;
  if (!inspected || inspected->structure_hash() != network->structure_hash()) std::abort();
  dse::nn::run_small(*network);
  if (size > 100'000) return 0;
  dse::Diagnostics diags;
  const auto written = dse::nn::write_tflite(*network, diags);
  if (written.empty() != diags.has_errors()) std::abort();
  if (written.empty()) return 0;
  const auto again = read(written, as_float);
  if (!again || again->structure_hash() != network->structure_hash()) std::abort();
  return 0;
}
