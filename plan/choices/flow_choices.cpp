// In which order tiles and filters flow.
#include <algorithm>

#include "models/nn/graph/technique.h"
#include "plan/choices/choice_kinds.h"
#include "plan/layer/compute/batches.h"
#include "plan/layer/compute/technique.h"
#include "plan/layer/whole/pieces.h"
#include "plan/network/layers.h"

namespace dse::plan::choices {
namespace {

using Values = std::vector<int>;

/// Where operands come or go in several parts: one buffer or two of all of them, or the filters apart from the
/// activations. Three where copies of equal size take unequal times, because a memory opens pages, and there are as
/// many parts. What a plan may have beyond that gained little for the time that it takes to search
/// (docs/measurements.md).
Values buffering(const LayerContext& c, const LayerChoice& l) {
  const auto& op = c.kernel();
  const auto cut = [](int part, int all) { return part > 0 && part < all; };
  const auto thrice = [](int part, int all) { return part > 0 && 2 * std::int64_t{part} < all; };
  const int rows = l.scheme == Scheme::pixel_block ? op.out_h * op.out_w : op.out_h;
  const bool tiles = cut(l.tile, rows), sets = cut(l.filters, op.out_c);
  const bool steps = accumulates(op.kind) && cut(l.channels, op.in_c);
  bool input = false;
  for (int i = 0; i < c.input_count; ++i) input |= moves(c, l, c.inputs[i].memory);
  input &= tiles || steps || (sets && !accumulates(op.kind));
  const bool filters = (sets || steps) && moves_filters(c, l);
  const bool output = (tiles || sets) && moves(c, l, l.output_memory);
  if (l.phases == Phases::no && whole_only(c) && cuts_calls(c, l.tile))
    return {static_cast<int>(Buffering::twice), static_cast<int>(Buffering::once)};
  if (l.phases != Phases::no || !(input || filters || output)) return {static_cast<int>(Buffering::once)};
  Values out = {static_cast<int>(Buffering::twice), static_cast<int>(Buffering::once)};
  const bool pages = std::any_of(c.device->memories.begin(), c.device->memories.end(),
                                 [](const hw::Memory& m) { return m.page > 0 && m.page_miss > 0; });
  if (pages && (thrice(l.tile, rows) || thrice(l.filters, op.out_c) || (steps && thrice(l.channels, op.in_c))))
    out.push_back(static_cast<int>(Buffering::thrice));
  if (filters && (input || output))
    out.insert(out.end(), {static_cast<int>(Buffering::filters_twice), static_cast<int>(Buffering::filters_once)});
  return out;
}

/// Steps over input channels keep sums between them, in a memory that the engine reaches.
Values sums(const LayerContext& c, const LayerChoice& l) {
  Values out = {kNearest};
  const auto& memories = c.device->engines[l.engine_of(c)].memories;
  if (l.phases == Phases::no && accumulates(c.kernel().kind) && l.channels != 0 && l.channels < c.kernel().in_c)
    for (const int m : memories)
      if (m != memories.front() && m != c.device->constants && c.device->memories[m].on_chip) out.push_back(m);
  return out;
}

Values orders(const LayerContext& c, const LayerChoice& l) {
  if (!accumulates(c.kernel().kind)) return {0};
  const bool steps = l.channels != 0 && l.channels < c.kernel().in_c;
  std::vector<Order> out = {Order::filters_outer};
  if (l.filters != 0 && (l.tile != 0 || steps)) out.push_back(Order::rows_outer);
  if (l.tile != 0 && steps) out.push_back(Order::channels_outer);
  Values values;
  for (const auto o : out) values.push_back(static_cast<int>(o));
  return values;
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
      needing(
          {"channels", "engine", "filters", "operands", "output", "phases", "scheme", "tile", "weights"},
          named(
              "buffering",
              "single; double: the next tile travels while this one is computed; triple: two do; or double or single "
              "for one operand only",
              buffering_names(), [](const LayerChoice& l) { return static_cast<int>(l.buffering); },
              [](LayerChoice& l, int v) { l.buffering = static_cast<Buffering>(v); }, buffering)),
      needing({"channels", "filters", "tile"},
              named(
                  "order",
                  "filters-outer: the input is streamed again per filter set; rows-outer: the filters per row tile; "
                  "channels-outer, with steps over input channels: the input per filter set, filters once",
                  {"filters-outer", "rows-outer", "channels-outer"},
                  [](const LayerChoice& l) { return static_cast<int>(l.order); },
                  [](LayerChoice& l, int v) { l.order = static_cast<Order>(v); }, orders)),
      needing({"channels", "engine", "phases"},
              memory("sums", "where the partial sums of steps over input channels stand", "nearest",
                     &LayerChoice::sums_memory, sums)),
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
