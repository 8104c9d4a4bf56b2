#include "models/hw/libraries/work_list.h"

#include <algorithm>

#include "base/suggest.h"
#include "models/hw/libraries/libraries.h"
#include "models/nn/kernels/dse_factors.h"

namespace dse::hw {
namespace {

/// Entry of `takes` that the operator is under; empty: none.
std::string taken_kind(const dse_op& op) {
  if (dse_has_factors(&op)) return {};
  if (op.kind == DSE_DEPTHWISE_CONV_2D) return "depthwise";
  if (op.kind != DSE_CONV_2D) return {};
  return op.kernel_h == 1 && op.kernel_w == 1 ? "pointwise" : "conv";
}

}  // namespace

const std::vector<std::string>& kinds_taken() {
  static const std::vector<std::string> kinds = {"conv", "depthwise", "pointwise"};
  return kinds;
}

std::string why_not_taken(const Device& device, const Engine& engine, const dse_op& op) {
  if (!engine.partial()) return {};
  const auto kind = taken_kind(op);
  if (std::find(engine.takes.begin(), engine.takes.end(), kind) == engine.takes.end())
    return engine.name + " takes only " + join_or(engine.takes);
  if (engine.largest_stride > 0 && std::max(op.stride_h, op.stride_w) > engine.largest_stride)
    return engine.name + " takes no stride above " + std::to_string(engine.largest_stride);
  const auto& library = engine.library.empty() ? device.kernel_library : engine.library;
  if (!has_kernel(library, op)) return "the kernel library " + quote(library) + " has no kernel for it";
  return {};
}

int engine_for(const Device& device, const dse_op& op) {
  for (std::size_t i = 0; i < device.engines.size(); ++i)
    if (device.engines[i].partial() && why_not_taken(device, device.engines[i], op).empty()) return static_cast<int>(i);
  return device.compute_engine();
}

}  // namespace dse::hw
