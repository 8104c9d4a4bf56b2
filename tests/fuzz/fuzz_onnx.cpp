// Any bytes as an ONNX model: refused with a diagnostic or imported, rewritten and run, never a crash.
#include <cstdlib>

#include "models/nn/import.h"
#include "models/nn/passes/passes.h"
#include "run_small.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dse::nn;
  LoadOptions options;
  options.allow_float = true;
  dse::Diagnostics diags;
  const auto network = import_onnx({data, data + size}, "fuzz.onnx", diags, options);
  if ((network == nullptr) != diags.has_errors()) std::abort();
  options.keep_unsupported = true;
  dse::Diagnostics kept;
  const auto shown = import_onnx({data, data + size}, "fuzz.onnx", kept, options);
  if ((shown == nullptr) != kept.has_errors() || (network && !shown)) std::abort();
  if (!network) return 0;
  run_small(*network);
  std::int64_t elements = 0;
  for (const auto& t : network->tensors) elements += t.elements();
  if (elements > 1'000'000) return 0;  // fills are expanded by the rewrites
  // What was accepted stays acceptable when it is rewritten.
  dse::Diagnostics rewritten;
  const auto last = finish_network(to_channels_last(fuse_activations(remove_identities(fold_batch_norm(*network)))),
                                   rewritten, "fuzz.onnx", options);
  if (!last) std::abort();
  return 0;
}
