#include <algorithm>
#include <map>

#include "plan/layer/prefetch.h"
#include "plan/network/layers.h"
#include "plan/npu/program/npu_plan.h"
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

TensorPlaces places_of(const nn::Network& network, const Plan& plan) {
  auto places = place_tensors(network, plan.choices, plan.alias_reshapes, plan.order);
  ensure(places.problem.empty(), places.problem);
  return places;
}

class Lowering {
 public:
  Lowering(const nn::Network& network, const hw::Device& device, const Plan& plan)
      : network_(network),
        device_(device),
        plan_(plan),
        placed_(by_name(plan)),
        places_(places_of(network, plan)),
        geometry_(geometries(network, device, plan.choices, plan.alias_reshapes)),
        contexts_(contexts_of(network, device, plan.choices, plan.alias_reshapes)) {}

  program::Program run() {
    p_.network = network_.name;
    p_.device = device_.name;
    p_.plan_id = plan_.id();
    p_.queues = device_queues(device_);
    arenas();
    buffers();
    ports();
    segments();
    p_.quiesce_between_sections();
    return std::move(p_);
  }

 private:
  struct At {
    int memory;
    std::int64_t offset, size;
  };

  const PlacedBuffer& buffer(const std::string& name) const {
    const auto it = placed_.find(name);
    ensure(it != placed_.end(), "plan has no buffer " + name);
    return *it->second;
  }
  At tensor(int t) const {
    const auto& b = buffer("t" + std::to_string(places_.of[t].root));
    return {b.memory, b.offset + places_.of[t].offset, network_.tensors[t].bytes()};
  }

  void arenas() {
    // Where constants lie alone, their arena is the image and nothing more, so that a package reads it in place.
    const bool alone = std::none_of(plan_.buffers.begin(), plan_.buffers.end(), [&](const PlacedBuffer& b) {
      return b.role != program::BufferRole::constants && b.memory == device_.constants && b.size > 0;
    });
    for (std::size_t m = 0; m < device_.memories.size(); ++m) {
      const bool constants = m == static_cast<std::size_t>(device_.constants);
      const auto size =
          constants && alone ? plan_.constants_size : std::max(plan_.heights[m], constants ? plan_.constants_size : 0);
      p_.arenas.push_back({device_.memories[m].name, size, device_.memories[m].alignment});
    }
    p_.constants_arena = device_.constants;
    p_.constants_size = plan_.constants_size;
  }

  void buffers() {
    for (const auto& b : plan_.buffers) {
      if (b.role != program::BufferRole::constants)
        p_.buffers.push_back({b.name, b.role, b.memory, b.offset, b.size, b.first, b.last, b.tensor});
      if (b.role == program::BufferRole::state)
        p_.preloads.push_back({b.memory, b.offset, b.size, buffer(b.name + ".initial").offset});
      if (b.role == program::BufferRole::weights && b.name.ends_with(".resident")) {
        const auto& from = buffer(b.name.substr(0, b.name.size() - 9) + ".constants");
        p_.preloads.push_back({b.memory, b.offset, b.size, from.offset});
      }
    }
  }

  bool streamed() const { return plan_.input == shared::Input::streamed; }
  void ports() {
    const auto port = [&](const At& at, int t) {
      return program::Port{network_.tensors[t].name, t, at.memory, at.offset, at.size};
    };
    const auto coming_in = [&](int t) {
      const auto& b = buffer(input_buffer(t));
      return At{b.memory, b.offset, b.size};
    };
    for (int t : network_.inputs) {
      p_.inputs.push_back(port(streamed() ? coming_in(t) : tensor(t), t));
      p_.inputs.back().preserved = plan_.input == shared::Input::kept;
      p_.inputs.back().streamed = streamed();
    }
    for (int t : network_.outputs) p_.outputs.push_back(port(tensor(t), t));
  }

  void segments() {
    std::optional<PhasedPlan> phased;
    if (is_phased(plan_)) {
      auto made = phased_plan(network_, device_, plan_);
      ensure(std::holds_alternative<PhasedPlan>(made), "a plan whose phases cannot run");
      phased = std::move(std::get<PhasedPlan>(made));
    }
    std::vector<StepTasks> step_tasks(plan_.segments.size());
    for (int s = 0; s < static_cast<int>(plan_.segments.size()); ++s) {
      const auto& segment = plan_.segments[s];
      for (const int op : segment.operators)
        ensure(geometry_[op].feasible,
               "layer " + network_.operators[op].name + " is not feasible: " + geometry_[op].reason);
      if (segment.kind == SegmentKind::phased)
        step_tasks[s] = emit_phased(p_, network_, device_, plan_, *phased, s, geometry_,
                                    [&](const std::string& name) -> const PlacedBuffer& { return buffer(name); });
      else
        for (const int op : segment.operators) layer(op, s);
    }
    if (!phased) return;
    const Windows windows(p_, *phased, step_tasks);
    for (auto& b : p_.buffers) b.windows = windows.of(buffer(b.name));
  }

  void layer(int op, int segment) {
    const auto& o = network_.operators[op];
    const auto& g = geometry_[op];
    LayerOffsets offsets;
    for (const auto& l : g.buffers) offsets.buffers.push_back(buffer(o.name + "." + l.name).offset);
    const auto inputs = activations(network_, o);
    offsets.inputs.resize(g.inputs.size());
    for (int i = 0; i < g.input_count; ++i) offsets.inputs[i] = tensor(inputs[i]).offset;
    offsets.output = tensor(o.outputs[0]).offset;
    for (std::size_t k = 1; k < o.outputs.size(); ++k) offsets.further_outputs.push_back(tensor(o.outputs[k]).offset);
    for (const int t : variables(network_, o)) offsets.states[t] = tensor(t).offset;
    const bool streams = plan_.choices[op].weights_memory == kStreamed;
    if (g.form != WeightForm::none) offsets.weights = buffer(o.name + (streams ? ".constants" : ".resident")).offset;
    offsets.next = next_prefetch(segment);
    p_.section({o.name, op, segment});
    if (streamed()) emit_inputs(p_, network_, device_, plan_, op);
    emit_layer(p_, contexts_[op], g, offsets);
  }

  /// What the segment after this one wants fetched meanwhile.
  Prefetch next_prefetch(int segment) const {
    if (segment + 1 >= static_cast<int>(plan_.segments.size())) return {};
    const int op = plan_.segments[static_cast<std::size_t>(segment) + 1].operators.front();
    const auto& g = geometry_[op];
    if (!g.prefetched) return {};
    const auto& name = network_.operators[op].name;
    auto out = prefetch_of(g);
    out.from_offset = buffer(name + ".constants").offset;
    out.to_offset = buffer(name + "." + prefetch_buffer(g)).offset;
    return out;
  }

  const nn::Network& network_;
  const hw::Device& device_;
  const Plan& plan_;
  const std::map<std::string, const PlacedBuffer*> placed_;
  const TensorPlaces places_;
  const std::vector<LayerGeometry> geometry_;
  const std::vector<LayerContext> contexts_;
  program::Program p_;
};

}  // namespace

program::Program lower(const nn::Network& network, const hw::Device& device, const Plan& plan) {
  if (plan.npu) return npu::lower_npu(device, plan);
  return Lowering(network, device, plan).run();
}

std::vector<std::uint8_t> constants_image(const nn::Network& network, const hw::Device& device, const Plan& plan) {
  if (plan.npu) return npu::npu_constants(device, plan);
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
