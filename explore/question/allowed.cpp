#include "explore/question/allowed.h"

#include <algorithm>

#include "base/suggest.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"

namespace dse::explore {

std::pair<std::string, std::string> split_choice(const std::string& key) {
  const auto dot = key.rfind('.');
  if (dot == std::string::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

Allowed Allowed::of(const std::map<std::string, std::vector<std::string>>& choices, const std::string& layer) {
  Allowed out;
  for (const auto& [key, values] : choices) {
    const auto [of, name] = split_choice(key);
    if (key.find('.') == std::string::npos) {
      if (out.own.count(name) == 0) out.values[name] = values;
    } else if (of == layer) {
      out.values[name] = values;
      out.own.insert(name);
    }
  }
  return out;
}

Allowed Allowed::searched(const std::map<std::string, std::vector<std::string>>& choices, const std::string& layer) {
  auto out = of(choices, layer);
  out.values.try_emplace("prefetch", std::vector<std::string>{"no"});
  return out;
}

bool Allowed::allows(const std::string& choice, const std::string& text, std::size_t offered) const {
  const auto it = values.find(choice);
  if (it == values.end() || (offered < 2 && own.count(choice) == 0)) return true;
  return std::find(it->second.begin(), it->second.end(), text) != it->second.end();
}

bool Allowed::allows(const plan::Choice& choice, const hw::Device& device, int value, std::size_t offered) const {
  if (values.count(choice.name) == 0) return true;
  return allows(choice.name, choice.text(device, value), offered);
}

std::string Allowed::name_of(const std::string& choice, const std::string& layer) const {
  return own.count(choice) ? layer + "." + choice : choice;
}

std::string Allowed::text() const {
  std::string out;
  for (const auto& [name, list] : values) {
    if (name == "output" || name == "layout") continue;
    auto sorted = list;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    out += (out.empty() ? "" : " ") + name + (own.count(name) ? "!=" : "=");
    for (std::size_t i = 0; i < sorted.size(); ++i) out += (i ? "," : "") + sorted[i];
  }
  return out;
}

std::vector<std::string> none_of_npu(const std::map<std::string, std::vector<std::string>>& choices) {
  std::vector<std::string> out;
  for (const auto& choice : choices) {
    const auto& key = choice.first;
    const auto& values = choice.second;
    const auto any = [&](const char* text) { return std::find(values.begin(), values.end(), text) != values.end(); };
    const bool kept = (key == "network.input" && any(plan::name_of(plan::shared::Input::released))) ||
                      (key == "network.order" && (any("searched") || any("file")));
    if (!kept) out.push_back(key);
  }
  return out;
}

std::string broken_choice(const std::map<std::string, std::vector<std::string>>& choices, const nn::Network& network,
                          const hw::Device& device, const std::vector<plan::LayerChoice>& layers, bool alias_reshapes,
                          const plan::ChoiceRegistry& registry) {
  return broken_choice(choices, network, device, layers, alias_reshapes, registry,
                       plan::layers_of(network, alias_reshapes));
}

std::string broken_choice(const std::map<std::string, std::vector<std::string>>& choices, const nn::Network& network,
                          const hw::Device& device, const std::vector<plan::LayerChoice>& layers, bool alias_reshapes,
                          const plan::ChoiceRegistry& registry, std::span<const int> some) {
  if (choices.empty()) return {};
  for (const int op : some) {
    const auto& layer = network.operators[op].name;
    const auto allowed = Allowed::of(choices, layer);
    const auto context = plan::context_of(network, device, layers, op, alias_reshapes);
    for (const auto& [name, texts] : allowed.values) {
      const auto* choice = registry.find(name);
      if (choice == nullptr) continue;
      const int value = choice->get(layers[op]);
      const auto offered = choice->domain(context, layers[op]);  // reads what it needs alone
      // A value that is not offered was chosen all the same.
      const bool chosen = std::find(offered.begin(), offered.end(), value) == offered.end();
      if (!allowed.allows(*choice, device, value, chosen ? 2 : offered.size()))
        return layer + "." + name + " is " + choice->text(device, value) + ", not " + join_or(texts);
    }
  }
  return {};
}

}  // namespace dse::explore
