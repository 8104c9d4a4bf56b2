#include "plan/rules/in_place.h"

#include <algorithm>
#include <optional>
#include <span>

#include "plan/choices/homes.h"
#include "plan/make/make_plan.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/place/aliases.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

/// What with_in_place makes smaller, first things first.
struct Need {
  std::int64_t on_chip, all, held;
  auto operator<=>(const Need&) const = default;
};

std::optional<Need> need_of(const nn::Network& n, const hw::Device& device, const std::vector<LayerChoice>& choices,
                            bool alias_reshapes) {
  const auto made = make_plan(n, device, choices, {.alias_reshapes = alias_reshapes});
  const auto* plan = std::get_if<Plan>(&made);
  if (!plan) return std::nullopt;
  Need need{on_chip_memory(device, plan->heights), 0, 0};
  for (const auto h : plan->heights) need.all += h;
  for (const auto& b : plan->buffers)
    if (b.role != program::BufferRole::constants) need.held += b.size * (b.last - b.first + (b.over < 0 ? 1 : 0));
  return need;
}

}  // namespace

namespace {

/// The search of with_in_place.
class Setter {
 public:
  Setter(const nn::Network& n, const hw::Device& device, const std::vector<LayerChoice>& choices, bool alias_reshapes)
      : n_(n), ample_(device), alias_reshapes_(alias_reshapes), choices_(choices) {
    for (auto& m : ample_.memories) m.make_room(std::int64_t{1} << 50);  // plans that do not fit may do so in place
  }

  std::vector<LayerChoice> run() {
    const auto need = need_of(n_, ample_, choices_, alias_reshapes_);
    if (!need) return choices_;
    need_ = *need;
    const auto contexts = contexts_of(n_, ample_, choices_, alias_reshapes_);
    std::vector<int> wholes, others;
    for (const int op : layers_of(n_, alias_reshapes_)) {
      if (choices_[op].in_place || !can_be_in_place(contexts[op], choices_[op])) continue;
      (parts_of(n_, op).empty() ? others : wholes).push_back(op);
    }
    set_others(others);
    set_wholes(wholes);
    std::erase_if(others, [&](int op) { return choices_[op].in_place; });
    set_others(others);  // those that made way
    return choices_;
  }

 private:
  /// Takes the choices when they make a plan that needs less, or as much where `even`.
  bool accept(std::vector<LayerChoice> choices, bool even) {
    const auto now = need_of(n_, ample_, choices, alias_reshapes_);
    if (!now) return false;
    const auto peaks = [](const Need& n) { return std::pair(n.on_chip, n.all); };
    if (even ? peaks(*now) > peaks(need_) : *now >= need_) return false;
    need_ = *now, choices_ = std::move(choices);
    return true;
  }
  std::vector<LayerChoice> with(const std::vector<LayerChoice>& choices, std::span<const int> layers) const {
    auto out = choices;
    for (const int op : layers) out[op].in_place = true;
    return out;
  }

  /// With one more whole; element-wise layers whose operands become parts make way. Nothing when it cannot be.
  std::optional<std::vector<LayerChoice>> with_whole(std::vector<LayerChoice> choices, int op) const {
    choices[op].in_place = true;
    for (;;) {
      const auto places = place_tensors(n_, choices, alias_reshapes_);
      if (places.problem.empty()) return choices;
      if (!parts_of(n_, places.problem_layer).empty()) return std::nullopt;
      choices[places.problem_layer].in_place = false;
    }
  }
  /// One after the other; and all at once, because each alone may cost more than it saves.
  void set_wholes(const std::vector<int>& layers) {
    auto all = choices_;
    for (const int op : layers)
      if (auto more = with_whole(all, op)) all = std::move(*more);
    for (const int op : layers)
      if (auto more = with_whole(choices_, op)) accept(std::move(*more), true);
    if (choices_ != all) accept(std::move(all), false);
  }
  /// As many at once as go together: alone or not, they rarely do harm.
  void set_others(std::span<const int> layers) {
    if (layers.empty() || accept(with(choices_, layers), false) || layers.size() == 1) return;
    set_others(layers.first(layers.size() / 2));
    set_others(layers.subspan(layers.size() / 2));
  }

  const nn::Network& n_;
  hw::Device ample_;
  const bool alias_reshapes_;
  std::vector<LayerChoice> choices_;
  Need need_{};
};

}  // namespace

std::vector<LayerChoice> with_in_place(const nn::Network& n, const hw::Device& device, std::vector<LayerChoice> choices,
                                       bool alias_reshapes) {
  return Setter(n, device, choices, alias_reshapes).run();
}

}  // namespace dse::plan
