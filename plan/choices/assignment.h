// Assignments: a plan's choices by name, never by position, and back. What a study stores, what a script sets from
// outside, what a constraint is checked against.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/choices/choice.h"
#include "plan/make/offsets.h"
#include "plan/plan.h"

namespace dse::plan {

/// "conv3.scheme" -> "planar"; decisions about the whole network: "network.offsets" -> "searched"; axes of a sweep's
/// devices, which only explore/ knows: "device.memories.l1.size" -> "64 KiB".
using Assignment = std::map<std::string, std::string>;

/// All choices of the layers that exist (their domain has more than one value, given the others), and those that differ
/// from the only value of their domain, as plans by rule may. Reshapes are aliased.
/// @throws InvariantError when `choices` does not have one entry per operator.
Assignment to_assignment(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                         const ChoiceRegistry& registry = ChoiceRegistry::standard());
/// The same of a plan, with the decisions about its network. Made by plan_of, or by rule.
Assignment to_assignment(const nn::Network& network, const hw::Device& device, const Plan& plan,
                         const ChoiceRegistry& registry = ChoiceRegistry::standard());

/// offered: values in the domains, of choices that exist. any: whatever the choice can express, as plan documents: what
/// plans by rule need.
enum class Accept { offered, any };

/// Choices left out take their default. Unknown layers and choices, values outside the domain, and choices that do not
/// exist given the others are diagnostics in `file` (which may be empty), all of them at once.
std::optional<Decisions> decisions_from(const nn::Network& network, const hw::Device& device,
                                        const Assignment& assignment, const ChoiceRegistry& registry,
                                        const std::string& file, Diagnostics& diags, Accept accept = Accept::offered);
/// The layers' part of it: decisions about the network other than their default are diagnostics too.
std::optional<std::vector<LayerChoice>> from_assignment(const nn::Network& network, const hw::Device& device,
                                                        const Assignment& assignment, const ChoiceRegistry& registry,
                                                        const std::string& file, Diagnostics& diags,
                                                        Accept accept = Accept::offered);
/// make_plan with these decisions.
std::variant<Plan, Infeasible> plan_of(const nn::Network& network, const hw::Device& device, const Decisions& decisions,
                                       Offsets offsets = Offsets::searched);

/// One layer's choices as canonical text "filters=16 scheme=planar": by name, those that differ from their default,
/// without output and layout (which the homes give).
std::string layer_text(const ChoiceRegistry& registry, const LayerContext& context, const LayerChoice& choice);
/// The inverse. Nothing when a name is unknown or repeated, or a value is outside its domain.
std::optional<LayerChoice> parse_layer_text(const ChoiceRegistry& registry, const LayerContext& context,
                                            const Placement& output, const std::string& text);

/// An assignment in one line, "conv0.scheme=planar conv1.tile=4", by name. Names and values with spaces, `=`, `%` or
/// control characters have these as %20.
std::string assignment_text(const Assignment& assignment);

/// A choice of one layer or of the network, as somebody outside would sample it.
struct ChoiceInstance {
  std::string name;                 // "conv3.scheme"
  std::string doc;                  // what it decides
  std::vector<std::string> values;  // in some combination of the other choices, two or more
  std::string fallback;             // the value when no choice is given
  bool conditional = false;         // does not exist, or offers fewer values, in other combinations
};

/// Every choice that exists in some combination of the others, in order of the layers, those of the network last.
std::vector<ChoiceInstance> list_choices(const nn::Network& network, const hw::Device& device,
                                         const ChoiceRegistry& registry = ChoiceRegistry::standard());

}  // namespace dse::plan
