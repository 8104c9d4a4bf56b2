// Checks that inferences of several families make.
#include <fmt/format.h>

#include "models/nn/shapes/infer_shapes_internal.h"

namespace dse::nn::shapes {

bool Inference::fail(std::string what) {
  why = std::move(what);
  return false;
}

bool Inference::rank_is(std::size_t i, std::size_t rank, const char* role) {
  if (in(i).size() == rank) return true;
  return fail(fmt::format("{} has shape {}, not {} dimensions", role, text_of(in(i)), rank));
}

bool Inference::axis_below(std::int64_t axis, std::size_t rank) {
  if (axis >= 0 && axis < static_cast<std::int64_t>(rank)) return true;
  return fail(fmt::format("axis {} is outside the {} dimensions", axis, rank));
}

bool Inference::axes_below(std::size_t rank) {
  const auto& axes = op.options.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!axis_below(axes[i], rank)) return false;
    if (i > 0 && axes[i] <= axes[i - 1]) return fail("its axes are not ascending");
  }
  return true;
}

}  // namespace dse::nn::shapes
