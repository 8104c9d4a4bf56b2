// The choice registry: each planner declares its choices (name, domain, condition, default). A search enumerates it, a
// plan document and a sweep file name choices by it, so a new choice is added here and nowhere else.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/layer/adapt.h"
#include "plan/layer/layer.h"
#include "plan/plan.h"
#include "plan/segment/planner/schedule.h"

namespace dse::plan {

/// One decision about one operator. Values are small integers; `text`/`parse` give them names.
struct Choice {
  std::string name;
  std::string doc;
  /// Names of the choices that `domain` reads: it is only asked once these are set, and reads nothing else of the
  /// LayerChoice.
  std::vector<std::string> needs;
  /// Values worth trying, given those of `needs`; the first is the default. Empty or one value: nothing to decide, the
  /// choice does not exist there.
  std::function<std::vector<int>(const LayerContext&, const LayerChoice&)> domain;
  std::function<int(const LayerChoice&)> get;
  std::function<void(LayerChoice&, int)> set;
  /// A word: no spaces, no `=`.
  std::function<std::string(const hw::Device&, int)> text;
  std::function<std::optional<int>(const hw::Device&, const std::string&)> parse;
  bool searched = true;  // a layer search enumerates it
};

/// One decision about the whole network, "network.<name>" in assignments. The search keeps the default of all of them
/// but the order.
struct NetworkDecision {
  std::string name, doc;
  std::vector<std::string> values;  // those with a name of their own; the first is the default
  std::vector<std::string> needs;   // names of the decisions that `domain` and `set` read
  /// Values that may be taken, the default first; of those without a name, examples. One: there is nothing to decide.
  std::function<std::vector<std::string>(const nn::Network&, const hw::Device&, const NetworkChoice&)> domain;
  std::function<std::string(const nn::Network&, const NetworkChoice&)> get;
  /// @returns what is wrong with the value, given those of `needs`; empty: nothing.
  std::function<std::string(const nn::Network&, NetworkChoice&, const std::string&)> set;
  bool exists(const nn::Network& n, const hw::Device& d, const NetworkChoice& c) const {
    return domain(n, d, c).size() > 1;
  }
};

/// A topological order of the items by what they need, items that could stand at the same place by name: it depends on
/// the items alone, not on their order.
/// @throws InvariantError when something needed is not there, or when the needs form a cycle.
std::vector<int> canonical_order(const std::vector<std::string>& names,
                                 const std::vector<std::vector<std::string>>& needs);

class ChoiceRegistry {
 public:
  /// The choices of this version: scheme, tile, filters, channels, buffering, order, weights, staging, output, layout,
  /// operands, engine, in_place, phases, halo, strips, technique, batches, batch_buffers, sums, prefetch; then
  /// those that were declared.
  static ChoiceRegistry standard();
  /// One more choice in every registry made from here on: searches, plan ids, plan documents, sweep files and listings
  /// have it, and `adapt` says what it does. Without `get` and `set` its value lies in LayerChoice::further, and 0 is
  /// its default. To be called before the first search, best from a static initialiser.
  /// @throws InvariantError when the name is taken.
  static void declare(Choice choice, Adapt adapt);
  /// In any order. @throws InvariantError when the name is taken.
  void add(Choice choice);
  /// nullptr when there is none; valid until the next add().
  const Choice* find(const std::string& name) const;
  /// In canonical order: each after those it needs, ties by name, whatever the order of add().
  /// @throws InvariantError when a choice needs one that does not exist, or when the needs form a cycle.
  const std::vector<Choice>& all() const;
  /// network.input (released, kept, streamed), network.reshapes (alias, copy), network.offsets (searched, greedy) and
  /// network.order (file, or the names of the layers).
  static const std::vector<NetworkDecision>& of_network();

 private:
  std::vector<Choice> choices_;          // as added
  mutable std::vector<Choice> ordered_;  // empty: not ordered since the last add()
};

}  // namespace dse::plan
