#include "explore/lenient.h"

#include <algorithm>

#include "plan/plan.h"

namespace dse::explore {

namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

void keep_applicable(const nn::Network& network, const hw::Device& device, const plan::ChoiceRegistry& registry,
                     const std::vector<plan::ChoiceInstance>& known, plan::Assignment& assignment) {
  std::vector<plan::LayerChoice> choices(network.operators.size());
  for (const int op : plan::layers_of(network, true)) {
    const auto context = plan::context_of(network, device, choices, op, true);
    const bool fixed_home = plan::has_fixed_home(network, op, true);
    auto& choice = choices[static_cast<std::size_t>(op)];
    if (fixed_home) choice.output_memory = device.io;
    for (const auto& c : registry.all()) {
      if (fixed_home && (c.name == "output" || c.name == "layout")) continue;
      const auto domain = c.domain(context, choice);
      if (!domain.empty()) c.set(choice, domain.front());
      const auto given = assignment.find(network.operators[static_cast<std::size_t>(op)].name + "." + c.name);
      if (given == assignment.end()) continue;
      const auto instance =
          std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.name == given->first; });
      if (instance == known.end() || !contains(instance->values, given->second)) continue;
      const auto value = c.parse(device, given->second);
      if (domain.size() > 1 && value && std::find(domain.begin(), domain.end(), *value) != domain.end())
        c.set(choice, *value);
      else
        assignment.erase(given);
    }
  }
}

}  // namespace dse::explore
