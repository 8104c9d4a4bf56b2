#include "deploy/export/kernels.h"

#include <array>

#include "base/diagnostics.h"
#include "dse_factors.h"
#include "dse_technique.h"

namespace dse::deploy {

namespace {

struct Entry {
  int number;
  const char *name, *function;
};

#define ENTRY(name, function) \
  { name, #name, #function }
constexpr Entry kKinds[] = {ENTRY(DSE_CONV_2D, dse_conv),
                            ENTRY(DSE_FULLY_CONNECTED, dse_conv),
                            ENTRY(DSE_TRANSPOSE_CONV, dse_conv),
                            ENTRY(DSE_MATMUL, dse_conv),
                            ENTRY(DSE_DEPTHWISE_CONV_2D, dse_depthwise),
                            ENTRY(DSE_ADD, dse_binary),
                            ENTRY(DSE_SUB, dse_binary),
                            ENTRY(DSE_MUL, dse_binary),
                            ENTRY(DSE_DIV, dse_binary),
                            ENTRY(DSE_MAXIMUM, dse_binary),
                            ENTRY(DSE_MINIMUM, dse_binary),
                            ENTRY(DSE_SQUARED_DIFFERENCE, dse_binary),
                            ENTRY(DSE_PRELU, dse_binary),
                            ENTRY(DSE_REQUANTIZE, dse_unary),
                            ENTRY(DSE_LOOKUP, dse_unary),
                            ENTRY(DSE_LOGISTIC, dse_unary),
                            ENTRY(DSE_TANH, dse_unary),
                            ENTRY(DSE_HARD_SWISH, dse_unary),
                            ENTRY(DSE_LEAKY_RELU, dse_unary),
                            ENTRY(DSE_ABS, dse_unary),
                            ENTRY(DSE_AVERAGE_POOL_2D, dse_average_pool),
                            ENTRY(DSE_MAX_POOL_2D, dse_max_pool),
                            ENTRY(DSE_SOFTMAX, dse_softmax),
                            ENTRY(DSE_LOG_SOFTMAX, dse_log_softmax),
                            ENTRY(DSE_L2_NORMALIZATION, dse_l2_normalization),
                            ENTRY(DSE_COPY, dse_copy),
                            ENTRY(DSE_GATHER, dse_gather),
                            ENTRY(DSE_PAD, dse_pad),
                            ENTRY(DSE_MIRROR_PAD, dse_pad),
                            ENTRY(DSE_MEAN, dse_reduce),
                            ENTRY(DSE_REDUCE_MAX, dse_reduce),
                            ENTRY(DSE_REDUCE_MIN, dse_reduce),
                            ENTRY(DSE_ARG_MAX, dse_arg_extreme),
                            ENTRY(DSE_ARG_MIN, dse_arg_extreme),
                            ENTRY(DSE_RESIZE_BILINEAR, dse_resize),
                            ENTRY(DSE_RESIZE_NEAREST_NEIGHBOR, dse_resize),
                            ENTRY(DSE_SVDF, dse_svdf),
                            ENTRY(DSE_LSTM, dse_lstm),
                            ENTRY(DSE_NORMALIZE, dse_normalize)};
constexpr Entry kTechniques[] = {ENTRY(DSE_IM2ROW, dse_im2row),        ENTRY(DSE_IM2ROW_BY_ROW, dse_im2row),
                                 ENTRY(DSE_WINOGRAD, dse_winograd),    ENTRY(DSE_ZERO_INSERTION, dse_transposed),
                                 ENTRY(DSE_SUB_PIXEL, dse_transposed), ENTRY(DSE_SEPARABLE, dse_separable)};
#undef ENTRY

template <std::size_t n>
const Entry& entry(const Entry (&list)[n], int number) {
  for (const Entry& e : list)
    if (e.number == number) return e;
  throw InvariantError("no kernel of number " + std::to_string(number) + " is shipped");
}

}  // namespace

std::string kind_name(int kind) { return entry(kKinds, kind).name; }
std::string plain_kernel_of(int kind) { return entry(kKinds, kind).function; }
std::string technique_name(int technique) { return entry(kTechniques, technique).name; }

std::string kernel_of(const dse_op& op) {
  if (op.kind != DSE_NORMALIZE && dse_in_factors(&op) > 0) return "dse_compensated";
  if (dse_technique_of(&op) != DSE_DIRECT) return entry(kTechniques, dse_technique_of(&op)).function;
  return plain_kernel_of(op.kind);
}

}  // namespace dse::deploy
