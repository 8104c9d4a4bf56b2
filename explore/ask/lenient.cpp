#include "explore/ask/lenient.h"

#include <algorithm>
#include <set>

#include "plan/choices/choice_walk.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::explore {

namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

void keep_applicable(const nn::Network& network, const hw::Device& device, const plan::ChoiceRegistry& registry,
                     const std::vector<plan::ChoiceInstance>& known, plan::Assignment& assignment) {
  // Of the names and values that exist somewhere, those that have not been found to exist here.
  std::set<std::string> left;
  for (const auto& k : known) {
    const auto it = assignment.find(k.name);
    if (it != assignment.end() && (contains(k.values, it->second) || k.name == "network.order")) left.insert(k.name);
  }
  plan::NetworkChoice whole;
  for (const auto& c : plan::ChoiceRegistry::of_network()) {
    const auto name = "network." + c.name;
    const auto domain = c.domain(network, device, whole);
    if (left.count(name) == 0 || domain.size() < 2) continue;
    const auto& value = assignment.at(name);
    if (contains(c.values, value) && !contains(domain, value)) continue;
    if (c.set(network, whole, value).empty()) left.erase(name);
  }
  const bool alias = whole.alias_reshapes;
  std::vector<plan::LayerChoice> choices(network.operators.size());
  for (const int op : plan::layers_of(network, alias)) {
    const auto context = plan::context_of(network, device, choices, op, alias);
    const auto given =
        plan::makes_output(network, alias).at(static_cast<std::size_t>(op)) ? plan::Given::home : plan::Given::nothing;
    choices[static_cast<std::size_t>(op)] =
        plan::walk(registry, context, plan::start_of(context, given), given,
                   [&](const plan::OpenChoice& open, const plan::LayerChoice&) {
                     const auto name = network.operators[static_cast<std::size_t>(op)].name + "." + open.choice.name;
                     if (open.given || left.count(name) == 0 || open.domain.size() < 2) return open.fallback;
                     const auto value = open.choice.parse(device, assignment.at(name));
                     if (!value || std::find(open.domain.begin(), open.domain.end(), *value) == open.domain.end())
                       return open.fallback;
                     left.erase(name);
                     return *value;
                   });
  }
  for (const auto& name : left) assignment.erase(name);
}

}  // namespace dse::explore
