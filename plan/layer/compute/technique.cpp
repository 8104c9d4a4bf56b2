#include "plan/layer/compute/technique.h"

#include "models/nn/graph/technique.h"

namespace dse::plan {
namespace {

const std::string& name_of(int technique) { return nn::technique_names().at(static_cast<std::size_t>(technique)); }

bool has(const hw::Engine& engine, int technique) {
  return technique == DSE_DIRECT || engine.techniques.count(name_of(technique)) > 0;
}

}  // namespace

std::vector<int> techniques_on(const nn::Network& network, int op, const hw::Engine& engine) {
  std::vector<int> out;
  for (int t = DSE_DIRECT; t < DSE_TECHNIQUES;
       ++t)  // the engine first: whether filters are separable takes time to find
    if (has(engine, t) && nn::computes(network, network.operators[static_cast<std::size_t>(op)], t)) out.push_back(t);
  return out;
}

std::string why_no_technique(const LayerContext& context, const LayerChoice& choice) {
  if (choice.technique == DSE_DIRECT) return {};
  const auto& engine = context.device->engines[static_cast<std::size_t>(choice.engine_of(context))];
  const auto& name = name_of(choice.technique);
  if (choice.phases != Phases::no) return "layers that run by phases are computed directly, not by " + name;
  if (!has(engine, choice.technique)) return engine.name + " does not compute by " + name;
  const auto& op = context.network->operators[static_cast<std::size_t>(context.op)];
  return nn::computes(*context.network, op, choice.technique) ? "" : "it cannot be computed by " + name;
}

}  // namespace dse::plan
