#include "plan/layer/placement.h"

#include "base/diagnostics.h"

namespace dse::plan {

// Neither has a default: a further layout does not compile before it says its name and its bytes.
const char* name_of(TensorLayout l) {
  switch (l) {
    case TensorLayout::hwc:
      return "hwc";
    case TensorLayout::chw:
      return "chw";
  }
  throw InvariantError("no such layout");
}

std::int64_t bytes_of(const nn::Tensor& tensor, TensorLayout layout) {
  switch (layout) {
    case TensorLayout::hwc:
    case TensorLayout::chw:
      return tensor.bytes();
  }
  throw InvariantError("no such layout");
}

std::string key_of(const Placement& p) {
  const auto& [memory, layout, inside] = p;
  auto key = std::to_string(memory) + name_of(layout);
  if (!inside.dense()) key += "/" + std::to_string(inside.w) + "/" + std::to_string(inside.h);
  return key + ",";
}

}  // namespace dse::plan
