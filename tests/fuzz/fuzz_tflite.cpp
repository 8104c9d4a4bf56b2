// Any bytes as a TensorFlow Lite model: refused with a diagnostic or imported and run, never a crash; and what can be
// written again is the same network.
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "models/nn/import.h"
#include "models/nn/tflite/offline_plan.h"
#include "models/nn/tflite/write_tflite.h"
#include "run_small.h"

namespace {

using dse::nn::NetworkPtr;

/// Says what it was about: an input that fails where nobody keeps files is found again by it.
[[noreturn]] void fail(const char* what, const dse::Diagnostics& diags, const NetworkPtr& network = nullptr) {
  std::fprintf(stderr, "%s\n%s\n", what, diags.text().c_str());
  if (network)
    for (const auto& op : network->operators) std::fprintf(stderr, "%s: %s\n", op.name.c_str(), op.type.c_str());
  std::abort();
}

NetworkPtr read(const std::vector<std::uint8_t>& bytes, const dse::nn::LoadOptions& options) {
  dse::Diagnostics diags;
  const auto network = dse::nn::import_tflite(bytes, "fuzz.tflite", diags, options);
  if ((network == nullptr) != diags.has_errors()) fail("refused without an error, or read with one", diags);
  return network;
}

/// What is read for TensorFlow Lite Micro can be written with a plan, and is the same graph then.
void plan_arena(const std::vector<std::uint8_t>& bytes) {
  dse::Diagnostics diags;
  const auto graph = dse::nn::read_tflm_graph(bytes, "fuzz.tflite", diags);
  if (graph.has_value() == diags.has_errors()) fail("refused without an error, or read with one", diags);
  if (!graph || bytes.size() > 100'000) return;
  std::vector<int> order(graph->operators.size());
  std::iota(order.rbegin(), order.rend(), 0);
  const std::vector<std::int64_t> offsets(graph->tensors.size(), 32);
  const auto written = dse::nn::with_offline_plan(bytes, order, offsets);
  if (!written) return;  // tables in each other
  const auto again = dse::nn::read_tflm_graph(*written, "written.tflite", diags);
  if (!again || again->operators.size() != order.size() || dse::nn::offline_plan_of(*written) != offsets)
    fail("another graph when it is written with a plan", diags);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (again->operators[i].outputs != graph->operators[order.size() - 1 - i].outputs) fail("another order", diags);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes{data, data + size};
  plan_arena(bytes);
  dse::nn::LoadOptions as_float, anything;
  as_float.allow_float = true;
  anything.allow_float = anything.keep_unsupported = true;
  const auto inspected = read(bytes, anything);
  const auto network = read(bytes, as_float);
  if (!network) return 0;
  if (!inspected || inspected->structure_hash() != network->structure_hash())
    fail("another network when it is inspected", {}, network);
  dse::nn::run_small(*network);
  if (size > 100'000) return 0;
  dse::Diagnostics diags;
  const auto written = dse::nn::write_tflite(*network, diags);
  if (written.empty() != diags.has_errors()) fail("not written without an error, or written with one", diags, network);
  if (written.empty()) return 0;
  const auto again = dse::nn::import_tflite(written, "written.tflite", diags, as_float);
  if (!again || again->structure_hash() != network->structure_hash())
    fail("another network when it is written and read", diags, network);
  return 0;
}
