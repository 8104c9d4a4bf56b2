// What a sweep lets the search choose, layer by layer.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "plan/choices/choice.h"

namespace dse::explore {

/// The `choices:` of a sweep that concern one layer.
struct Allowed {
  std::map<std::string, std::vector<std::string>> values;  // choice -> texts; absent: free
  /// Choices said of this layer ("conv3.scheme"): kept even where there is nothing else to choose. Those said of all
  /// layers only hold where there is a choice.
  std::set<std::string> own;

  /// `choices`: a choice, or a layer and a choice ("conv3.scheme") -> values. What is said of the layer replaces what
  /// is said of all.
  static Allowed of(const std::map<std::string, std::vector<std::string>>& choices, const std::string& layer);
  /// The same for a search, which leaves out what costs more time than it brings unless a sweep names it: `prefetch`.
  static Allowed searched(const std::map<std::string, std::vector<std::string>>& choices, const std::string& layer);
  /// Whether `value` may be taken where `offered` values are there to choose from.
  bool allows(const plan::Choice& choice, const hw::Device& device, int value, std::size_t offered) const;
  bool allows(const std::string& choice, const std::string& text, std::size_t offered) const;
  /// "conv3.scheme" for those of the layer, "scheme" for those of all: how the sweep names it.
  std::string name_of(const std::string& choice, const std::string& layer) const;
  /// Canonical text of all but `output` and `layout`, empty when free: "scheme!=planar tile=4,8", `!` where the
  /// layer's own.
  std::string text() const;
};

/// "conv3.scheme" -> {"conv3", "scheme"}; "scheme" -> {"", "scheme"}. Layers may have dots in their names, choices not.
std::pair<std::string, std::string> split_choice(const std::string& key);

/// Those of `choices` that schedules of an NPU do not have, so that no plan there can keep them: all but those of the
/// whole network that leave everything as it is.
std::vector<std::string> none_of_npu(const std::map<std::string, std::vector<std::string>>& choices);

/// The first of the allowed choices that a plan does not keep, in words: "conv3.scheme is interleaved, not planar".
/// Empty: it keeps all. Plans by rule and the user's need not.
std::string broken_choice(const std::map<std::string, std::vector<std::string>>& choices, const nn::Network& network,
                          const hw::Device& device, const std::vector<plan::LayerChoice>& layers, bool alias_reshapes,
                          const plan::ChoiceRegistry& registry);
/// The same of some of its layers: operators.
std::string broken_choice(const std::map<std::string, std::vector<std::string>>& choices, const nn::Network& network,
                          const hw::Device& device, const std::vector<plan::LayerChoice>& layers, bool alias_reshapes,
                          const plan::ChoiceRegistry& registry, std::span<const int> some);

}  // namespace dse::explore
