// The way through the choices of one operator: each is asked once those that it needs are made.
#pragma once
#include <vector>

#include "plan/choices/choice.h"

namespace dse::plan {

/// A choice with what it offers, given those before it.
struct OpenChoice {
  const Choice& choice;
  std::vector<int> domain;  // values worth trying; the given one alone where nobody decides
  int fallback = 0;         // its value when nothing is said
  bool given = false;       // nobody decides it
};

/// What nobody decides: nothing; where an output of the network lies; anything, because the operator is no layer.
enum class Given { nothing, home, all };

inline bool is_home(const Choice& c) { return c.name == "output" || c.name == "layout"; }

/// Where the walk begins: the default, at home in the io memory where that is given.
inline LayerChoice start_of(const LayerContext& context, Given given) {
  LayerChoice c;
  if (given == Given::home) c.output_memory = context.device->io;
  return c;
}

/// Asks `decide(open, so_far)` for the value of every choice in canonical order. @returns all of them.
template <class Decide>
LayerChoice walk(const ChoiceRegistry& registry, const LayerContext& context, LayerChoice so_far, Given given,
                 Decide&& decide) {
  for (const auto& c : registry.all()) {
    OpenChoice open{c, {}, c.get(so_far), given == Given::all || (given == Given::home && is_home(c))};
    open.domain = open.given ? std::vector<int>{open.fallback} : c.domain(context, so_far);
    if (!open.domain.empty()) open.fallback = open.domain.front();
    c.set(so_far, decide(open, static_cast<const LayerChoice&>(so_far)));
  }
  return so_far;
}

}  // namespace dse::plan
