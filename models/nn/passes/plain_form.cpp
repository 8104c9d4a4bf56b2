#include <algorithm>
#include <iterator>

#include "models/nn/passes/passes.h"

namespace dse::nn {
namespace {

/// Operators whose layout the option names; on others it says nothing, and the passes rely on that.
bool has_layout(OperatorKind k) {
  using F = OperatorFamily;
  constexpr F with[] = {F::convolution, F::transpose_conv, F::pool, F::global_pool, F::batch_normalization,
                        F::lrn,         F::resize};
  return std::find(std::begin(with), std::end(with), facts_of(k).family) != std::end(with);
}

}  // namespace

Network plain_form(Network n) {
  for (auto& op : n.operators) op.options.channels_first = op.options.channels_first && has_layout(op.kind);
  return to_channels_last(fuse_activations(fold_batch_norm(remove_identities(std::move(n)))));
}

}  // namespace dse::nn
