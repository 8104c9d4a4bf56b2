#include "explore/space.h"

#include <algorithm>
#include <cstring>

namespace dse::explore {
namespace {

using plan::Home;
using plan::TensorLayout;

bool allows(const std::map<std::string, std::vector<std::string>>& allowed, const std::string& name,
            const std::string& text) {
  const auto it = allowed.find(name);
  return it == allowed.end() || std::count(it->second.begin(), it->second.end(), text) > 0;
}

/// Channels-last everywhere; planes only where a copy engine has to fetch them, and only between operators that can use
/// them.
std::vector<Home> homes_of(const nn::Network& n, const hw::Device& d, const std::vector<int>& root, int tensor,
                           const SweepSpec& spec) {
  const bool is_input = std::count(n.inputs.begin(), n.inputs.end(), tensor) > 0;
  bool leaves = false, planes = true;
  for (std::size_t a = 0; a < root.size(); ++a) {
    if (root[a] != tensor) continue;
    leaves |= std::count(n.outputs.begin(), n.outputs.end(), static_cast<int>(a)) > 0;
    for (int reader : n.consumers(static_cast<int>(a))) {
      const auto kind = n.operators[reader].kind;
      planes &= kind != nn::OperatorKind::reshape && kind != nn::OperatorKind::softmax &&
                kind != nn::OperatorKind::fully_connected;
    }
  }
  if (is_input || leaves) return {{d.io, TensorLayout::hwc}};
  const auto image = n.tensors[tensor].image();
  const int producer = n.producer(tensor);
  planes &= image.c > 1 && image.h * image.w > 1 && n.operators[producer].kind != nn::OperatorKind::softmax &&
            n.operators[producer].kind != nn::OperatorKind::fully_connected;
  const auto& engine = d.engines[d.compute_engine()];
  std::vector<Home> out;
  for (int m : plan::home_memories(d)) {
    if (!allows(spec.choices, "output", d.memories[m].name)) continue;
    if (allows(spec.choices, "layout", "hwc")) out.push_back({m, TensorLayout::hwc});
    if (planes && !engine.reaches(m) && allows(spec.choices, "layout", "chw")) out.push_back({m, TensorLayout::chw});
  }
  return out;
}

}  // namespace

Space::Space(const nn::Network& n, const hw::Device& d, const SweepSpec& spec) : network(&n), device(&d) {
  layers = plan::layers_of(n, true);
  root = plan::alias_roots(n, true);
  homes.resize(n.tensors.size());
  first.assign(n.tensors.size(), -1);
  last.assign(n.tensors.size(), -1);
  std::vector<int> section(n.operators.size(), -1);
  for (std::size_t s = 0; s < layers.size(); ++s) section[layers[s]] = static_cast<int>(s);
  for (std::size_t t = 0; t < n.tensors.size(); ++t) {
    const bool input = std::count(n.inputs.begin(), n.inputs.end(), static_cast<int>(t)) > 0;
    const int producer = n.producer(static_cast<int>(t));
    if (root[t] != static_cast<int>(t) || (producer < 0 && !input)) continue;
    homes[t] = homes_of(n, d, root, static_cast<int>(t), spec);
    first[t] = last[t] = producer < 0 ? 0 : section[producer];
    for (std::size_t a = 0; a < n.tensors.size(); ++a) {
      if (root[a] != static_cast<int>(t)) continue;
      for (int c : n.consumers(static_cast<int>(a))) last[t] = std::max(last[t], section[c]);
      if (std::count(n.outputs.begin(), n.outputs.end(), static_cast<int>(a)))
        last[t] = static_cast<int>(layers.size()) - 1;
    }
  }
  for (std::size_t s = 0; s < layers.size(); ++s) {
    const int op = layers[s];
    const auto inputs = plan::activations(n, n.operators[op]);
    plan::LayerContext context;
    context.network = &n, context.device = &d, context.op = op;
    context.input_count = static_cast<int>(std::min<std::size_t>(2, inputs.size()));
    const auto& first_homes = homes[root[inputs[0]]];
    const std::vector<Home> none = {Home{}};
    const bool same = context.input_count == 2 && root[inputs[0]] == root[inputs[1]];
    const auto& second_homes = context.input_count == 2 ? homes[root[inputs[1]]] : none;
    for (const auto& a : first_homes)
      for (const auto& b : second_homes) {
        if (same && !(a == b)) continue;
        context.inputs = {a, b};
        for (const auto& out : homes[root[n.operators[op].outputs[0]]]) {
          const auto k = key(op, context, out);
          if (index_.emplace(k, static_cast<int>(tasks.size())).second) tasks.push_back({op, context, out});
        }
      }
  }
}

std::string Space::key(int op, const plan::LayerContext& context, Home output) const {
  dse_op shape = network->operators[op].kernel;  // what timing depends on: not zero points, ranges and multipliers
  shape.in_zero = shape.in2_zero = shape.out_zero = shape.act_min = shape.act_max = 0;
  shape.left_shift = shape.m1 = shape.m2 = shape.m3 = shape.s1 = shape.s2 = shape.s3 = 0;
  std::string k(reinterpret_cast<const char*>(&shape), sizeof shape);
  for (const auto& h : {context.inputs[0], context.inputs[1], output})
    k += std::to_string(h.memory) + (h.layout == TensorLayout::hwc ? "h," : "c,");
  return k;
}

int Space::task_of(int section, const plan::LayerContext& context, Home output) const {
  const auto it = index_.find(key(layers[section], context, output));
  return it == index_.end() ? -1 : it->second;
}

std::vector<plan::LayerChoice> enumerate(const LayerTask& task, const plan::ChoiceRegistry& registry,
                                         const std::map<std::string, std::vector<std::string>>& allowed) {
  std::vector<plan::LayerChoice> partial(1), next;
  partial[0].output_memory = task.output.memory;
  partial[0].output_layout = task.output.layout;
  for (const auto& choice : registry.all()) {
    if (choice.name == "output" || choice.name == "layout") continue;  // given by the task
    next.clear();
    const auto it = allowed.find(choice.name);
    for (const auto& l : partial) {
      auto domain = choice.domain(task.context, l);
      if (domain.empty()) domain.push_back(choice.get(l));
      for (int v : domain) {
        if (it != allowed.end() && domain.size() > 1) {
          const auto text = choice.text(*task.context.device, v);
          if (std::find(it->second.begin(), it->second.end(), text) == it->second.end()) continue;
        }
        next.push_back(l);
        choice.set(next.back(), v);
      }
    }
    partial.swap(next);
  }
  return partial;
}

}  // namespace dse::explore
