#include "explore/engine/exhaustive.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/space/space.h"
#include "plan/network/layers.h"

namespace dse::explore {
namespace {

using plan::Placement;
using plan::TensorLayout;

/// Operators that can work on planes: those that the schemes tile over an image.
bool takes_planes(const nn::Network& n, const nn::Operator& op) {
  return !plan::renames(n, op) && !plan::is_whole(n, op) && op.kind != nn::OperatorKind::softmax &&
         op.kind != nn::OperatorKind::fully_connected;
}

bool listed(const std::vector<int>& list, int value) { return std::count(list.begin(), list.end(), value) > 0; }

/// The output's place is decided by the edges of the space: it leaves the network, or an operator that joins or splits
/// tensors makes or reads it.
bool place_is_given(const nn::Network& n, const std::vector<int>& root, int op) {
  const auto& outputs = n.operators[op].outputs;
  if (outputs.size() > 1 || n.tensors[outputs[0]].kind == nn::TensorKind::variable) return true;
  for (int alias = 0; alias < static_cast<int>(root.size()); ++alias) {
    if (root[alias] != root[outputs[0]]) continue;
    if (listed(n.outputs, alias)) return true;
    for (const int reader : n.consumers(alias))
      if (plan::activations(n, n.operators[reader]).size() > 2) return true;
  }
  return false;
}

bool may_be_planes(const nn::Network& n, const std::vector<int>& root, int op) {
  if (!takes_planes(n, n.operators[op])) return false;
  for (int alias = 0; alias < static_cast<int>(root.size()); ++alias)
    if (root[alias] == root[n.operators[op].outputs[0]])
      for (const int reader : n.consumers(alias))
        if (!takes_planes(n, n.operators[reader])) return false;
  return true;
}

}  // namespace

Candidates::Candidates(const Case& c, const SweepSpec& spec, const plan::ChoiceRegistry& registry)
    : case_(&c), registry_(registry) {
  const auto& n = *c.network;
  for (const auto& op : n.operators) allowed_.push_back(Allowed::of(spec.choices, op.name));
  layers_ = plan::layers_of(n, true);
  root_ = plan::alias_roots(n, true);
  last_.assign(n.tensors.size(), -1);
  for (std::size_t s = 0; s < layers_.size(); ++s)
    for (const int t : plan::activations(n, n.operators[layers_[s]])) last_[root_[t]] = static_cast<int>(s);
  for (const int t : n.inputs) start_.push_back({root_[t], Placement{c.device->io, TensorLayout::hwc}});
  levels_.resize(layers_.size());
  seek(0);
}

plan::LayerContext Candidates::context_at(std::size_t level, const State& before) const {
  const auto& n = *case_->network;
  plan::LayerContext context;
  context.network = &n, context.device = case_->device.get(), context.op = layers_[level];
  const auto inputs = plan::activations(n, n.operators[layers_[level]]);
  context.input_count = static_cast<int>(inputs.size());
  context.inputs.assign(std::max<std::size_t>(2, inputs.size()), Placement{});
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const auto& [tensor, home] : before)
      if (tensor == root_[inputs[i]]) context.inputs[i] = home;
  return context;
}

/// Feasible by itself, and not more kernel calls than the space holds.
bool Candidates::inside(const plan::LayerContext& context, const plan::LayerChoice& choice) const {
  const auto g = plan::layer_geometry(context, choice);
  return g.feasible && std::int64_t{g.tiles} * g.sets * g.steps <= kMaxCalls;
}

const Candidates::Options& Candidates::options(std::size_t level, const State& before) const {
  const auto context = context_at(level, before);
  std::string key = std::to_string(level) + ",";
  for (const auto& h : context.inputs) key += key_of(h);
  const auto [it, fresh] = cache_.try_emplace(key);
  if (!fresh) return it->second;
  const auto& n = *case_->network;
  const auto& device = *case_->device;
  const int op = layers_[level];
  const bool given = place_is_given(n, root_, op), planes = may_be_planes(n, root_, op);
  std::vector<plan::LayerChoice> partial(1), next;
  for (const auto& choice : registry_.all()) {
    if (!choice.searched) continue;
    next.clear();
    for (const auto& l : partial) {
      auto domain = choice.domain(context, l);
      if (choice.name == "output" && given) domain = {device.io};
      if (choice.name == "layout") {
        // Planes only where a copy engine fetches them: to an engine that reads them in place they are no use.
        const bool fetched = !device.engines[device.compute_engine()].reaches(l.output_memory);
        if (given || !planes || !fetched) domain = {static_cast<int>(TensorLayout::hwc)};
      }
      if (domain.empty()) domain = {choice.get(l)};
      for (const int value : domain) {
        if (!allowed_[static_cast<std::size_t>(op)].allows(choice, device, value, domain.size())) continue;
        next.push_back(l);
        choice.set(next.back(), value);
      }
    }
    partial.swap(next);
  }
  for (const auto& l : partial)
    if (inside(context, l)) it->second.choices.push_back(l);
  return it->second;
}

Candidates::State Candidates::after(std::size_t level, const State& before, const plan::LayerChoice& choice) const {
  State out;
  const auto alive = [&](int tensor) { return last_[tensor] > static_cast<int>(level); };
  for (const auto& held : before)
    if (alive(held.first)) out.push_back(held);
  for (const int t : case_->network->operators[layers_[level]].outputs)
    if (alive(root_[t])) out.push_back({root_[t], Placement{choice.output_memory, choice.output_layout}});
  return out;
}

double Candidates::count_from(std::size_t level, const State& before) const {
  if (level == layers_.size()) return 1;
  std::string key = std::to_string(level) + ",";
  for (const auto& [t, h] : before) key += fmt::format("{}:{}", t, key_of(h));
  if (const auto it = counts_.find(key); it != counts_.end()) return it->second;
  double sum = 0;
  for (const auto& l : options(level, before).choices) sum += count_from(level + 1, after(level, before, l));
  return counts_[key] = sum;
}

double Candidates::count() const { return count_from(0, start_); }

void Candidates::seek(std::int64_t number) {
  ended_ = static_cast<double>(number) >= count();
  position_ = ended_ ? static_cast<std::int64_t>(count()) : number;
  if (ended_) return;
  double rest = static_cast<double>(number);
  State state = start_;
  for (std::size_t s = 0; s < levels_.size(); ++s) {
    auto& level = levels_[s];
    level = {state, &options(s, state), 0};
    while (true) {
      const auto following = after(s, state, level.options->choices[level.at]);
      const double below = count_from(s + 1, following);
      if (rest < below) {
        state = following;
        break;
      }
      rest -= below, ++level.at;
    }
  }
}

/// Turns the last level that has a further option to it, and those below to their first.
void Candidates::advance() {
  std::size_t s = levels_.size();
  bool turned = false;
  while (!turned && s-- > 0) {
    auto& level = levels_[s];
    while (!turned && ++level.at < level.options->choices.size())
      turned = count_from(s + 1, after(s, level.before, level.options->choices[level.at])) > 0;
  }
  ++position_;
  if (!turned) {
    ended_ = true;
    return;
  }
  for (++s; s < levels_.size(); ++s) {
    const auto& above = levels_[s - 1];
    const State state = after(s - 1, above.before, above.options->choices[above.at]);
    auto& level = levels_[s];
    level = {state, &options(s, state), 0};
    while (count_from(s + 1, after(s, state, level.options->choices[level.at])) == 0) ++level.at;
  }
}

bool Candidates::next(std::vector<plan::LayerChoice>& choices) {
  if (ended_) return false;
  choices.assign(case_->network->operators.size(), {});
  for (std::size_t s = 0; s < levels_.size(); ++s) choices[layers_[s]] = levels_[s].options->choices[levels_[s].at];
  advance();
  return true;
}

}  // namespace dse::explore
