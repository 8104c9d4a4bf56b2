#include "explore/compose/section_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/network/layers.h"

namespace dse::explore {
namespace {

/// The home of every tensor that is alive across a section boundary.
using State = std::vector<std::pair<int, plan::Placement>>;

std::string key_of(const State& state) {
  std::string k;
  for (const auto& [t, h] : state) k += fmt::format("{}:{}", t, plan::key_of(h));
  return k;
}

class Builder {
 public:
  Builder(const Space& space, const std::vector<LayerFront>& layers)
      : space_(space), layers_(layers), network_(*space.network), device_(*space.device) {
    for (int m = 0; m < static_cast<int>(device_.memories.size()); ++m)
      if (device_.memories[m].on_chip) graph_.memories.push_back(m);
    ensure(graph_.memories.size() <= kMaxCaps, "more on-chip memories than the composition has caps for");
    for (const auto& t : network_.tensors)  // variables are alive in every section
      if (t.kind == nn::TensorKind::variable) kept_ += round_up(t.bytes(), device_.memories[device_.io].alignment);
  }

  SectionGraph run() {
    if (!space_.infeasible.empty()) {
      graph_.infeasible_reason = space_.infeasible;
      return std::move(graph_);
    }
    State start;
    for (std::size_t t = 0; t < space_.homes.size(); ++t)
      if (space_.first[t] == 0 && network_.producer(static_cast<int>(t)) < 0 && !space_.homes[t].empty())
        start.push_back({static_cast<int>(t), space_.homes[t][0]});
    std::vector<State> states = {start};
    graph_.states.push_back(1);
    for (std::size_t s = 0; s < space_.layers.size(); ++s) {
      states = section(static_cast<int>(s), states);
      graph_.states.push_back(static_cast<int>(states.size()));
      if (states.empty()) {
        const int op = space_.layers[s];
        graph_.infeasible_reason =
            fmt::format("layer {} fits in no schedule: {}", network_.operators[op].name, why_not(op));
        break;
      }
    }
    return std::move(graph_);
  }

 private:
  std::vector<State> section(int s, const std::vector<State>& states) {
    const int op = space_.layers[s];
    const auto inputs = plan::activations(network_, network_.operators[op]);
    std::vector<State> next;
    std::map<std::string, int> index;
    std::vector<SectionEdge> edges;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto before = entered(s, states[i]);
      plan::LayerContext context;
      context.network = &network_, context.device = &device_, context.op = op;
      context.input_count = static_cast<int>(inputs.size());
      context.inputs.assign(std::max<std::size_t>(2, inputs.size()), plan::Placement{});
      for (int k = 0; k < context.input_count; ++k)
        for (const auto& [t, home] : before)
          if (t == space_.root[inputs[k]]) context.inputs[k] = home;
      for (const auto& home : space_.output_homes(op)) {
        const int task = space_.task_of(s, context, home);
        if (task < 0 || layers_[task].entries.empty()) continue;
        MemoryVector live{};
        const auto after = pass(s, before, home, live);
        const auto [it, fresh] = index.emplace(key_of(after), static_cast<int>(next.size()));
        if (fresh) next.push_back(after);
        edges.push_back({static_cast<int>(i), it->second, task, options(task, live)});
      }
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const SectionEdge& a, const SectionEdge& b) { return a.to < b.to; });
    graph_.sections.push_back(std::move(edges));
    return next;
  }

  /// The state before section `s` > 0 with the inputs that are streamed in for it.
  State entered(int s, State before) const {
    for (const int t : network_.inputs)
      if (s > 0 && space_.first[t] == s && !space_.homes[t].empty()) before.push_back({t, space_.homes[t][0]});
    return before;
  }

  /// The state after section `s` with its output at `home`. `live`: bytes of tensors that are alive in it.
  State pass(int s, const State& before, const plan::Placement& home, MemoryVector& live) const {
    State after;
    const auto account = [&](int t, const plan::Placement& h) {
      for (std::size_t m = 0; m < graph_.memories.size(); ++m)
        if (graph_.memories[m] == h.memory)
          live[m] += round_up(plan::bytes_of(network_.tensors[t], h.layout), device_.memories[h.memory].alignment);
      if (space_.last[t] > s) after.push_back({t, h});
    };
    for (const auto& [t, h] : before) account(t, h);
    const auto& outputs = network_.operators[space_.layers[s]].outputs;
    if (const int out = space_.root[outputs[0]]; !space_.homes[out].empty()) account(out, home);
    for (std::size_t o = 1; o < outputs.size(); ++o) {
      const int further = space_.root[outputs[o]];
      account(further, space_.homes[further].front());
    }
    for (std::size_t m = 0; m < graph_.memories.size(); ++m)
      if (graph_.memories[m] == device_.io) live[m] += kept_;
    return after;
  }

  std::vector<SectionOption> options(int task, const MemoryVector& live) const {
    std::vector<SectionOption> out;
    const auto& entries = layers_[task].entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      SectionOption o;
      o.entry = static_cast<int>(i);
      o.costs = entries[i].costs;
      const int place = entries[i].choice.weights_memory;
      for (std::size_t m = 0; m < graph_.memories.size(); ++m) {
        o.need[m] = live[m] + entries[i].local[graph_.memories[m]];
        if (graph_.memories[m] == place)
          o.resident[m] = round_up(entries[i].weight_bytes, device_.memories[place].alignment);
      }
      out.push_back(o);
    }
    return out;
  }

  std::string why_not(int op) const {
    std::string why;
    for (std::size_t t = 0; t < space_.tasks.size(); ++t)
      if (space_.tasks[t].op == op && !layers_[t].reason.empty()) why = layers_[t].reason;
    for (std::size_t t = 0; t < space_.tasks.size() && why.empty(); ++t) why = layers_[t].reason;
    return why;
  }

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const nn::Network& network_;
  const hw::Device& device_;
  std::int64_t kept_ = 0;
  SectionGraph graph_;
};

}  // namespace

SectionGraph section_graph(const Space& space, const std::vector<LayerFront>& layers) {
  return Builder(space, layers).run();
}

}  // namespace dse::explore
