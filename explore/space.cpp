#include "explore/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "plan/whole_layer.h"

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
  bool leaves = false, planes = true, joined = false;
  for (std::size_t a = 0; a < root.size(); ++a) {
    if (root[a] != tensor) continue;
    leaves |= std::count(n.outputs.begin(), n.outputs.end(), static_cast<int>(a)) > 0;
    for (int reader : n.consumers(static_cast<int>(a))) {
      const auto& op = n.operators[reader];
      planes &= !plan::renames(n, op) && !plan::is_whole(n, op) && op.kind != nn::OperatorKind::softmax &&
                op.kind != nn::OperatorKind::fully_connected;
      joined |= plan::activations(n, op).size() > 2;
    }
  }
  const int producer = n.producer(tensor);
  // Operators with more than two inputs, or several outputs, have them all at one place: their combinations would
  // multiply the searches, and they only move bytes.
  joined |= producer >= 0 && n.operators[producer].outputs.size() > 1;
  if (is_input || leaves || joined) return {{d.io, TensorLayout::hwc}};
  const auto image = n.tensors[tensor].image();
  planes &= image.c > 1 && image.h * image.w > 1 && n.operators[producer].kind != nn::OperatorKind::softmax &&
            !plan::is_whole(n, n.operators[producer]) &&
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

/// What the timing of a whole layer depends on beyond its first call: all calls, and how large what they read and write
/// is. FNV-1a, 64 bits.
std::string whole_key(const nn::Network& n, const nn::Operator& op) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](std::int64_t v) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ (static_cast<std::uint64_t>(v) >> (8 * i) & 0xff)) * 0x100000001b3u;
  };
  for (const auto& call : op.calls) {
    for (const auto v : {call.op.kind, call.op.in_h, call.op.in_w, call.op.in_c, call.op.out_h, call.op.out_w,
                         call.op.out_c, call.op.kernel_h, call.op.kernel_w, call.op.arg[DSE_ARG_MACS]})
      mix(v);
    for (const auto& o : call.operands) {
      if (!o.present) continue;
      for (const auto v : {o.view.stride_h, o.view.stride_w, o.view.stride_c, o.view.elem}) mix(v);
      mix(o.offset);
    }
  }
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const int t : *list) mix(t < 0 ? -1 : n.tensors[t].bytes() * 8 + static_cast<int>(n.tensors[t].kind));
  mix(plan::has_constants(n, op) ? plan::ConstantBlob(n, op).size() : 0);
  return fmt::format("whole {:016x}", hash);
}

}  // namespace

Space::Space(const nn::Network& n, const hw::Device& d, const SweepSpec& spec) : network(&n), device(&d) {
  for (const auto& op : n.operators) {
    dse_op shape = op.kernel;  // not zero points, ranges and multipliers
    shape.in_zero = shape.in2_zero = shape.out_zero = shape.act_min = shape.act_max = 0;
    shape.left_shift = shape.m1 = shape.m2 = shape.m3 = shape.s1 = shape.s2 = shape.s3 = 0;
    // Several calls, constant tensors and sizes that the kernel's parameters do not tell.
    kernels_.push_back({std::string(reinterpret_cast<const char*>(&shape), sizeof shape),
                        plan::is_whole(n, op) ? whole_key(n, op) : std::string()});
  }
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
    if (n.tensors[t].kind == nn::TensorKind::variable) continue;
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
    context.input_count = static_cast<int>(inputs.size());
    context.inputs.assign(std::max<std::size_t>(2, inputs.size()), Home{});
    const std::vector<Home> none = {Home{}};
    const bool same = context.input_count == 2 && root[inputs[0]] == root[inputs[1]];
    const auto& first_homes = inputs.empty() ? none : homes[root[inputs[0]]];
    const auto& second_homes = inputs.size() < 2 ? none : homes[root[inputs[1]]];
    for (std::size_t i = 2; i < inputs.size(); ++i) context.inputs[i] = homes[root[inputs[i]]].front();
    for (const auto& a : first_homes)
      for (const auto& b : second_homes) {
        if (same && !(a == b)) continue;
        context.inputs[0] = a, context.inputs[1] = b;
        for (const auto& out : output_homes(op)) {
          const auto k = key(op, context, out);
          if (index_.emplace(k, static_cast<int>(tasks.size())).second) tasks.push_back({op, context, out});
        }
      }
  }
}

std::vector<Home> Space::output_homes(int op) const {
  const auto& list = homes[root[network->operators[op].outputs[0]]];
  if (list.empty()) return {{device->io, TensorLayout::hwc}};  // a variable
  return list;
}

std::string Space::key(int op, const plan::LayerContext& context, Home output) const {
  std::string k = kernels_[op].shape;
  for (const auto& h : context.inputs) k += std::to_string(h.memory) + (h.layout == TensorLayout::hwc ? "h," : "c,");
  k += std::to_string(output.memory) + (output.layout == TensorLayout::hwc ? "h," : "c,");
  return k + kernels_[op].whole;
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
