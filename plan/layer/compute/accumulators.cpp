#include "plan/layer/compute/accumulators.h"

#include <fmt/format.h>

#include "models/nn/kernels/dse_technique.h"

namespace dse::plan {
namespace {

/// What a technique sums beside the outputs. Winograd's products are of transformed values: 4 times the inputs, 9 times
/// the filters, and 9 of the sums make an output, 36 times what 9 products could be.
int further_bits(int technique) { return technique == DSE_WINOGRAD ? 6 : 0; }

}  // namespace

std::string why_no_accumulators(const LayerContext& context, const LayerChoice& choice) {
  const auto& engine = context.device->engines[static_cast<std::size_t>(choice.engine_of(context))];
  const auto& op = context.network->operators[static_cast<std::size_t>(context.op)];
  if (engine.accumulator_bits == 0 || op.sum_bits == 0) return {};
  const int bits = op.sum_bits + further_bits(choice.technique);
  if (bits <= engine.accumulator_bits) return {};
  return fmt::format("its sums may need {} bits, and {} accumulates in {}", bits, engine.name, engine.accumulator_bits);
}

}  // namespace dse::plan
