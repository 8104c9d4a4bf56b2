#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/alloc/allocate.h"
#include "plan/layer/whole_layer.h"
#include "plan/place/aliases.h"
#include "plan/place/arena.h"
#include "plan/place/greedy.h"
#include "plan/place/input_rows.h"
#include "plan/segment/phased.h"

namespace dse::plan {

std::vector<int> alias_roots(const nn::Network& network, bool alias_reshapes) {
  std::vector<int> root(network.tensors.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  if (alias_reshapes)
    for (const auto& op : network.operators)
      if (renames(network, op)) root[op.outputs[0]] = root[op.inputs[0]];
  return root;
}

std::vector<int> layers_of(const nn::Network& network, bool alias_reshapes) {
  std::vector<int> out;
  for (std::size_t i = 0; i < network.operators.size(); ++i)
    if (!alias_reshapes || !renames(network, network.operators[i])) out.push_back(static_cast<int>(i));
  return out;
}

namespace {

/// `root` and `places` are those of all tensors.
LayerContext context_with(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                          int op, const std::vector<int>& root, const TensorPlaces& places) {
  LayerContext c;
  c.network = &network;
  c.device = &device;
  c.op = op;
  const auto inputs = activations(network, network.operators[op]);
  c.input_count = static_cast<int>(inputs.size());
  c.inputs.resize(std::max<std::size_t>(2, inputs.size()));
  c.input_strides.resize(c.inputs.size());
  for (int i = 0; i < c.input_count; ++i) {
    const int producer = network.producer(root[inputs[i]]);
    c.inputs[i] = producer < 0 ? Home{device.io, TensorLayout::hwc}
                               : Home{choices[producer].output_memory, choices[producer].output_layout};
    c.input_strides[i] = places.of[inputs[i]].strides;
  }
  c.output_strides = places.of[network.operators[op].outputs[0]].strides;
  return c;
}

}  // namespace

LayerContext context_of(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                        int op, bool alias_reshapes) {
  return context_with(network, device, choices, op, alias_roots(network, alias_reshapes),
                      place_tensors(network, choices, alias_reshapes));
}

std::vector<LayerContext> contexts_of(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes) {
  const auto root = alias_roots(network, alias_reshapes);
  const auto places = place_tensors(network, choices, alias_reshapes);
  std::vector<LayerContext> out(network.operators.size());
  for (int op : layers_of(network, alias_reshapes)) out[op] = context_with(network, device, choices, op, root, places);
  return out;
}

std::vector<LayerGeometry> geometries(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes) {
  std::vector<LayerGeometry> out(network.operators.size());
  const auto contexts = contexts_of(network, device, choices, alias_reshapes);
  for (int op : layers_of(network, alias_reshapes)) out[op] = layer_geometry(contexts[op], choices[op]);
  return out;
}

std::int64_t on_chip_memory(const hw::Device& device, const std::vector<std::int64_t>& per_memory) {
  std::int64_t sum = 0;
  for (std::size_t m = 0; m < per_memory.size(); ++m)
    if (device.memories[m].on_chip) sum += per_memory[m];
  return sum;
}

namespace {

std::string kib(std::int64_t bytes) { return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024.0); }

/// Every buffer with its lifetime; offsets come later.
std::vector<PlacedBuffer> collect(const nn::Network& network, const std::vector<LayerGeometry>& geometry,
                                  const std::vector<LayerChoice>& choices, const hw::Device& device,
                                  const std::vector<Segment>& segments, const TensorPlaces& places, bool alias_reshapes,
                                  shared::Input mode, std::int64_t& constants_size) {
  std::vector<PlacedBuffer> out;
  constants_size = 0;
  const auto layers = layers_of(network, alias_reshapes);
  const int last = static_cast<int>(segments.size()) - 1;
  std::vector<int> section(network.operators.size(), -1);
  for (std::size_t s = 0; s < segments.size(); ++s)
    for (const int op : segments[s].operators) section[op] = static_cast<int>(s);

  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    if (places.of[t].root != static_cast<int>(t)) continue;
    if (network.tensors[t].kind == nn::TensorKind::variable) {  // kept from run to run
      const auto name = "t" + std::to_string(t);
      const std::int64_t size = network.tensors[t].bytes();
      out.push_back({name, program::BufferRole::state, device.io, 0, size, 0, last, static_cast<int>(t)});
      out.push_back(
          {name + ".initial", program::BufferRole::constants, device.constants, constants_size, size, 0, last, -1});
      constants_size += round_up(size, 16);
      continue;
    }
    const int producer = network.producer(static_cast<int>(t));
    const bool input = std::count(network.inputs.begin(), network.inputs.end(), static_cast<int>(t)) > 0;
    if (producer < 0 && !input) continue;  // constants, optional operands
    PlacedBuffer b;
    b.name = "t" + std::to_string(t);
    b.tensor = static_cast<int>(t);
    b.size = network.tensors[t].bytes();
    b.memory = producer < 0 ? device.io : choices[producer].output_memory;
    b.first = producer < 0 ? 0 : section[producer];
    b.last = b.first;
    for (std::size_t a = 0; a < network.tensors.size(); ++a) {
      if (places.of[a].root != static_cast<int>(t)) continue;
      if (const int maker = network.producer(static_cast<int>(a)); maker >= 0 && section[maker] >= 0)
        b.first = std::min(b.first, section[maker]);  // of its parts
      for (int consumer : network.consumers(static_cast<int>(a))) b.last = std::max(b.last, section[consumer]);
      if (std::count(network.outputs.begin(), network.outputs.end(), static_cast<int>(a))) b.last = last;
    }
    if (input && producer < 0 && !place_input(network, device, alias_reshapes, mode, section, b, out)) continue;
    b.over = places.over[t];
    out.push_back(b);
  }
  for (int op : layers) {
    const auto& g = geometry[op];
    const auto& name = network.operators[op].name;
    for (const auto& l : g.buffers)
      out.push_back({name + "." + l.name, l.role, l.memory, 0, l.size, section[op], section[op], -1});
    if (g.form == WeightForm::none) continue;
    if (g.form == WeightForm::blob) constants_size = round_up(constants_size, 16);
    out.push_back({name + ".constants", program::BufferRole::constants, device.constants, constants_size,
                   g.weight_bytes, 0, last, -1});
    constants_size += round_up(g.weight_bytes, 4);
    if (choices[op].weights_memory != kStreamed)
      out.push_back({name + ".resident", program::BufferRole::weights, choices[op].weights_memory, 0, g.weight_bytes, 0,
                     last, -1});
  }
  return out;
}

using Rings = std::map<std::string, const shared::TensorUse*>;  // by buffer

/// The buffers `of` with all the shapes that they may have.
std::vector<shared::Piece> pieces_of(const Plan& plan, const std::vector<int>& of, const Rings& rings,
                                     std::int64_t extra_slots) {
  std::vector<shared::Piece> pieces;
  for (const int i : of) {
    const auto& b = plan.buffers[i];
    const auto ring = rings.find(b.name);
    pieces.push_back({{}, b.life.alignment});
    if (ring != rings.end())
      pieces.back().shapes = shared::ring_shapes(*ring->second, 1, extra_slots);
    else
      pieces.back().shapes = {shared::shape_of(b.life)};
  }
  return pieces;
}

/// Rings that lie on both sides of their ends leave room between, which the allocator does not see: where that makes
/// memory `m` lower, the buffers `of` get other offsets, and rings more slots or shifted rows.
void interleave(Plan& plan, int m, std::int64_t base, const std::vector<int>& of, const alloc::Layout& layout,
                const Rings& rings) {
  constexpr std::int64_t kExtraSlots = 3;
  if (std::none_of(of.begin(), of.end(), [&](int i) { return rings.count(plan.buffers[i].name) > 0; })) return;
  auto pieces = pieces_of(plan, of, rings, kExtraSlots);
  const auto load = shared::load_of(pieces);
  if (load >= layout.height) return;
  const auto rigid = shared::place_rigid(pieces, layout.offsets, load);
  if (rigid.height >= layout.height) return;
  for (std::size_t k = 0; k < of.size(); ++k) {
    auto& b = plan.buffers[of[k]];
    b.offset = base + rigid.offsets[k];
    const auto ring = rings.find(b.name);
    if (ring == rings.end()) continue;
    auto& shape = pieces[k].shapes[rigid.shapes[k]];
    b.size = shape.ring * ring->second->row_elements, b.shift = shape.shift;
    b.taken = std::move(shape.taken);
  }
  plan.heights[m] = base + rigid.height;
  plan.loads[m] = base + load;
}

/// Lives and sizes in steps, rows from elsewhere, offsets.
std::optional<Infeasible> place_phased(const nn::Network& network, const hw::Device& device, Plan& plan,
                                       Offsets offsets) {
  auto made = phased_plan(network, device, plan);
  if (auto* bad = std::get_if<Infeasible>(&made)) return *bad;
  const auto& p = std::get<PhasedPlan>(made);
  for (const auto& r : p.near) {
    PlacedBuffer b{near_rows_name(network, plan, r),
                   program::BufferRole::tile,
                   r.memory,
                   0,
                   r.ring * r.row_bytes,
                   r.segment,
                   r.segment,
                   -1,
                   {},
                   {},
                   0,
                   -1};
    b.life.lower = r.first_step, b.life.upper = r.end_step;
    plan.buffers.push_back(std::move(b));
  }
  Rings rings;
  for (auto& b : plan.buffers) {
    if (b.life.upper == 0) b.life.lower = p.steps[b.first].first, b.life.upper = p.steps[b.last].second;
    if (b.tensor < 0 || b.role != program::BufferRole::tensor) continue;
    const auto* t = p.use_of(b.tensor);
    // An input that nobody reads has no rows in use, but is given all the same: it has its place in the first section.
    if (!t || (network.producer(b.tensor) < 0 && network.consumers(b.tensor).empty())) continue;
    b.life = shared::buffer_of(*t, 1);
    if (t->ring > 0) b.size = b.life.size, b.role = program::BufferRole::tile, rings[b.name] = t;
  }
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m) {
    const std::int64_t base = m == device.constants ? round_up(plan.constants_size, 16) : 0;
    std::vector<alloc::Buffer> blocks;
    std::vector<int> of;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      auto& b = plan.buffers[i];
      if (b.memory != m || b.role == program::BufferRole::constants) continue;
      b.life.id = b.name, b.life.size = b.size, b.life.alignment = device.memories[m].alignment;
      blocks.push_back(b.life);
      of.push_back(static_cast<int>(i));
    }
    if (offsets == Offsets::none) {
      for (const int i : of) plan.buffers[i].offset = base;
      plan.heights[m] = plan.loads[m] = base + shared::load_of(pieces_of(plan, of, rings, 0));
      continue;
    }
    const auto layout = alloc::allocate(blocks, {}, {.moves = 400, .nodes = 50'000});
    for (std::size_t i = 0; i < of.size(); ++i) plan.buffers[of[i]].offset = base + layout.offsets[i];
    plan.heights[m] = base + layout.height;
    plan.loads[m] = base + layout.load;
    interleave(plan, m, base, of, layout, rings);
  }
  return std::nullopt;
}

/// Indices of buffers that are one block of memory, because each takes over the one before it; most are alone.
std::vector<std::vector<int>> shared_blocks(const std::vector<PlacedBuffer>& buffers) {
  std::map<int, int> of_tensor;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].tensor >= 0 && buffers[i].role == program::BufferRole::tensor)
      of_tensor[buffers[i].tensor] = static_cast<int>(i);
  std::vector<std::vector<int>> out(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    auto first = static_cast<int>(i);
    while (buffers[first].over >= 0) first = of_tensor.at(buffers[first].over);
    out[first].push_back(static_cast<int>(i));
  }
  return out;
}

Infeasible too_large(const Plan& plan, const hw::Device& device, int memory, const nn::Network& network) {
  // Name the layer whose section needs most, and what it needs it for.
  int worst = 0;
  std::int64_t most = -1;
  const int sections = plan.segments.empty() ? 0 : static_cast<int>(plan.segments.size());
  for (int s = 0; s < sections; ++s) {
    std::int64_t live = 0;
    for (const auto& b : plan.buffers)
      if (b.memory == memory && b.role != program::BufferRole::constants && b.first <= s && s <= b.last) live += b.size;
    if (live > most) most = live, worst = s;
  }
  std::string parts;
  for (const auto& b : plan.buffers)
    if (b.memory == memory && b.role != program::BufferRole::constants && b.first <= worst && worst <= b.last)
      parts += (parts.empty() ? "" : ", ") + b.name + " " + kib(b.size);
  const auto& m = device.memories[memory];
  const std::int64_t need = plan.heights[memory];
  const auto& layer = network.operators[plan.segments[worst].operators.front()].name;
  return {fmt::format("{} is {} short: layer {} needs {} ({}) of {} free", m.name, kib(need - m.free()), layer,
                      kib(need), parts, kib(m.free())),
          "fewer output rows or filters per tile need less"};
}

}  // namespace

std::variant<Plan, Infeasible> make_plan(const nn::Network& network, const hw::Device& device,
                                         std::vector<LayerChoice> choices, const NetworkChoice& whole,
                                         Offsets offsets) {
  if (whole.input == shared::Input::streamed && device.input_from < 0)
    return Infeasible{"inputs cannot be streamed in: device " + device.name + " has no memory that they come from",
                      "it would name it in input_from"};
  bool alias_reshapes = whole.alias_reshapes;
  std::vector<std::int64_t> fixed_tensors;
  if (whole.greedy_offsets) fixed_tensors = greedy_plan(network, whole.input == shared::Input::kept).offsets;
  Plan plan;
  plan.network = network.name;
  plan.network_hash = network.structure_hash();
  plan.device = device.name;
  plan.device_hash = device.hash();
  plan.origin = "explored";
  plan.choices = std::move(choices);
  const auto is_reshape = [&](const nn::Operator& op) { return renames(network, op); };
  if (std::none_of(network.operators.begin(), network.operators.end(), is_reshape)) alias_reshapes = true;  // the same
  plan.alias_reshapes = alias_reshapes;
  plan.greedy_offsets = whole.greedy_offsets;
  plan.input = whole.input;
  if (plan.greedy_offsets)
    for (std::size_t op = 0; op < network.operators.size(); ++op)
      if (plan.choices[op].in_place)
        return Infeasible{"layer " + network.operators[op].name +
                              " cannot be in place: the greedy planner knows no "
                              "tensors that share bytes",
                          "leave in_place at no"};
  for (std::size_t op = 0; op < network.operators.size(); ++op)
    if (alias_reshapes && is_reshape(network.operators[op])) plan.choices[op] = {};
  const auto root = alias_roots(network, alias_reshapes);
  for (int t : network.outputs) {  // network outputs end in the io memory, channels last
    const int producer = network.producer(root[t]);
    if (producer >= 0)
      plan.choices[producer].output_memory = device.io, plan.choices[producer].output_layout = TensorLayout::hwc;
  }
  auto segments = segments_of(network, plan.choices, alias_reshapes);
  if (auto* bad = std::get_if<Infeasible>(&segments)) return *bad;
  plan.segments = std::move(std::get<0>(segments));
  const auto places = place_tensors(network, plan.choices, alias_reshapes);
  if (!places.problem.empty()) return Infeasible{places.problem, "leave in_place at no"};
  for (std::size_t op = 0; op < network.operators.size() && is_phased(plan); ++op)
    if (plan.choices[op].in_place)
      return Infeasible{
          "layer " + network.operators[op].name + " cannot be in place in a plan with layers that run by phases",
          "leave in_place at no"};
  const auto geometry = geometries(network, device, plan.choices, alias_reshapes);
  for (int op : layers_of(network, alias_reshapes))
    if (!geometry[op].feasible)
      return Infeasible{"layer " + network.operators[op].name + ": " + geometry[op].reason, ""};
  plan.buffers = collect(network, geometry, plan.choices, device, plan.segments, places, alias_reshapes, plan.input,
                         plan.constants_size);

  plan.heights.assign(device.memories.size(), 0);
  plan.loads.assign(device.memories.size(), 0);
  const bool phased = is_phased(plan);
  if (phased)
    if (auto bad = place_phased(network, device, plan, offsets)) return *bad;
  const auto groups = shared_blocks(plan.buffers);
  for (int m = 0; m < static_cast<int>(device.memories.size()) && !phased; ++m) {
    const std::int64_t base = m == device.constants ? round_up(plan.constants_size, 16) : 0;
    std::vector<Block> blocks;
    std::vector<const std::vector<int>*> of;
    for (const auto& group : groups) {
      if (group.empty()) continue;
      const auto& b = plan.buffers[group.front()];
      if (b.memory != m || b.role == program::BufferRole::constants) continue;
      Block block{b.size, b.first, b.last};
      for (const int i : group)
        block.first = std::min(block.first, plan.buffers[i].first),
        block.last = std::max(block.last, plan.buffers[i].last);
      if (b.tensor >= 0 && b.role == program::BufferRole::tensor && !fixed_tensors.empty())
        block.fixed = fixed_tensors[b.tensor];
      blocks.push_back(block);
      of.push_back(&group);
    }
    const auto layout = allocate(blocks, device.memories[m].alignment);
    for (std::size_t i = 0; i < of.size(); ++i)
      for (const int k : *of[i]) plan.buffers[k].offset = base + layout.offsets[i];
    plan.heights[m] = base + layout.height;
    plan.loads[m] = base + layout.load;
  }
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m)
    if (plan.heights[m] > device.memories[m].free()) return too_large(plan, device, m, network);
  return plan;
}

}  // namespace dse::plan
