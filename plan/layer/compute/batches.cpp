#include "plan/layer/compute/batches.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/units.h"
#include "models/nn/graph/technique.h"
#include "models/nn/kernels/dse_batches.h"
#include "models/nn/kernels/dse_factors.h"

namespace dse::plan {

dse_op computed(dse_op op, const LayerChoice& choice, const hw::Engine& engine) {
  op = nn::by_technique(op, choice.technique);
  if (!engine.sums_in_memory() || !dse_sums_products(op.kind)) return op;
  if (dse_out_factors(&op) == 0)  // else they are the network's
    op.arg[DSE_ARG_BATCHES] = choice.phases == Phases::no ? choice.batches : op.out_h;
  op.arg[DSE_ARG_BATCH_BUFFERS] = engine.rescales_apart ? choice.batch_buffers : 1;
  return op;
}

dse_op computed_like(const dse_op& first, dse_op op) {
  op = nn::by_technique(op, dse_technique_of(&first));
  if (dse_sums_products(first.kind) && dse_sums_products(op.kind))
    for (const int a : {DSE_ARG_BATCHES, DSE_ARG_BATCH_BUFFERS}) op.arg[a] = first.arg[a];
  return op;
}

std::vector<int> batches_of(const LayerContext& context, const LayerChoice& choice) {
  const auto& engine = context.device->engines[choice.engine_of(context)];
  const auto& op = context.kernel();
  const bool stepped = choice.channels != 0 && choice.channels < op.in_c;
  if (!engine.sums_in_memory() || !dse_sums_products(op.kind) || stepped || dse_out_factors(&op) > 0) return {1};
  if (choice.phases != Phases::no || choice.technique != DSE_DIRECT) return {1};
  const bool blocks = choice.scheme == Scheme::pixel_block;
  const std::int64_t rows = blocks ? std::int64_t{op.out_h} * op.out_w : op.out_h, width = blocks ? 1 : op.out_w;
  const std::int64_t tile = choice.tile == 0 ? rows : std::min<std::int64_t>(choice.tile, rows);
  const std::int64_t most = tile * width * (choice.filters == 0 ? op.out_c : std::min(choice.filters, op.out_c));
  const std::int64_t all = rows * width * op.out_c;
  std::set<int> out = {1};
  const auto add = [&](std::int64_t batches) {
    if (ceil_div(all, batches) < most) out.insert(static_cast<int>(batches));
  };
  for (std::int64_t n = 4; n <= all && n <= std::numeric_limits<int>::max(); n *= 4) add(n);
  add(op.out_c);
  return {out.begin(), out.end()};
}

}  // namespace dse::plan
