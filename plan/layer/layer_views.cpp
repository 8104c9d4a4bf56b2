#include "plan/layer/layer_views.h"

#include "plan/layer/nest/buffers.h"

namespace dse::plan {

using program::View;

namespace {

View image(int arena, std::int64_t offset, TensorLayout layout, int h, int w, int c, int elem) {
  View v;
  v.arena = arena;
  v.offset = offset;
  v.shape.elem = elem;
  if (layout == TensorLayout::hwc) {
    v.shape.stride_c = elem, v.shape.stride_w = c * elem, v.shape.stride_h = w * c * elem;
  } else {
    v.shape.stride_w = elem, v.shape.stride_h = w * elem, v.shape.stride_c = h * w * elem;
  }
  return v;
}

/// Of fewer rows or channels than there are, the coordinates wrap.
View ring(View v, int rows, int all_rows, int channels, int all_channels) {
  v.shape.ring_h = rows < all_rows ? rows : 0;
  v.shape.ring_c = channels < all_channels ? channels : 0;
  return v;
}

/// At home a tensor may be a part of a larger image.
View in_whole(View v, const Strides& s) {
  if (s.dense()) return v;
  v.shape.stride_w = static_cast<std::int32_t>(s.w), v.shape.stride_h = static_cast<std::int32_t>(s.h);
  return v;
}

}  // namespace

std::int64_t LayerViews::local(const std::string& name) const {
  for (std::size_t i = 0; i < g_.buffers.size(); ++i)
    if (g_.buffers[i].name == name) return o_.buffers[i];
  throw InvariantError("layer has no buffer " + name);
}

View LayerViews::home_of_input(int i) const {
  return in_whole(image(g_.inputs[i].home.memory, o_.inputs[i], g_.inputs[i].home.layout, g_.op.in_h, g_.op.in_w,
                        g_.op.in_c, input_element(g_.op, i)),
                  g_.inputs[i].home.inside);
}

View LayerViews::home_of_output() const {
  return in_whole(image(g_.output.memory, o_.output, g_.output.layout, g_.op.out_h, g_.op.out_w, g_.op.out_c,
                        dse_type_bytes(g_.op.out_type)),
                  g_.output.inside);
}

View LayerViews::input_view(int i) const {
  const auto& in = g_.inputs[i];
  if (in.in_place) return home_of_input(i);
  return input_ring(i, g_.near, local("in" + std::to_string(i)), g_.tile_layout, in.ring_h, in.ring_c);
}

View LayerViews::input_between(int i) const {
  const auto& in = g_.inputs[i];
  return input_ring(i, in.way.through, local("in" + std::to_string(i) + "_stage"), in.home.layout, in.way.ring_h,
                    in.way.ring_c);
}

View LayerViews::input_ring(int i, int arena, std::int64_t offset, TensorLayout layout, int rows, int channels) const {
  return ring(image(arena, offset, layout, rows, g_.op.in_w, channels ? channels : g_.inputs[i].tile_c,
                    input_element(g_.op, i)),
              rows, g_.op.in_h, channels, g_.op.in_c);
}

View LayerViews::output_view() const {
  if (g_.output_in_place) return home_of_output();
  return output_ring(g_.near, local("out"), g_.out_ring_h, g_.out_ring_c);
}

View LayerViews::output_between() const {
  const auto& way = g_.output_way;
  return output_ring(way.through, local("out_stage"), way.ring_h, way.ring_c);
}

View LayerViews::output_ring(int arena, std::int64_t offset, int rows, int channels) const {
  return ring(image(arena, offset, g_.output.layout, rows, g_.op.out_w, channels ? channels : g_.op.out_c,
                    dse_type_bytes(g_.op.out_type)),
              rows, g_.op.out_h, channels, g_.op.out_c);
}

View LayerViews::records(int arena, std::int64_t offset, std::int64_t ring) const {
  View v;
  v.arena = arena;
  v.offset = offset;
  v.shape.elem = 1;
  v.shape.stride_h = static_cast<std::int32_t>(g_.record);
  v.shape.stride_c = 1;
  v.shape.ring_h = ring < g_.op.out_c ? static_cast<std::int32_t>(ring) : 0;
  return v;
}

View LayerViews::filters_apart(int arena, std::int64_t offset) const {
  const int elem = dse_type_bytes(g_.op.weight_type);
  View v;
  v.arena = arena;
  v.offset = offset;
  v.shape.elem = v.shape.stride_c = elem;
  v.shape.stride_w = elem * (g_.op.kind == DSE_DEPTHWISE_CONV_2D ? g_.op.out_c : filter_inputs());
  v.shape.stride_h = g_.op.kind == DSE_DEPTHWISE_CONV_2D ? elem : taps() * filter_inputs() * elem;
  return v;
}

View LayerViews::planes(int arena, std::int64_t offset, int out_channels, int ring_h, int ring_c) const {
  View v;
  v.arena = arena;
  v.offset = offset;
  const int elem = dse_type_bytes(g_.op.weight_type);
  v.shape.elem = elem;
  v.shape.stride_h = taps() * elem;
  v.shape.stride_w = elem;
  v.shape.stride_c = out_channels * taps() * elem;
  v.shape.ring_h = ring_h;
  v.shape.ring_c = ring_c;
  return v;
}

View LayerViews::near_planes() const {
  const auto held = held_planes(g_);
  return planes(g_.near, local("weights"), held.filters, held.filters < g_.op.out_c ? held.filters : 0,
                held.channels < g_.op.in_c ? held.channels : 0);
}

View LayerViews::partial_sums() const {
  const auto held = held_sums(g_);
  View v;
  v.arena = g_.sums_memory;
  v.offset = local("partial_sums");
  const int elem = accumulator_bytes(g_.op);
  v.shape.elem = elem;
  v.shape.stride_c = elem;
  v.shape.stride_w = elem * held.filters;
  v.shape.stride_h = elem * held.filters * g_.op.out_w;
  v.shape.ring_h = held.rows < g_.op.out_h ? held.rows : 0;
  v.shape.ring_c = held.filters < g_.op.out_c ? held.filters : 0;
  return v;
}

View LayerViews::flat(int arena, std::int64_t offset) {
  View v;
  v.arena = arena, v.offset = offset;
  v.shape.elem = 1, v.shape.stride_c = 1;
  return v;
}

}  // namespace dse::plan
