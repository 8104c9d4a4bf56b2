#include "explore/ask/lenient.h"

#include <algorithm>
#include <set>

#include "plan/choices/choice.h"
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
    if (it != assignment.end() && contains(k.values, it->second)) left.insert(k.name);
  }
  plan::NetworkChoice whole;
  for (const auto& c : plan::ChoiceRegistry::of_network()) {
    const auto name = "network." + c.name;
    const auto domain = c.domain(network, device, whole);
    if (left.count(name) == 0 || domain.size() < 2) continue;
    const auto value =
        static_cast<int>(std::find(c.values.begin(), c.values.end(), assignment.at(name)) - c.values.begin());
    if (std::find(domain.begin(), domain.end(), value) == domain.end()) continue;
    c.set(whole, value);
    left.erase(name);
  }
  const bool alias = whole.alias_reshapes;
  std::vector<plan::LayerChoice> choices(network.operators.size());
  for (const int op : plan::layers_of(network, alias)) {
    const auto context = plan::context_of(network, device, choices, op, alias);
    const bool fixed_home = plan::makes_output(network, alias).at(static_cast<std::size_t>(op));
    auto& choice = choices[static_cast<std::size_t>(op)];
    if (fixed_home) choice.output_memory = device.io;
    for (const auto& c : registry.all()) {
      if (fixed_home && (c.name == "output" || c.name == "layout")) continue;
      const auto domain = c.domain(context, choice);
      if (!domain.empty()) c.set(choice, domain.front());
      const auto name = network.operators[static_cast<std::size_t>(op)].name + "." + c.name;
      if (left.count(name) == 0 || domain.size() < 2) continue;
      const auto value = c.parse(device, assignment.at(name));
      if (!value || std::find(domain.begin(), domain.end(), *value) == domain.end()) continue;
      c.set(choice, *value);
      left.erase(name);
    }
  }
  for (const auto& name : left) assignment.erase(name);
}

}  // namespace dse::explore
