#include "models/hw/ethos_u/job.h"

#include <algorithm>

namespace dse::hw::ethos_u {

Unit unit_of(Function f) {
  switch (f) {
    case Function::conv:
      return Unit::convolution;
    case Function::depthwise:
      return Unit::depthwise;
    case Function::fully_connected:
      return Unit::vector_product;
    case Function::average_pool:
    case Function::max_pool:
      return Unit::pooling;
    case Function::reduce_sum:
      return Unit::reduce_sum;
    case Function::copy:
      return Unit::copy;
    default:
      return Unit::elementwise;
  }
}

const char* name_of(Function f) {
  static const char* const words[] = {"conv",          "depthwise",  "fully_connected",
                                      "average_pool",  "max_pool",   "reduce_sum",
                                      "add",           "sub",        "mul",
                                      "minimum",       "maximum",    "abs",
                                      "leaky_relu",    "shift_left", "shift_right",
                                      "leading_zeros", "copy"};
  return words[static_cast<int>(f)];
}

int inputs_under(int outputs, int stride, int reach, Upscale upscale) {
  const int by = upscale == Upscale::none ? 1 : 2, extra = upscale == Upscale::nearest ? 1 : 0;
  return blocks((outputs - 1) * stride + reach + extra, by);
}

bool is_binary(Function f) {
  return unit_of(f) == Unit::elementwise && f != Function::abs && f != Function::leaky_relu &&
         f != Function::leading_zeros;
}

Accumulator accumulator_of(const Accelerator& a, const Job& job) {
  if (job.ifm.bits != 16 || job.unit() == Unit::pooling || !job.scaled) return Accumulator::bits32;
  return a.table85 ? Accumulator::bits48 : Accumulator::bits40;
}

/// Vela's limits are those of a vector product, too.
int sub_kernel_limit(const Job& job) {
  return job.unit() == Unit::vector_product || job.unit() == Unit::elementwise ? 1 : kSubKernel;
}

std::vector<int> sub_kernels(const Job& job) {
  const int limit = sub_kernel_limit(job);
  std::vector<int> out;
  for (int y = 0; y < job.kernel.h; y += limit)
    for (int x = 0; x < job.kernel.w; x += limit)
      out.push_back(std::min(limit, job.kernel.h - y) * std::min(limit, job.kernel.w - x));
  return out;
}

}  // namespace dse::hw::ethos_u
