#include <algorithm>

#include "models/nn/graph/finish.h"
#include "models/nn/graph/price.h"
#include "models/nn/passes/passes.h"
#include "models/nn/rewrite/rewrites.h"

namespace dse::nn {
namespace rewrite {

void drop_operators(Network& n, const std::vector<bool>& dead) {
  std::vector<Operator> kept;
  for (std::size_t o = 0; o < n.operators.size(); ++o)
    if (!dead[o]) kept.push_back(std::move(n.operators[o]));
  n.operators = std::move(kept);
}

void note(Network& n, const std::string& what, const Operator& where, const std::string& text) {
  n.rewrites.push_back({what, where.name, text});
}

}  // namespace rewrite

NetworkPtr rewritten(NetworkPtr network, const LoadOptions& options) {
  // One round does nearly everything; others find what it laid bare. Each reads what was derived, so none sees what
  // another one did in the same round.
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    Network n = *network;
    if (!rewrite::transposes_to_reshapes(n) && !rewrite::join_transposes(n) && !rewrite::drop_transposes_around(n) &&
        !rewrite::transposes_into_reductions(n) && !rewrite::fold_pads(n) && !rewrite::trim_padding(n))
      break;
    Diagnostics own;
    auto next = finish_network(unfinished(std::move(n)), own, network->name, options);
    // What the kernels refuse (operands of more dimensions than they know, say) stays as it is in the file.
    if (!next) break;
    network = std::move(next);
  }
  Network last = *network;
  rewrite::note_reductions(last);
  return last.rewrites.size() == network->rewrites.size() ? network : std::make_shared<const Network>(std::move(last));
}

NetworkPtr import_network(Network network, Diagnostics& diags, const std::string& file, const LoadOptions& options) {
  if (!options.costs.empty()) name_operators(network);  // by the names that they have without prices
  if (!check_costs(network, options, file, diags)) return nullptr;
  if (!options.as_in_file || options.integer_io) network = moves_on_integers(std::move(network));
  auto done = finish_network(std::move(network), diags, file, options);
  if (done && !check_priced(*done, options, file, diags)) return nullptr;
  if (!done || options.as_in_file) return done;
  LoadOptions again = options;
  again.integer_io = false;  // what a cut left at an end of its own stays
  return rewritten(std::move(done), again);
}

NetworkPtr without_leftovers(const Network& network) {
  Network n = unfinished(network);
  remove_dead(n, {});
  LoadOptions all;
  all.allow_float = all.keep_unsupported = true;
  Diagnostics own;
  auto done = finish_network(std::move(n), own, network.name, all);
  ensure(done != nullptr, "a network without its leftovers cannot be derived: " + own.text());
  return done;
}

}  // namespace dse::nn
