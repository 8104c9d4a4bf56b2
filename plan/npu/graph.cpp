#include "plan/npu/graph.h"

#include <algorithm>

namespace dse::plan::npu {

Shape shape_of(const nn::Tensor& t) {
  Shape out;
  int* const dims[] = {&out.c, &out.w, &out.h, &out.n};
  std::size_t i = 0;
  for (auto d = t.shape.rbegin(); d != t.shape.rend(); ++d, ++i)
    *dims[std::min<std::size_t>(i, 3)] *= static_cast<int>(*d);
  return out;
}

}  // namespace dse::plan::npu
