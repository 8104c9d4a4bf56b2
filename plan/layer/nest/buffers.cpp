#include "plan/layer/nest/buffers.h"

#include <algorithm>

#include "plan/layer/nest/loops.h"

namespace dse::plan {
namespace {

std::int64_t product(std::int64_t a, std::int64_t b, std::int64_t c) { return a * b * c; }

/// Input rows in the nearest memory: a window and, where tiles bring the rows that the one before did not need, room
/// for those that come meanwhile.
int held_rows(const LayerGeometry& g) {
  const int window = window_rows(g), fresh = fresh_rows(g), further = g.nest.input.depth - 1;
  if (g.tiles == 1) return std::max(1, window - g.op.pad_top);
  if (loads_bands(g)) return window;
  return further > 0 ? window + further * fresh : std::max(window, fresh);
}

/// Rows that the memory between holds of an input: tiles come there one ahead of the nearest memory.
int rows_between(const LayerGeometry& g, int near_rows) {
  if (loads_bands(g) || g.tiles == 1) return near_rows;
  return std::min(g.op.in_h, std::max(window_rows(g), fresh_rows(g)) + fresh_rows(g));
}

}  // namespace

std::optional<Way> way_of(const hw::Device& device, int from, int to) {
  if (device.copy_engine(from, to) >= 0) return Way{};
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m)
    if (m != from && m != to && device.memories[static_cast<std::size_t>(m)].on_chip &&
        device.copy_engine(from, m) >= 0 && device.copy_engine(m, to) >= 0)
      return Way{.through = m};
  return std::nullopt;
}

Order order_in(const LayerGeometry& g, Order chosen) {
  const bool stepped = g.steps > 1;
  const bool rows = stepped ? g.sets > 1 : g.tiles > 1 && g.sets > 1 && !g.channelwise;
  if (chosen == Order::rows_outer && rows) return chosen;
  return chosen == Order::channels_outer && stepped && g.tiles > 1 ? chosen : Order::filters_outer;
}

void hold_inputs(LayerGeometry& g) {
  const bool sliced = g.steps > 1 || (g.channelwise && g.sets > 1);
  const bool turns = loads_bands(g) || g.tiles == 1;  // it is the channels that the buffers are of, not the rows
  for (int i = 0; i < g.input_count; ++i) {
    auto& in = g.inputs[i];
    if (in.in_place) continue;
    in.tile_c = tile_channels(g);
    in.ring_h = std::min(g.op.in_h, held_rows(g));
    in.ring_c = sliced ? std::min(in.tile_c * (turns ? g.nest.input.depth : 1), g.op.in_c) : 0;
    const int held = in.ring_c ? in.ring_c : in.tile_c;
    g.buffers.push_back({"in" + std::to_string(i), program::BufferRole::tile, g.near,
                         product(in.ring_h, g.op.in_w, held) * input_element(g.op, i)});
    if (in.way.direct()) continue;
    in.way.ring_h = rows_between(g, in.ring_h);
    in.way.ring_c = sliced ? std::min(in.tile_c * (turns && g.nest.input.varies() ? 2 : 1), g.op.in_c) : 0;
    const int channels = in.way.ring_c ? in.way.ring_c : in.tile_c;
    g.buffers.push_back({"in" + std::to_string(i) + "_stage", program::BufferRole::staging, in.way.through,
                         product(in.way.ring_h, g.op.in_w, channels) * input_element(g.op, i)});
  }
}

void hold_output(LayerGeometry& g) {
  if (g.output_in_place) return;
  const int depth = g.nest.output.depth;
  const bool by_rows = g.tiles > 1 && g.order != Order::channels_outer;  // else whole sets are stored
  const bool all_channels = g.sets == 1 || g.order == Order::rows_outer;
  g.out_ring_h = by_rows ? std::min(g.op.out_h, depth * g.tile) : g.op.out_h;
  g.out_ring_c = all_channels ? 0 : std::min(g.op.out_c, by_rows ? g.filters : depth * g.filters);
  g.buffers.push_back(
      {"out", program::BufferRole::tile, g.near,
       product(g.out_ring_h, g.op.out_w, g.out_ring_c ? g.out_ring_c : g.op.out_c) * dse_type_bytes(g.op.out_type)});
  auto& way = g.output_way;
  if (way.direct()) return;
  way.ring_h = by_rows ? std::min(g.op.out_h, 2 * g.tile) : g.op.out_h;
  way.ring_c = all_channels ? 0 : std::min(g.op.out_c, by_rows ? g.filters : 2 * g.filters);
  g.buffers.push_back(
      {"out_stage", program::BufferRole::staging, way.through,
       product(way.ring_h, g.op.out_w, way.ring_c ? way.ring_c : g.op.out_c) * dse_type_bytes(g.op.out_type)});
}

void hold_filters(LayerGeometry& g) {
  const bool records = g.form == WeightForm::filter_major;
  std::int64_t bytes = 0;
  if (records) {
    bytes = std::min(std::int64_t{g.op.out_c}, std::int64_t{g.filters} * g.nest.filters.depth) * g.record;
  } else {
    const auto held = held_planes(g);
    bytes = product(held.filters, held.channels, std::int64_t{g.op.kernel_h} * g.op.kernel_w) *
            dse_type_bytes(g.op.weight_type);
  }
  g.buffers.push_back({"weights", program::BufferRole::weights, g.near, bytes});
  if (!records)
    g.buffers.push_back({"qparams", program::BufferRole::weights, g.near,
                         std::int64_t{dse_record_bytes(&g.op)} * (g.nest.parameters >= 0 ? g.filters : g.op.out_c)});
  if (!records || g.order != Order::filters_outer || g.sets == 1) g.staging = Staging::whole;
  if (g.stage_memory < 0) return;
  g.buffers.push_back(
      {"stage", program::BufferRole::staging, g.stage_memory, g.staging == Staging::sets ? bytes : g.weight_bytes});
}

void hold_sums(LayerGeometry& g) {
  if (g.steps == 1) return;
  const auto held = held_sums(g);
  g.buffers.push_back({"partial_sums", program::BufferRole::partial_sums, g.sums_memory,
                       product(held.rows, g.op.out_w, held.filters) * accumulator_bytes(g.op)});
}

HeldPlanes held_planes(const LayerGeometry& g) {
  const int depth = g.nest.filters.depth;
  if (g.order == Order::rows_outer) return {std::min(g.op.out_c, depth * g.filters), g.channels};
  return {g.filters, std::min(g.op.in_c, depth * g.channels)};
}

HeldSums held_sums(const LayerGeometry& g) {
  return {g.order == Order::channels_outer ? g.op.out_h : g.tile,
          g.order == Order::rows_outer ? g.op.out_c : g.filters};
}

}  // namespace dse::plan
