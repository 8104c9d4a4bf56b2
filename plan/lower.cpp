#include <algorithm>
#include <map>

#include "plan/aliases.h"
#include "plan/plan.h"
#include "plan/whole_layer.h"

namespace dse::plan {
namespace {

std::map<std::string, const PlacedBuffer*> by_name(const Plan& plan) {
  std::map<std::string, const PlacedBuffer*> out;
  for (const auto& b : plan.buffers) out[b.name] = &b;
  return out;
}

}  // namespace

program::Program lower(const nn::Network& network, const hw::Device& device, const Plan& plan) {
  program::Program p;
  p.network = network.name;
  p.device = device.name;
  p.plan_id = plan.id();
  p.queues = device_queues(device);
  for (std::size_t m = 0; m < device.memories.size(); ++m)
    p.arenas.push_back(
        {device.memories[m].name,
         std::max(plan.heights[m], m == static_cast<std::size_t>(device.constants) ? plan.constants_size : 0),
         device.memories[m].alignment});
  p.constants_arena = device.constants;
  p.constants_size = plan.constants_size;

  const auto placed = by_name(plan);
  auto buffer = [&](const std::string& name) -> const PlacedBuffer& {
    const auto it = placed.find(name);
    ensure(it != placed.end(), "plan has no buffer " + name);
    return *it->second;
  };
  const auto places = place_tensors(network, plan.choices, plan.alias_reshapes);
  ensure(places.problem.empty(), places.problem);
  struct At {
    int memory;
    std::int64_t offset, size;
  };
  auto tensor = [&](int t) {
    const auto& b = buffer("t" + std::to_string(places.of[t].root));
    return At{b.memory, b.offset + places.of[t].offset, network.tensors[t].bytes()};
  };

  for (const auto& b : plan.buffers) {
    if (b.role != program::BufferRole::constants)
      p.buffers.push_back({b.name, b.role, b.memory, b.offset, b.size, b.first, b.last, b.tensor});
    if (b.role == program::BufferRole::state)
      p.preloads.push_back({b.memory, b.offset, b.size, buffer(b.name + ".initial").offset});
    if (b.role == program::BufferRole::weights && b.name.ends_with(".resident")) {
      const auto& from = buffer(b.name.substr(0, b.name.size() - 9) + ".constants");
      p.preloads.push_back({b.memory, b.offset, b.size, from.offset});
    }
  }
  auto port = [&](int t) {
    const auto b = tensor(t);
    return program::Port{network.tensors[t].name, t, b.memory, b.offset, b.size};
  };
  for (int t : network.inputs) p.inputs.push_back(port(t));
  for (int t : network.outputs) p.outputs.push_back(port(t));

  const auto geometry = geometries(network, device, plan.choices, plan.alias_reshapes);
  const auto contexts = contexts_of(network, device, plan.choices, plan.alias_reshapes);
  int segment = 0;
  for (const auto& s : plan.segments) {
    for (int op : s.operators) {
      const auto& o = network.operators[op];
      const auto& g = geometry[op];
      ensure(g.feasible, "layer " + o.name + " is not feasible: " + g.reason);
      LayerOffsets offsets;
      for (const auto& l : g.buffers) offsets.buffers.push_back(buffer(o.name + "." + l.name).offset);
      const auto inputs = activations(network, o);
      offsets.inputs.resize(g.inputs.size());
      for (int i = 0; i < g.input_count; ++i) offsets.inputs[i] = tensor(inputs[i]).offset;
      offsets.output = tensor(o.outputs[0]).offset;
      for (std::size_t k = 1; k < o.outputs.size(); ++k) offsets.further_outputs.push_back(tensor(o.outputs[k]).offset);
      for (const int t : variables(network, o)) offsets.states[t] = tensor(t).offset;
      if (g.form != WeightForm::none)
        offsets.weights =
            buffer(o.name + (plan.choices[op].weights_memory == kStreamed ? ".constants" : ".resident")).offset;
      p.section({o.name, op, segment});
      emit_layer(p, contexts[op], g, offsets);
    }
    ++segment;
  }
  for (std::size_t s = 0; s <= p.sections.size(); ++s) {
    program::QuiescentPoint q;
    q.section = static_cast<int>(s);
    q.live_bytes.assign(p.arenas.size(), 0);
    for (const auto& b : p.buffers)  // alive on both sides of the boundary
      if (b.first_section < q.section && q.section <= b.last_section) q.live_bytes[b.arena] += b.size;
    p.quiescent.push_back(std::move(q));
  }
  return p;
}

std::vector<std::uint8_t> constants_image(const nn::Network& network, const hw::Device& device, const Plan& plan) {
  std::vector<std::uint8_t> image(plan.constants_size, 0);
  const auto geometry = geometries(network, device, plan.choices, plan.alias_reshapes);
  const auto placed = by_name(plan);
  const auto initial = nn::initial_state(network);
  for (std::size_t t = 0; t < initial.size(); ++t)
    if (!initial[t].empty())
      std::copy(initial[t].begin(), initial[t].end(),
                image.begin() + placed.at("t" + std::to_string(t) + ".initial")->offset);
  for (const auto& s : plan.segments)
    for (int op : s.operators) {
      if (geometry[op].form == WeightForm::none) continue;
      const auto it = placed.find(network.operators[op].name + ".constants");
      ensure(it != placed.end(), "plan has no constants of " + network.operators[op].name);
      const auto bytes = pack_weights(network, network.operators[op], geometry[op].form);
      std::copy(bytes.begin(), bytes.end(), image.begin() + it->second->offset);
    }
  return image;
}

}  // namespace dse::plan
