#include "models/hw/ethos_u/job.h"

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

}  // namespace dse::hw::ethos_u
