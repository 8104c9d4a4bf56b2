#include "plan/layer/nest/loops.h"

#include <algorithm>

namespace dse::plan {
namespace {

/// As chosen, outermost first.
std::vector<Loop> order_of(Order order) {
  switch (order) {
    case Order::filters_outer:
      return {Loop::sets, Loop::rows, Loop::steps};
    case Order::rows_outer:
      return {Loop::rows, Loop::steps, Loop::sets};
    case Order::channels_outer:
      return {Loop::sets, Loop::steps, Loop::rows};
  }
  return {};
}

int turns(const LayerGeometry& g, Loop loop) {
  return loop == Loop::sets ? g.sets : loop == Loop::rows ? g.tiles : g.steps;
}

}  // namespace

Nest nest_of(const LayerGeometry& g) {
  Nest nest;
  for (const auto loop : order_of(g.order))
    if (turns(g, loop) > 1) nest.loops.push_back(loop);
  const auto stream = [&](std::initializer_list<Loop> varies, int buffers) {
    Stream s;
    for (const auto loop : varies) s.loop = std::max(s.loop, nest.index(loop));
    if (s.varies()) s.depth = std::min(buffers, turns(g, nest.loops[static_cast<std::size_t>(s.loop)]));
    return s;
  };
  nest.input = g.channelwise ? stream({Loop::sets, Loop::rows, Loop::steps}, g.depth.input)
                             : stream({Loop::rows, Loop::steps}, g.depth.input);
  nest.filters = stream({Loop::sets, Loop::steps}, g.depth.filters);
  // Stored outside of the loop over steps, and by rows-outer with the channels of all sets.
  switch (g.order) {
    case Order::filters_outer:
      nest.output = stream({Loop::sets, Loop::rows}, g.depth.output);
      nest.parameters = nest.index(Loop::sets);
      break;
    case Order::rows_outer:
      nest.output = stream({Loop::rows}, g.depth.output);
      break;
    case Order::channels_outer:
      nest.output = stream({Loop::sets}, g.depth.output);
      nest.parameters = nest.index(Loop::sets);
      break;
  }
  return nest;
}

bool loads_bands(const LayerGeometry& g) { return g.steps > 1 && g.order != Order::channels_outer; }

int window_rows(const LayerGeometry& g) {
  return (g.tile - 1) * g.op.stride_h + (g.op.kernel_h - 1) * g.op.dilation_h + 1;
}

int fresh_rows(const LayerGeometry& g) { return g.tile * g.op.stride_h; }

int tile_channels(const LayerGeometry& g) {
  if (g.channelwise && g.sets > 1)
    return g.filters / (g.op.kind == DSE_DEPTHWISE_CONV_2D ? std::max(1, g.op.multiplier) : 1);
  return g.steps > 1 ? g.channels : g.op.in_c;
}

int stores_under_way(const LayerGeometry& g, int room) {
  const bool again = g.order == Order::filters_outer && g.sets > 1 && g.tiles > 1;  // the rings of rows begin anew
  return again ? (g.tiles - 1) % room : room - 1;
}

}  // namespace dse::plan
