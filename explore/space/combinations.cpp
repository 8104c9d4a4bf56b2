// The combinations of choices that one layer has.
#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "explore/space/space.h"

namespace dse::explore {
namespace {

/// Goes through the choices, the first one slowest. Each choice may depend on those before it.
class Combinations {
 public:
  Combinations(const LayerTask& task, const plan::ChoiceRegistry& registry,
               const std::map<std::string, std::vector<std::string>>& further)
      : task_(task), more_{further, {}} {
    for (const auto& choice : registry.all()) {
      if (choice.name == "output" || choice.name == "layout") continue;  // given by the task
      if (!choice.searched) continue;                                    // a matter of several layers
      const bool free = task.allowed.values.count(choice.name) == 0 && further.count(choice.name) == 0;
      steps_.push_back({&choice, free, false, {}});
    }
    partial_.resize(steps_.size() + 1);
    partial_[0].output_memory = task.output.memory;
    partial_[0].output_layout = task.output.layout;
  }

  template <class Visit>
  void each(const Visit& visit) {
    go_on(0, partial_[0], visit);
  }

  struct Step {
    const plan::Choice* choice;
    bool free;                         // nothing is said of it
    bool passed;                       // some combination goes on after it
    std::vector<std::string> offered;  // where none does so far: what is not allowed
  };
  /// After each(): the first choice after which no combination goes on; null: there is none.
  const Step* dead() const {
    const auto it = std::find_if(steps_.begin(), steps_.end(), [](const Step& s) { return !s.passed; });
    return it == steps_.end() ? nullptr : &*it;
  }

 private:
  /// `at`: what is chosen before; it is changed.
  template <class Visit>
  void go_on(std::size_t step, plan::LayerChoice& at, const Visit& visit) {
    if (step == steps_.size()) return visit(at);
    const auto& choice = *steps_[step].choice;
    auto domain = choice.domain(task_.context, at);
    if (domain.empty()) domain.push_back(choice.get(at));
    for (const int v : domain) {
      if (!allowed(steps_[step], v, domain.size())) continue;
      steps_[step].passed = true;
      auto& next = domain.size() == 1 ? at : partial_[step + 1] = at;
      choice.set(next, v);
      go_on(step + 1, next, visit);
    }
  }

  bool allowed(Step& step, int value, std::size_t offered) {
    if (step.free) return true;
    const auto& device = *task_.context.device;
    if (task_.allowed.allows(*step.choice, device, value, offered) &&
        more_.allows(*step.choice, device, value, offered))
      return true;
    if (step.passed) return false;
    const auto text = step.choice->text(device, value);
    if (std::find(step.offered.begin(), step.offered.end(), text) == step.offered.end()) step.offered.push_back(text);
    return false;
  }

  const LayerTask& task_;
  const Allowed more_;
  std::vector<Step> steps_;
  std::vector<plan::LayerChoice> partial_;  // by steps taken
};

}  // namespace

void each_choice(const LayerTask& task, const plan::ChoiceRegistry& registry,
                 const std::map<std::string, std::vector<std::string>>& further,
                 const std::function<void(const plan::LayerChoice&)>& visit) {
  Combinations(task, registry, further).each(visit);
}

std::vector<plan::LayerChoice> enumerate(const LayerTask& task, const plan::ChoiceRegistry& registry,
                                         const std::map<std::string, std::vector<std::string>>& further) {
  std::vector<plan::LayerChoice> all;
  each_choice(task, registry, further, [&](const plan::LayerChoice& c) { all.push_back(c); });
  return all;
}

std::string why_none(const LayerTask& task, const plan::ChoiceRegistry& registry) {
  Combinations combinations(task, registry, {});
  combinations.each([](const plan::LayerChoice&) {});
  const auto* dead = combinations.dead();
  if (dead == nullptr) return {};
  const auto& name = dead->choice->name;
  const auto& layer = task.context.network->operators[task.op].name;
  return fmt::format("choices.{} allows {}, but possible here {} {}", task.allowed.name_of(name, layer),
                     join_or(task.allowed.values.at(name)), dead->offered.size() > 1 ? "are" : "is",
                     join_or(dead->offered));
}

}  // namespace dse::explore
