// Keeps choices in an order that depends on what they need alone.
#include <algorithm>
#include <map>

#include "base/diagnostics.h"
#include "plan/choices/choice_kinds.h"
#include "plan/layer/adapt.h"
#include "plan/network/layers.h"
#include "plan/plan.h"

namespace dse::plan {

std::vector<int> canonical_order(const std::vector<std::string>& names,
                                 const std::vector<std::vector<std::string>>& needs) {
  std::map<std::string, int> left;  // not placed yet, by name
  for (std::size_t i = 0; i < names.size(); ++i) left.emplace(names[i], static_cast<int>(i));
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto& n : needs[i])
      ensure(left.count(n) > 0, "choice " + names[i] + " needs " + n + ", which does not exist");
  std::vector<int> out;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](const auto& item) {
      return std::none_of(needs[item.second].begin(), needs[item.second].end(),
                          [&](const auto& n) { return left.count(n) > 0; });
    });
    ensure(next != left.end(), "choices need each other in a circle, among them " + left.begin()->first);
    out.push_back(next->second);
    left.erase(next);
  }
  return out;
}

namespace {

std::vector<Choice>& declared() {
  static std::vector<Choice> choices;
  return choices;
}

}  // namespace

void ChoiceRegistry::declare(Choice choice, Adapt adapt) {
  const auto name = choice.name;
  if (!choice.get) {
    choice.get = [name](const LayerChoice& l) {
      const auto it = l.further.find(name);
      return it == l.further.end() ? 0 : it->second;
    };
    choice.set = [name](LayerChoice& l, int v) {
      if (v == 0)
        l.further.erase(name);
      else
        l.further[name] = v;
    };
  }
  ensure(standard().find(name) == nullptr, "choice " + name + " is declared twice");
  declared().push_back(std::move(choice));
  if (adapt) add_adaptation(name, std::move(adapt));
}

ChoiceRegistry ChoiceRegistry::standard() {
  ChoiceRegistry r;
  for (auto* of : {choices::home_choices, choices::phase_choices, choices::tile_choices, choices::flow_choices})
    for (auto& c : of()) r.add(std::move(c));
  for (const auto& c : declared()) r.add(c);
  return r;
}

void ChoiceRegistry::add(Choice choice) {
  ensure(find(choice.name) == nullptr, "choice " + choice.name + " is declared twice");
  choices_.push_back(std::move(choice));
  ordered_.clear();
}

const std::vector<Choice>& ChoiceRegistry::all() const {
  if (!ordered_.empty()) return ordered_;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> needs;
  for (const auto& c : choices_) names.push_back(c.name), needs.push_back(c.needs);
  for (int i : canonical_order(names, needs)) ordered_.push_back(choices_[i]);
  return ordered_;
}

const Choice* ChoiceRegistry::find(const std::string& name) const {
  for (const auto& c : choices_)
    if (c.name == name) return &c;
  return nullptr;
}

}  // namespace dse::plan
