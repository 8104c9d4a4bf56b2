// Any bytes as a TensorFlow Lite model: refused with a diagnostic or imported and run, never a crash.
#include <cstdlib>

#include "models/nn/import.h"
#include "run_small.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dse::Diagnostics diags;
  const auto network = dse::nn::import_tflite({data, data + size}, "fuzz.tflite", diags);
  if ((network == nullptr) != diags.has_errors()) std::abort();
  if (network) dse::nn::run_small(*network);
  return 0;
}
