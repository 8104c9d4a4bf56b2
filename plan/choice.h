// The choice registry: each planner declares its choices (name, domain, condition, default). A search enumerates it, a
// plan document and a sweep file name choices by it, so a new choice is added here and nowhere else.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/layer.h"

namespace dse::plan {

/// One decision about one operator. Values are small integers; `text`/`parse` give them names.
struct Choice {
  std::string name;
  std::string doc;
  /// Values worth trying, given the choices declared before this one; the first is the default. Empty or one value:
  /// nothing to decide.
  std::function<std::vector<int>(const LayerContext&, const LayerChoice&)> domain;
  std::function<int(const LayerChoice&)> get;
  std::function<void(LayerChoice&, int)> set;
  std::function<std::string(const hw::Device&, int)> text;
  std::function<std::optional<int>(const hw::Device&, const std::string&)> parse;
};

class ChoiceRegistry {
 public:
  /// The choices of this version: scheme, tile, filters, channels, buffering, order, weights, staging, output, layout,
  /// operands, engine.
  static ChoiceRegistry standard();
  /// @throws InvariantError when the name is taken.
  void add(Choice choice);
  const Choice* find(const std::string& name) const;
  const std::vector<Choice>& all() const { return choices_; }

 private:
  std::vector<Choice> choices_;
};

/// Memories that a tensor may live in between layers: on-chip ones and the io memory, where the compute engine or a
/// copy engine gets at it.
std::vector<int> home_memories(const hw::Device& device);

}  // namespace dse::plan
