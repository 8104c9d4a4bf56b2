// In which order tiles and filters flow.
#include "plan/choices/choice_kinds.h"
#include "plan/network/layers.h"

namespace dse::plan::choices {
namespace {

using Values = std::vector<int>;

Values buffering(const LayerContext& c, const LayerChoice& l) {
  const bool tiled = l.phases == Phases::no && (l.tile != 0 || l.filters != 0 || l.channels != 0);
  return tiled && moves_anything(c, l) ? Values{0, 1} : Values{1};
}

Values orders(const LayerContext& c, const LayerChoice& l) {
  const bool both = accumulates(c.kernel().kind) && l.tile != 0 && l.filters != 0 && l.channels == 0;
  return both ? Values{0, 1} : Values{0};
}

Values stagings(const LayerContext& c, const LayerChoice& l) {
  const auto& d = *c.device;
  const int near = d.engines[l.engine_of(d)].memories.front();
  const bool detour = l.weights_memory == kStreamed && moves(c, l, d.constants) && d.copy_engine(d.constants, near) < 0;
  const bool by_set = detour && l.filters != 0 && l.channels == 0 && l.order == Order::filters_outer;
  return by_set && has_constants(*c.network, c.network->operators[c.op]) ? Values{0, 1} : Values{0};
}

}  // namespace

std::vector<Choice> flow_choices() {
  return {
      needing({"channels", "engine", "filters", "operands", "output", "phases", "tile", "weights"},
              named(
                  "buffering", "single, or double: the next tile travels while this one is computed",
                  {"double", "single"}, [](const LayerChoice& l) { return l.double_buffer ? 0 : 1; },
                  [](LayerChoice& l, int v) { l.double_buffer = v == 0; }, buffering)),
      needing({"channels", "filters", "tile"},
              named(
                  "order",
                  "filters-outer: the input is streamed again per filter set; rows-outer: the filters per row tile",
                  {"filters-outer", "rows-outer"}, [](const LayerChoice& l) { return static_cast<int>(l.order); },
                  [](LayerChoice& l, int v) { l.order = static_cast<Order>(v); }, orders)),
      needing({"channels", "engine", "filters", "operands", "order", "weights"},
              named(
                  "staging", "filters on a detour through another memory: the whole layer at once, or set by set",
                  {"whole", "sets"}, [](const LayerChoice& l) { return static_cast<int>(l.staging); },
                  [](LayerChoice& l, int v) { l.staging = static_cast<Staging>(v); }, stagings)),
  };
}

}  // namespace dse::plan::choices
