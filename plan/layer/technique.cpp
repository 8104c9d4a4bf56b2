#include "plan/layer/technique.h"

#include <algorithm>

#include "base/suggest.h"
#include "models/nn/graph/technique.h"

namespace dse::plan {
namespace {

const std::string& name_of(int technique) { return nn::technique_names().at(static_cast<std::size_t>(technique)); }

}  // namespace

std::vector<int> techniques_on(const nn::Network& network, int op, const hw::Engine& engine) {
  if (engine.techniques.empty()) return {DSE_DIRECT};  // whether filters are separable takes time to find
  auto out = nn::techniques_of(network, network.operators[static_cast<std::size_t>(op)]);
  std::erase_if(out, [&](int t) { return t != DSE_DIRECT && engine.techniques.count(name_of(t)) == 0; });
  return out;
}

std::string why_no_technique(const LayerContext& context, const LayerChoice& choice) {
  if (choice.technique == DSE_DIRECT) return {};
  const auto& engine = context.device->engines[static_cast<std::size_t>(choice.engine_of(*context.device))];
  const auto& name = name_of(choice.technique);
  if (choice.phases != Phases::no) return "layers that run by phases are computed directly, not by " + name;
  if (engine.techniques.count(name) == 0) return engine.name + " does not compute by " + name;
  const auto known = techniques_on(*context.network, context.op, engine);
  if (std::find(known.begin(), known.end(), choice.technique) != known.end()) return {};
  return "it cannot be computed by " + name;
}

}  // namespace dse::plan
