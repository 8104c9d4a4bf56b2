// Choices to names.
#include "plan/choices/assignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/choices/choice_walk.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"

namespace dse::plan {
namespace {

/// The choices of one layer that somebody decided: (name, value) in canonical order. `so_far`: what is given.
template <class Take>
void decided(const ChoiceRegistry& registry, const LayerContext& context, const LayerChoice& choice,
             const LayerChoice& so_far, Given given, bool defaults, Take take) {
  walk(registry, context, so_far, given, [&](const OpenChoice& open, const LayerChoice&) {
    const auto& c = open.choice;
    const int value = c.get(choice);
    if (!open.given && (value != open.fallback || (defaults && c.searched && open.domain.size() > 1))) take(c, value);
    return value;
  });
}

void layers_to(Assignment& out, const nn::Network& network, const hw::Device& device,
               const std::vector<LayerChoice>& choices, bool alias_reshapes, const ChoiceRegistry& registry) {
  ensure(choices.size() == network.operators.size(), "to_assignment: not one choice per operator");
  const auto fixed = makes_output(network, alias_reshapes);
  for (const int op : layers_of(network, alias_reshapes)) {
    const auto context = context_of(network, device, choices, op, alias_reshapes);
    const auto& name = network.operators[op].name;
    const auto given = fixed[op] ? Given::home : Given::nothing;
    decided(registry, context, choices[op], start_of(context, given), given, true,
            [&](const Choice& c, int value) { out[name + "." + c.name] = c.text(device, value); });
  }
}

void escape(std::string& out, const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) <= 0x20 || c == '=' || c == '%' || c == 0x7f)
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
}

}  // namespace

Assignment to_assignment(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                         const ChoiceRegistry& registry) {
  Assignment out;
  layers_to(out, network, device, choices, true, registry);
  return out;
}

Assignment to_assignment(const nn::Network& network, const hw::Device& device, const Plan& plan,
                         const ChoiceRegistry& registry) {
  Assignment out;
  layers_to(out, network, device, plan.choices, plan.alias_reshapes, registry);
  const auto choice = plan.network_choice();
  for (const auto& d : ChoiceRegistry::of_network())
    if (d.exists(network, device, choice)) out["network." + d.name] = d.get(network, choice);
  return out;
}

std::variant<Plan, Infeasible> plan_of(const nn::Network& network, const hw::Device& device, const Decisions& decisions,
                                       Offsets offsets) {
  return make_plan(network, device, decisions.layers, decisions.network, offsets);
}

std::string layer_text(const ChoiceRegistry& registry, const LayerContext& context, const LayerChoice& choice) {
  LayerChoice so_far;
  so_far.output_memory = choice.output_memory, so_far.output_layout = choice.output_layout;
  std::vector<std::pair<std::string, std::string>> words;
  decided(registry, context, choice, so_far, Given::home, false,
          [&](const Choice& c, int value) { words.emplace_back(c.name, c.text(*context.device, value)); });
  std::sort(words.begin(), words.end());
  std::string out;
  for (const auto& [name, value] : words) out += (out.empty() ? "" : " ") + name + "=" + value;
  return out;
}

std::optional<LayerChoice> parse_layer_text(const ChoiceRegistry& registry, const LayerContext& context,
                                            const Placement& output, const std::string& text) {
  std::map<std::string, std::string> written;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto equals = text.find('=', at);
    if (equals == std::string::npos || equals >= end) return std::nullopt;
    if (!written.emplace(text.substr(at, equals - at), text.substr(equals + 1, end - equals - 1)).second)
      return std::nullopt;
    at = end + 1;
  }
  LayerChoice choice;
  choice.output_memory = output.memory, choice.output_layout = output.layout;
  std::size_t used = 0;
  bool wrong = false;
  choice = walk(registry, context, choice, Given::home, [&](const OpenChoice& open, const LayerChoice&) {
    const auto it = open.given ? written.end() : written.find(open.choice.name);
    if (it == written.end()) return open.fallback;
    const auto value = open.choice.parse(*context.device, it->second);
    const bool offered = value && std::find(open.domain.begin(), open.domain.end(), *value) != open.domain.end();
    wrong |= !offered, ++used;
    return offered ? *value : open.fallback;
  });
  return !wrong && used == written.size() ? std::optional(choice) : std::nullopt;
}

std::string assignment_text(const Assignment& assignment) {
  std::string out;
  for (const auto& [name, value] : assignment) {
    if (!out.empty()) out += ' ';
    escape(out, name);
    out += '=';
    escape(out, value);
  }
  return out;
}

}  // namespace dse::plan
