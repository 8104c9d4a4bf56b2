// In which order tiles and filters flow.
#include <algorithm>

#include "models/nn/graph/technique.h"
#include "plan/choices/choice_kinds.h"
#include "plan/layer/compute/batches.h"
#include "plan/layer/compute/technique.h"
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
  const int near = d.engines[l.engine_of(c)].memories.front();
  const bool detour = l.weights_memory == kStreamed && moves(c, l, d.constants) && d.copy_engine(d.constants, near) < 0;
  const bool by_set = detour && l.filters != 0 && l.channels == 0 && l.order == Order::filters_outer;
  return by_set && has_constants(*c.network, c.network->operators[c.op]) ? Values{0, 1} : Values{0};
}

/// Of all filters at once, by an engine that does not compute, where a layer comes before.
Values prefetches(const LayerContext& c, const LayerChoice& l) {
  const auto& d = *c.device;
  const auto& ops = c.network->operators;
  if (std::all_of(ops.begin(), ops.begin() + c.op, [&](const auto& op) { return renames(*c.network, op); })) return {0};
  if (l.phases != Phases::no || l.weights_memory != kStreamed || l.channels != 0 ||
      d.engines[l.engine_of(c)].reaches(d.constants) || !has_constants(*c.network, ops[c.op]))
    return {0};
  const int near = d.engines[l.engine_of(c)].memories.front(), direct = d.copy_engine(d.constants, near);
  if (direct < 0) return l.staging == Staging::whole ? Values{0, 1} : Values{0};
  return l.filters == 0 && !d.engines[direct].computes() ? Values{0, 1} : Values{0};
}

std::vector<int> techniques(const LayerContext& c, const LayerChoice& l) {
  if (l.phases != Phases::no) return {DSE_DIRECT};
  return techniques_on(*c.network, c.op, c.device->engines[l.engine_of(c)]);
}

std::vector<int> batch_buffers(const LayerContext& c, const LayerChoice& l) {
  return l.batches > 1 && c.device->engines[l.engine_of(c)].rescales_apart ? Values{1, 2} : Values{1};
}

}  // namespace

std::vector<Choice> flow_choices() {
  return {
      needing({"engine", "phases"},
              named(
                  "technique",
                  "how a convolution is computed: directly, or as the engine's techniques say, with scratch for what "
                  "they arrange",
                  nn::technique_names(), [](const LayerChoice& l) { return l.technique; },
                  [](LayerChoice& l, int v) { l.technique = v; }, techniques)),
      needing({"channels", "engine", "filters", "phases", "scheme", "technique", "tile"},
              counted("batches",
                      "output batches M of the layer, where the engine's sums stand in memory: scratch holds the sums "
                      "of one",
                      &LayerChoice::batches, batches_of)),
      needing({"batches", "engine"},
              counted("batch_buffers", "2: a batch is summed while the one before is rescaled, with scratch for both",
                      &LayerChoice::batch_buffers, batch_buffers)),
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
      needing({"channels", "engine", "filters", "phases", "staging", "weights"},
              named(
                  "prefetch", "yes: the filters are fetched while the layer before runs, as far as they first come to",
                  {"no", "yes"}, [](const LayerChoice& l) { return l.prefetch ? 1 : 0; },
                  [](LayerChoice& l, int v) { l.prefetch = v == 1; }, prefetches)),
  };
}

}  // namespace dse::plan::choices
