#include "plan/layer/adapt.h"

#include <map>

namespace dse::plan {
namespace {

std::map<std::string, Adapt>& adaptations() {
  static std::map<std::string, Adapt> by_choice;
  return by_choice;
}

}  // namespace

void add_adaptation(const std::string& choice, Adapt adapt) { adaptations()[choice] = std::move(adapt); }

LayerChoice adapted(const LayerContext& context, LayerChoice choice) {
  const auto further = choice.further;
  for (const auto& [name, value] : further)
    if (const auto it = adaptations().find(name); it != adaptations().end()) it->second(context, value, choice);
  return choice;
}

}  // namespace dse::plan
