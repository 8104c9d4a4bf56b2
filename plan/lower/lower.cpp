#include <algorithm>
#include <map>

#include "plan/network/layers.h"
#include "plan/place/aliases.h"
#include "plan/place/contexts.h"
#include "plan/place/input_rows.h"
#include "plan/segment/phased_emit.h"

namespace dse::plan {
namespace {

std::map<std::string, const PlacedBuffer*> by_name(const Plan& plan) {
  std::map<std::string, const PlacedBuffer*> out;
  for (const auto& b : plan.buffers) out[b.name] = &b;
  return out;
}

/// Bytes of a buffer that are in use in steps [from, to), for the sections that these steps belong to. Sections in
/// which all of them are, all the time, get none.
class Windows {
 public:
  Windows(const program::Program& p, const PhasedPlan& phased, const std::vector<StepTasks>& tasks)
      : program_(p), phased_(phased), tasks_(tasks) {}

  std::vector<program::BufferWindow> of(const PlacedBuffer& b) const {
    std::vector<program::BufferWindow> out;
    for (int s = b.first; s <= b.last; ++s) {
      const auto [first, end] = phased_.steps[s];
      std::vector<program::BufferWindow> here;
      for (const auto& [from, to, lo, hi] : stretches(b)) {
        const int at = std::max(from, first), until = std::min(to, end);
        if (at >= until || lo >= hi) continue;
        here.push_back({s, task(s, at - first, false), task(s, until - 1 - first, true), lo, hi});
      }
      std::stable_sort(here.begin(), here.end(),
                       [](const auto& x, const auto& y) { return x.first_task < y.first_task; });
      const int last = task(s, end - 1 - first, true);
      if (tasks_[static_cast<std::size_t>(s)].empty() && here.size() > 1) {  // one step but for rows that come in first
        for (const auto& w : here)
          here[0].begin = std::min(here[0].begin, w.begin), here[0].end = std::max(here[0].end, w.end);
        here.resize(1);
      }
      const bool all = here.size() == 1 && here[0].first_task <= 0 && here[0].last_task >= last && here[0].begin == 0 &&
                       here[0].end == b.size;
      if (!all) out.insert(out.end(), here.begin(), here.end());
      if (here.empty() && b.size > 0) out.push_back({s, 0, 0, 0, 0});  // nothing at all
    }
    return out;
  }

 private:
  struct Stretch {
    int from, to;
    std::int64_t lo, hi;
  };
  static std::vector<Stretch> stretches(const PlacedBuffer& b) {
    std::vector<Stretch> out;
    for (const auto& t : b.taken) out.push_back({t.from, t.to, t.begin, t.end});
    if (!out.empty()) return out;
    auto at = static_cast<int>(b.life.lower);
    for (const auto& g : b.life.gaps) {
      if (at < g.lower) out.push_back({at, static_cast<int>(g.lower), 0, b.size});
      out.push_back({static_cast<int>(g.lower), static_cast<int>(g.upper), g.begin, g.end});
      at = static_cast<int>(g.upper);
    }
    if (at < b.life.upper) out.push_back({at, static_cast<int>(b.life.upper), 0, b.size});
    return out;
  }
  /// First (or last) task of a step; layerwise sections are one step.
  int task(int section, int step, bool last) const {
    const auto& steps = tasks_[static_cast<std::size_t>(section)];
    if (steps.empty()) {
      if (!last) return 0;
      program::Walker walker(program_, section, section);
      program::TaskInstance t;
      int n = 0;
      while (walker.next(t)) n += t.task->kind->is_wait() ? 0 : 1;
      return n - 1;
    }
    const auto& [from, end] = steps[static_cast<std::size_t>(step)];
    if (step == 0 && !last) return 0;  // what comes before the first step is part of it
    return last ? end - 1 : from;
  }

  const program::Program& program_;
  const PhasedPlan& phased_;
  const std::vector<StepTasks>& tasks_;
};

}  // namespace

program::Program lower(const nn::Network& network, const hw::Device& device, const Plan& plan) {
  program::Program p;
  p.network = network.name;
  p.device = device.name;
  p.plan_id = plan.id();
  p.queues = device_queues(device);
  // Where constants lie alone, their arena is the image and nothing more, so that a package reads it in place.
  const bool alone = std::none_of(plan.buffers.begin(), plan.buffers.end(), [&](const PlacedBuffer& b) {
    return b.role != program::BufferRole::constants && b.memory == device.constants && b.size > 0;
  });
  for (std::size_t m = 0; m < device.memories.size(); ++m) {
    const bool constants = m == static_cast<std::size_t>(device.constants);
    const auto size =
        constants && alone ? plan.constants_size : std::max(plan.heights[m], constants ? plan.constants_size : 0);
    p.arenas.push_back({device.memories[m].name, size, device.memories[m].alignment});
  }
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
  auto port = [&](const At& b, int t) { return program::Port{network.tensors[t].name, t, b.memory, b.offset, b.size}; };
  const bool streamed = plan.input == shared::Input::streamed;
  const auto coming_in = [&](int t) {
    const auto& b = buffer(input_buffer(t));
    return At{b.memory, b.offset, b.size};
  };
  for (int t : network.inputs) {
    p.inputs.push_back(port(streamed ? coming_in(t) : tensor(t), t));
    p.inputs.back().preserved = plan.input == shared::Input::kept;
    p.inputs.back().streamed = streamed;
  }
  for (int t : network.outputs) p.outputs.push_back(port(tensor(t), t));

  const auto geometry = geometries(network, device, plan.choices, plan.alias_reshapes);
  std::optional<PhasedPlan> phased;
  if (is_phased(plan)) {
    auto made = phased_plan(network, device, plan);
    ensure(std::holds_alternative<PhasedPlan>(made), "a plan whose phases cannot run");
    phased = std::move(std::get<PhasedPlan>(made));
  }
  std::vector<StepTasks> step_tasks(plan.segments.size());
  const auto contexts = contexts_of(network, device, plan.choices, plan.alias_reshapes);
  int segment = 0;
  for (const auto& s : plan.segments) {
    if (s.kind == SegmentKind::phased) {
      for (const int op : s.operators)
        ensure(geometry[op].feasible,
               "layer " + network.operators[op].name + " is not feasible: " + geometry[op].reason);
      step_tasks[segment] = emit_phased(p, network, device, plan, *phased, segment, geometry, buffer);
      ++segment;
      continue;
    }
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
      if (streamed) emit_inputs(p, network, device, plan, op);
      emit_layer(p, contexts[op], g, offsets);
    }
    ++segment;
  }
  if (phased) {
    const Windows windows(p, *phased, step_tasks);
    for (auto& b : p.buffers) b.windows = windows.of(buffer(b.name));
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
