#include <algorithm>

#include "models/hw/libraries/shape_table.h"
#include "models/hw/libraries/work_list.h"
#include "models/nn/graph/views.h"
#include "plan/layer/adapt.h"
#include "plan/layer/compute/accumulators.h"
#include "plan/layer/compute/batches.h"
#include "plan/layer/compute/technique.h"
#include "plan/layer/layer.h"
#include "plan/layer/nest/buffers.h"
#include "plan/layer/nest/loops.h"
#include "plan/layer/prefetch.h"
#include "plan/layer/schemes/scheme.h"
#include "plan/layer/whole/whole_layer.h"
#include "plan/network/layers.h"
#include "plan/segment/phased.h"

namespace dse::plan {

namespace {

LayerGeometry infeasible(LayerGeometry& g, std::string why) {
  g.feasible = false;
  g.reason = std::move(why);
  return std::move(g);
}

/// Normalises the operators whose windows mean nothing (add, softmax, copy) to 1 x 1 windows, so that one formula
/// serves all.
void normalise(dse_op& op) {
  const bool windowed = op.kind == DSE_CONV_2D || op.kind == DSE_DEPTHWISE_CONV_2D || op.kind == DSE_AVERAGE_POOL_2D ||
                        op.kind == DSE_MAX_POOL_2D;
  if (!windowed) {
    op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
    op.pad_top = op.pad_left = 0;
  }
  if (op.kind == DSE_COPY) {
    const int n = op.out_h * op.out_w * op.out_c;
    op.in_h = op.in_w = op.out_h = op.out_w = 1;
    op.in_c = op.out_c = n;
  }
  if (op.dilation_h < 1) op.dilation_h = 1;
  if (op.dilation_w < 1) op.dilation_w = 1;
}

/// What the engine reaches is used where it lies, unless all operands are to be tiled.
bool reads_in_place(const LayerGeometry& g, const LayerContext& context, const LayerChoice& choice, int memory) {
  return context.device->engines[g.engine].reaches(memory) &&
         (choice.operands == Operands::automatic || memory == g.near);
}

/// Operands that are parts of larger images. @returns what is in the way.
std::string place_in_wholes(LayerGeometry& g, const LayerContext& context) {
  const auto& n = *context.network;
  const auto& op = n.operators[context.op];
  const auto is_image = [&](int tensor, std::int64_t h, std::int64_t w, std::int64_t c) {
    const auto i = n.tensors[tensor].image();
    return g.op.kind != DSE_COPY && i.h == h && i.w == w && i.c == c;
  };
  const auto inputs = activations(n, op);
  for (int i = 0; i < context.input_count; ++i) {
    g.inputs[i].home = context.inputs[i];
    if (!g.inputs[i].home.inside.dense() && !is_image(inputs[i], g.op.in_h, g.op.in_w, g.op.in_c))
      return "it takes its input for another shape, which a part of a larger tensor does not have";
  }
  g.output.inside = context.output_inside;
  if (!g.output.inside.dense() && !is_image(op.outputs[0], g.op.out_h, g.op.out_w, g.op.out_c))
    return "it takes its output for another shape, which a part of a larger tensor does not have";
  return {};
}

std::string no_way(const hw::Device& device, int from, int to) {
  return "no copy engine leads from " + device.memories[from].name + " to " + device.memories[to].name;
}

bool place_weights(LayerGeometry& g, const LayerContext& context, const LayerChoice& choice) {
  const auto& device = *context.device;
  const auto& op = context.network->operators[context.op];
  if (!has_constants(*context.network, op)) return true;
  const bool resident = choice.weights_memory != kStreamed;
  g.weights_from = resident ? choice.weights_memory : device.constants;
  g.weights_in_place = reads_in_place(g, context, choice, g.weights_from);
  g.form = g.whole              ? WeightForm::blob
           : g.steps > 1        ? WeightForm::plane_major
           : g.weights_in_place ? WeightForm::apart
                                : WeightForm::filter_major;
  g.weight_bytes = packed_bytes(*context.network, op, g.form);
  g.record = filter_record_bytes(op.kernel);
  if (g.weights_in_place) return true;
  g.staging = choice.staging;
  const auto way = way_of(device, g.weights_from, g.near);
  if (!way) {
    g.reason = no_way(device, g.weights_from, g.near);
    return false;
  }
  g.stage_memory = way->through;
  if (g.whole) {
    g.staging = Staging::whole;
    g.buffers.push_back({"weights", program::BufferRole::weights, g.near, g.weight_bytes});
    if (g.stage_memory >= 0)
      g.buffers.push_back({"stage", program::BufferRole::staging, g.stage_memory, g.weight_bytes});
    return true;
  }
  hold_filters(g);
  return true;
}

/// Nothing says what the engine takes for the largest of the layer's tiles, or for a call of a layer without tiles. A
/// layer by phases may make all of its rows at once.
std::string why_no_cycles(const LayerGeometry& g, const LayerContext& context) {
  const auto& engine = context.device->engines[g.engine];
  const bool transforms = engine.is_array() && context.network->operators[context.op].options.spectral;
  if ((engine.kind != hw::EngineKind::table && !transforms) || g.placed) return {};
  if (g.whole) return why_not_timed(engine, context.network->operators[context.op]);
  auto largest = program::whole_call(g.op);
  largest.tile.y.hi = g.tile, largest.tile.c.hi = g.filters;
  if (g.steps > 1) largest.tile.k.hi = g.channels;
  return hw::why_not_timed(engine, largest);
}

/// An input that lies as planes is of the shape that the operator reads: a fully connected layer reads an image as one
/// row of channels.
std::string why_not_as_planes(const LayerGeometry& g, const LayerContext& context, int input) {
  if (context.inputs[static_cast<std::size_t>(input)].layout == TensorLayout::hwc) return {};
  const auto& n = *context.network;
  const int tensor = activations(n, n.operators[context.op]).at(static_cast<std::size_t>(input));
  const auto image = n.tensors[origin(n, tensor)].image();
  if (image.h == g.op.in_h && image.w == g.op.in_w && image.c == g.op.in_c) return {};
  return n.tensors[tensor].name + " is read in another shape, which planes do not have";
}

LayerGeometry geometry_of(const LayerContext& context, const LayerChoice& choice, bool timed) {
  const auto& device = *context.device;
  const auto& op = context.network->operators[context.op];
  LayerGeometry g;
  g.scheme = &scheme_of(choice.scheme);
  g.engine = choice.engine_of(context);
  if (g.engine < 0) return infeasible(g, "the device has no engine that computes");
  g.op = computed(op.kernel, choice, device.engines[g.engine]);  // whether a technique fits, windows and steps tell
  normalise(g.op);
  if (auto why = hw::why_not_taken(device, device.engines[g.engine], op.kernel); !why.empty())
    return infeasible(g, std::move(why));
  if (auto why = why_no_technique(context, choice); !why.empty()) return infeasible(g, std::move(why));
  if (auto why = why_no_accumulators(context, choice); !why.empty()) return infeasible(g, std::move(why));
  g.near = device.engines[g.engine].memories.front();
  g.input_count = context.input_count;
  g.channelwise = !accumulates(g.op.kind);
  g.depth = depths_of(choice.buffering);

  if (g.op.in_type == DSE_I16 || g.op.weight_type == DSE_I16) {
    const auto& e = device.engines[g.engine];
    if (e.kind == hw::EngineKind::mac_array && op.macs > 0 && !e.macs_per_cycle.contains("int16"))
      return infeasible(g, e.name + " multiplies no 16-bit numbers (macs_per_cycle has no int16)");
  }
  if (choice.phases != Phases::no) {
    if (!by_rows(*context.network, op)) return infeasible(g, "it cannot run by rows, so not by phases");
    if (auto why = phased_geometry(g, context, choice); !why.empty()) return infeasible(g, std::move(why));
    if (auto why = timed ? why_no_cycles(g, context) : ""; !why.empty()) return infeasible(g, std::move(why));
    if (!place_weights(g, context, choice)) return infeasible(g, g.reason);
    g.feasible = true;
    return g;
  }
  if (is_whole(*context.network, op)) {
    if (auto why = whole_geometry(g, context, choice); !why.empty()) return infeasible(g, std::move(why));
    if (auto why = timed ? why_no_cycles(g, context) : ""; !why.empty()) return infeasible(g, std::move(why));
    if (!place_weights(g, context, choice)) return infeasible(g, g.reason);
    g.feasible = true;
    return g;
  }
  if (auto why = place_in_wholes(g, context); !why.empty()) return infeasible(g, std::move(why));
  if (auto why = g.scheme->prepare(g, context, choice); !why.empty()) return infeasible(g, std::move(why));
  const bool whole_only = g.op.kind == DSE_SOFTMAX || g.op.kind == DSE_COPY;
  g.tile = whole_only ? g.op.out_h : pick(choice.tile, g.op.out_h);
  g.tiles = static_cast<int>(ceil_div(std::int64_t{g.op.out_h}, g.tile));
  g.filters = whole_only ? g.op.out_c : pick(choice.filters, g.op.out_c);
  g.sets = static_cast<int>(ceil_div(std::int64_t{g.op.out_c}, g.filters));
  if (g.op.kind == DSE_DEPTHWISE_CONV_2D && g.sets > 1 && g.filters % std::max(1, g.op.multiplier) != 0)
    return infeasible(g, "a filter set must hold whole input channels");
  g.order = order_in(g, choice.order);
  g.nest = nest_of(g);
  if (auto why = timed ? why_no_cycles(g, context) : ""; !why.empty()) return infeasible(g, std::move(why));

  for (int i = 0; i < context.input_count; ++i) {
    if (auto why = why_not_as_planes(g, context, i); !why.empty()) return infeasible(g, std::move(why));
    const int home = context.inputs[i].memory;
    if (device.engines[g.engine].reaches(home)) continue;
    const auto way = way_of(device, home, g.near);
    if (!way) return infeasible(g, no_way(device, home, g.near));
    g.inputs[i].way = *way;
  }
  if (choice.output_memory < 0) return infeasible(g, "the output has no home");
  if (!device.engines[g.engine].reaches(choice.output_memory)) {
    const auto way = way_of(device, g.near, choice.output_memory);
    if (!way) return infeasible(g, no_way(device, g.near, choice.output_memory));
    g.output_way = *way;
  }
  for (int i = 0; i < g.input_count; ++i)
    g.inputs[i].in_place = reads_in_place(g, context, choice, g.inputs[i].home.memory);
  g.output.memory = choice.output_memory, g.output.layout = choice.output_layout;
  g.output_in_place = reads_in_place(g, context, choice, g.output.memory);
  g.sums_memory = choice.sums_memory == kNearest ? g.near : choice.sums_memory;
  if (g.steps > 1 && !device.engines[g.engine].reaches(g.sums_memory))
    return infeasible(g, device.engines[g.engine].name + " does not reach " + device.memories[g.sums_memory].name +
                             ", where partial sums are to stand");
  hold_inputs(g);
  hold_output(g);
  if (!place_weights(g, context, choice)) return infeasible(g, g.reason);
  hold_sums(g);
  const bool stepped = g.steps > 1;  // sums of several steps stand in partial_sums
  dse_tile whole{{0, g.tile}, {0, g.op.out_w}, {0, g.filters}, {0, stepped ? g.channels : g.op.in_c}, 0};
  if (!stepped) whole.flags = DSE_FIRST | DSE_LAST;
  if (const auto scratch = dse_scratch_bytes(&g.op, &whole); scratch > 0)
    g.buffers.push_back({"scratch", program::BufferRole::scratch, g.near, scratch});
  g.feasible = true;
  return g;
}

}  // namespace

int default_engine(const LayerContext& context) {
  const auto& op = context.network->operators[context.op];
  return op.calls.size() == 1 ? hw::engine_for(*context.device, op.kernel) : context.device->compute_engine();
}

int LayerChoice::engine_of(const LayerContext& context) const {
  if (engine >= 0) return engine;
  return phases == Phases::no ? default_engine(context) : context.device->compute_engine();
}

LayerGeometry layer_geometry(const LayerContext& context, const LayerChoice& choice, bool timed) {
  if (!choice.further.empty()) {
    auto adapted_choice = adapted(context, choice);
    adapted_choice.further.clear();
    return layer_geometry(context, adapted_choice, timed);
  }
  auto g = geometry_of(context, choice, timed);
  if (!choice.prefetch || !g.feasible) return g;
  if (const auto why = why_no_prefetch(g, *context.device); !why.empty())
    return infeasible(g, "its filters cannot be fetched while the layer before runs: " + why);
  g.prefetched = true;
  return g;
}

}  // namespace dse::plan
