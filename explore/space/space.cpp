#include "explore/space/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fnv.h"
#include "base/suggest.h"
#include "explore/question/resolve.h"
#include "models/nn/graph/technique.h"
#include "models/nn/kernels/dse_batches.h"
#include "plan/choices/homes.h"
#include "plan/layer/compute/technique.h"
#include "plan/layer/prefetch.h"
#include "plan/layer/whole/whole_layer.h"
#include "plan/network/layers.h"

namespace dse::explore {
namespace {

using plan::Placement;
using plan::TensorLayout;

/// What the timing of a kernel depends on: not zero points, ranges and multipliers.
void add_shape(Fnv& d, const dse_op& k) {
  for (const auto v : {k.kind,      k.rounding, k.in_h,         k.in_w,      k.in_c,     k.out_h,      k.out_w,
                       k.out_c,     k.kernel_h, k.kernel_w,     k.stride_h,  k.stride_w, k.dilation_h, k.dilation_w,
                       k.pad_top,   k.pad_left, k.multiplier,   k.in_type,   k.in2_type, k.out_type,   k.weight_type,
                       k.acc_bytes, k.groups,   k.weights_zero, k.correction})
    d.word(v);
  for (const auto v : k.arg) d.word(v);
}

/// What the timing of a whole layer depends on beyond its first call: all calls, and how large what they read and write
/// is.
void add_whole(Fnv& d, const nn::Network& n, const nn::Operator& op) {
  for (const auto& call : op.calls) {
    for (const auto v : {call.op.kind, call.op.in_h, call.op.in_w, call.op.in_c, call.op.out_h, call.op.out_w,
                         call.op.out_c, call.op.kernel_h, call.op.kernel_w, call.op.arg[DSE_ARG_MACS]})
      d.word(v);
    for (const auto& o : call.operands) {
      if (!o.present) continue;
      for (const auto v : {o.view.stride_h, o.view.stride_w, o.view.stride_c, o.view.elem}) d.word(v);
      d.word(o.offset);
    }
  }
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const int t : *list) d.word(t < 0 ? -1 : n.tensors[t].bytes() * 8 + static_cast<int>(n.tensors[t].kind));
  d.word(plan::has_constants(n, op) ? plan::ConstantBlob(n, op).size() : 0);
}

std::string name_of(const Placement& h, const hw::Device& d) {
  return d.memories[h.memory].name + " " + plan::name_of(h.layout);
}

}  // namespace

Space::Space(const nn::Network& n, const hw::Device& d, const SweepSpec& spec)
    : network(&n), device(&d), max_calls_(spec.max_calls) {
  for (const auto& op : n.operators) {
    Fnv shape;
    add_shape(shape, op.kernel);
    // What its weights allow.
    std::vector<int> techniques;
    for (const auto& e : d.engines)
      for (const int t : plan::techniques_on(n, static_cast<int>(shapes_.size()), e))
        if (t != DSE_DIRECT) techniques.push_back(t), shape.word(t);
    // Several calls, constant tensors and sizes that the kernel's parameters do not tell.
    if (plan::is_whole(n, op)) add_whole(shape, n, op);
    shapes_.push_back(shape.hex());
    allowed_.push_back(Allowed::searched(spec.choices, op.name));
    for (const int t : techniques) {
      const auto& name = nn::technique_names()[static_cast<std::size_t>(t)];
      by_techniques_ |= allowed_.back().allows("technique", name, techniques.size() + 1);
    }
    const auto& counts = allowed_.back().values;
    const auto given = counts.find("batches");
    const bool several = given == counts.end() || given->second != std::vector<std::string>{"1"};
    by_batches_ |= several && dse_sums_products(op.kernel.kind) &&
                   std::any_of(d.engines.begin(), d.engines.end(), [](const auto& e) { return e.sums_in_memory(); });
    allowed_text_.push_back(Allowed::of(spec.choices, op.name).text());
    if (max_calls_ != kMaxCalls) allowed_text_.back() += fmt::format("calls={}", max_calls_);
  }
  layers = plan::layers_of(n, true);
  root = plan::alias_roots(n, true);
  whole = whole_of(spec);
  if (whole.input == plan::shared::Input::streamed && d.input_from < 0)
    infeasible = "choices.network.input is streamed, but device " + d.name + " has no memory that inputs come from";
  orders = Orders::of(n, spec.choices);
  if (infeasible.empty() && !orders.problem.empty()) infeasible = "choices.network.order: " + orders.problem;
  find_tensors();
  find_prefetches();
  for (const int op : layers) add_tasks(op);
}

void Space::find_prefetches() {
  fetches_for_.assign(network->operators.size(), -1);
  next_.resize(network->operators.size());
  for (std::size_t k = 0; k + 1 < layers.size(); ++k) {
    const int op = layers[k + 1];
    if (!allowed_[op].allows("prefetch", "yes", 2)) continue;
    plan::LayerContext context;
    context.network = network, context.device = device, context.op = op;
    const auto inputs = plan::activations(*network, network->operators[op]).size();
    context.input_count = static_cast<int>(inputs);
    context.inputs.assign(std::max<std::size_t>(2, inputs), Placement{device->io});
    next_[layers[k]] = plan::possible_prefetch(context);
    if (next_[layers[k]].bytes > 0) fetches_for_[layers[k]] = op;
  }
}

void Space::find_tensors() {
  const auto& n = *network;
  homes.resize(n.tensors.size());
  readers.resize(n.tensors.size());
  stays.assign(n.tensors.size(), 0);
  for (const int op : layers)
    for (const int t : n.operators[op].inputs) {
      if (t < 0) continue;
      auto& list = readers[root[t]];
      if (list.empty() || list.back() != op) list.push_back(op);
    }
  for (const int t : n.outputs) stays[root[t]] = 1;
  for (const int t : n.inputs) stays[t] |= whole.input == plan::shared::Input::kept;
  for (std::size_t t = 0; t < n.tensors.size(); ++t) {
    const bool input = std::count(n.inputs.begin(), n.inputs.end(), static_cast<int>(t)) > 0;
    if (root[t] != static_cast<int>(t) || (n.producer(static_cast<int>(t)) < 0 && !input)) continue;
    if (n.tensors[t].kind == nn::TensorKind::variable) continue;
    if (streams(static_cast<int>(t)) && readers[t].empty() && !(stays[t] && !layers.empty())) continue;
    homes[t] = homes_of(static_cast<int>(t));
  }
}

void Space::add_tasks(int op) {
  const auto& n = *network;
  const auto inputs = plan::activations(n, n.operators[op]);
  plan::LayerContext context;
  context.network = &n, context.device = device, context.op = op;
  context.input_count = static_cast<int>(inputs.size());
  context.inputs.assign(std::max<std::size_t>(2, inputs.size()), Placement{});
  const std::vector<Placement> none = {Placement{}};
  const bool same = context.input_count == 2 && root[inputs[0]] == root[inputs[1]];
  const auto& first_homes = inputs.empty() ? none : homes[root[inputs[0]]];
  const auto& second_homes = inputs.size() < 2 ? none : homes[root[inputs[1]]];
  for (std::size_t i = 2; i < inputs.size(); ++i) context.inputs[i] = homes[root[inputs[i]]].front();
  auto& own = tasks_of.emplace_back();
  for (const auto& streamed : streamed_sets(op))
    for (const auto& a : first_homes)
      for (const auto& b : second_homes) {
        if (same && !(a == b)) continue;
        context.inputs[0] = a, context.inputs[1] = b;
        for (const auto& out : output_homes(op)) {
          const auto [it, fresh] = index_.emplace(place(op, context, out, streamed), static_cast<int>(tasks.size()));
          if (fresh) tasks.push_back({op, context, out, allowed_[op], streamed, max_calls_, next_[op]});
          if (std::find(own.begin(), own.end(), it->second) == own.end()) own.push_back(it->second);
        }
      }
}

bool Space::fetches_ahead() const {
  return std::any_of(fetches_for_.begin(), fetches_for_.end(), [](int op) { return op >= 0; });
}

bool Space::allows_in_place(int op, bool in_place) const {
  return allowed_[op].allows("in_place", in_place ? "yes" : "no", 2);
}

std::vector<Placement> Space::output_homes(int op) const {
  const auto& list = homes[root[network->operators[op].outputs[0]]];
  if (list.empty()) return {{device->io, TensorLayout::hwc}};  // a variable
  return list;
}

std::vector<Placement> Space::homes_of(int tensor) {
  const auto& n = *network;
  const int producer = n.producer(tensor);
  if (producer < 0) return {{device->io, TensorLayout::hwc}};  // an input
  const auto offered = plan::output_homes(n, *device, producer);
  const auto& allowed = allowed_[producer];
  std::set<int> memories;
  for (const auto& h : offered) memories.insert(h.memory);
  std::vector<Placement> out;
  for (const auto& h : offered) {
    const auto layouts = static_cast<std::size_t>(
        std::count_if(offered.begin(), offered.end(), [&](const Placement& o) { return o.memory == h.memory; }));
    if (allowed.allows("output", device->memories[h.memory].name, memories.size()) &&
        allowed.allows("layout", plan::name_of(h.layout), layouts))
      out.push_back(h);
  }
  if (!out.empty()) return out;
  const auto& layer = n.operators[producer].name;
  std::vector<std::string> names, possible;
  for (const char* c : {"output", "layout"})
    if (allowed.values.count(c)) names.push_back(allowed.name_of(c, layer));
  for (const auto& h : offered) possible.push_back(name_of(h, *device));
  if (infeasible.empty())
    infeasible = fmt::format("choices.{} leave{} the output of layer {} no place to live in; possible {} {}",
                             fmt::join(names, " and choices."), names.size() > 1 ? "" : "s", layer,
                             possible.size() > 1 ? "are" : "is", join_or(possible));
  return {offered.front()};
}

std::string Space::place(int op, const plan::LayerContext& context, Placement output,
                         const std::vector<int>& streamed) const {
  std::string k = shapes_[op];
  for (const auto& h : context.inputs) k += plan::key_of(h);
  k += plan::key_of(output);
  for (const int t : streamed) k += "s" + std::to_string(network->tensors[t].bytes()) + ",";
  if (const auto& n = next_[op]; n.bytes > 0) k += fmt::format("n{}>{}:{},", n.from, n.to, n.bytes);
  return k + allowed_text_[op];
}

std::string Space::subject_of(int task) const {
  const auto& t = tasks[task];
  Fnv d;
  d.text(shapes_[t.op]).word(static_cast<std::int64_t>(t.context.inputs.size()));
  for (const auto& h : t.context.inputs) d.text(plan::key_of(h));
  for (const int i : t.streamed) d.text("streamed").word(network->tensors[i].bytes());
  if (t.next.bytes > 0) d.text("next").word(t.next.from).word(t.next.to).word(t.next.bytes);
  return d.text(plan::key_of(t.output)).hex();
}

std::string Space::key_of(int task) const {
  return Fnv().text(subject_of(task)).text(allowed_text_[tasks[task].op]).hex();
}

int Space::task_of(int op, const plan::LayerContext& context, Placement output,
                   const std::vector<int>& streamed) const {
  const auto it = index_.find(place(op, context, output, streamed));
  return it == index_.end() ? -1 : it->second;
}

}  // namespace dse::explore
