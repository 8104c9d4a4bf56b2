// Any text as a network in the project's own format: refused with a diagnostic or built and run, never a crash.
#include <cstdlib>
#include <string>

#include "models/nn/import.h"
#include "run_small.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dse::Diagnostics diags;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto network = dse::nn::import_yaml(text, "fuzz.yaml", diags);
  if ((network == nullptr) != diags.has_errors()) std::abort();
  if (network) dse::nn::run_small(*network);
  return 0;
}
