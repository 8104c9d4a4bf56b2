#include "explore/engine/exhaustive.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/layer/calls.h"
#include "explore/space/space.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"

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
    : case_(&c),
      registry_(registry),
      goal_(goal_of(spec, *c.network, *c.device)),
      max_calls_(spec.max_calls),
      orders_(Orders::of(*c.network, spec.choices)) {
  const auto& n = *c.network;
  for (const auto& op : n.operators) allowed_.push_back(Allowed::searched(spec.choices, op.name));
  layers_ = plan::layers_of(n, true);
  root_ = plan::alias_roots(n, true);
  run_before_ = plan::run_before(n, true);
  readers_.resize(n.tensors.size());
  for (const int op : layers_)
    for (const int t : plan::activations(n, n.operators[op])) readers_[root_[t]].push_back(op);
  start_.executed.assign(n.operators.size(), 0);
  for (const int t : n.inputs) start_.homes.push_back({root_[t], Placement{c.device->io, TensorLayout::hwc}});
  levels_.resize(layers_.size());
  seek(0);
}

plan::LayerContext Candidates::context_of(int op, const State& before) const {
  const auto& n = *case_->network;
  plan::LayerContext context;
  context.network = &n, context.device = case_->device.get(), context.op = op;
  const auto inputs = plan::activations(n, n.operators[op]);
  context.input_count = static_cast<int>(inputs.size());
  context.inputs.assign(std::max<std::size_t>(2, inputs.size()), Placement{});
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const auto& [tensor, home] : before.homes)
      if (tensor == root_[inputs[i]]) context.inputs[i] = home;
  return context;
}

std::vector<plan::LayerChoice> Candidates::looked_at(int op, const plan::LayerContext& context,
                                                     const std::vector<plan::LayerChoice>& all) const {
  const auto& memories = case_->device->memories;
  std::map<std::string, CallsLookedAt> of_home;
  std::vector<std::int64_t> calls;  // -1: not feasible
  const auto home = [](const plan::LayerChoice& l) { return Placement{l.output_memory, l.output_layout}; };
  for (const auto& choice : all) {
    const auto g = plan::layer_geometry(context, choice);
    calls.push_back(g.feasible ? calls_of(g) : -1);
    if (!g.feasible) continue;
    LayerEntry entry;
    for (std::size_t m = 0; m < memories.size(); ++m)
      entry.local.push_back(g.local_bytes(static_cast<int>(m), memories[m].alignment));
    const LayerTask task{op, context, home(choice)};
    of_home.try_emplace(key_of(home(choice)), max_calls_).first->second.add(calls.back(), fit_of(task, goal_, entry));
  }
  std::vector<plan::LayerChoice> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (calls[i] >= 0 && calls[i] <= of_home.at(key_of(home(all[i]))).most()) out.push_back(all[i]);
  return out;
}

const std::vector<plan::LayerChoice>& Candidates::choices_of(int op, const State& before) const {
  const auto context = context_of(op, before);
  const auto own = std::find(layers_.begin(), layers_.end(), op);
  const bool behind = own != layers_.begin() && before.last == *std::prev(own);  // as in the file
  std::string key = fmt::format("{},{},", op, behind);
  for (const auto& h : context.inputs) key += key_of(h);
  const auto [it, fresh] = cache_.try_emplace(key);
  if (!fresh) return it->second;
  const auto& n = *case_->network;
  const auto& device = *case_->device;
  const bool given = place_is_given(n, root_, op), planes = may_be_planes(n, root_, op);
  std::vector<plan::LayerChoice> partial(1), next;
  const bool overwrites = plan::parts_of(n, op).empty();
  for (const auto& choice : registry_.all()) {
    if (!choice.searched && !(overwrites && choice.name == "in_place")) continue;
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
  for (const auto& l : looked_at(op, context, partial))
    if (behind || !l.prefetch) it->second.push_back(l);
  return it->second;
}

bool Candidates::may_run(int op, const State& before) const {
  const auto& needed = run_before_[op];
  return !before.executed[op] &&
         std::all_of(needed.begin(), needed.end(), [&](int other) { return before.executed[other] != 0; });
}

std::vector<Candidates::Move> Candidates::moves(const State& before) const {
  std::vector<Move> out;
  const auto add = [&](int op, int line) { out.push_back({op, line, &choices_of(op, before)}); };
  if (orders_.any)
    for (const int op : layers_)
      if (may_run(op, before)) add(op, -1);
  const auto count = std::count(before.executed.begin(), before.executed.end(), 1);
  for (std::size_t line = 0; line < orders_.listed.size(); ++line)
    if (before.line < 0 || before.line == static_cast<int>(line))
      add(orders_.listed[line][static_cast<std::size_t>(count)], static_cast<int>(line));
  return out;
}

Candidates::State Candidates::after(const State& before, const Move& move, const plan::LayerChoice& choice) const {
  State out{before.executed, move.line, move.op, {}};
  out.executed[move.op] = 1;
  const auto alive = [&](int tensor) {
    return std::any_of(readers_[tensor].begin(), readers_[tensor].end(), [&](int r) { return !out.executed[r]; });
  };
  for (const auto& held : before.homes)
    if (alive(held.first)) out.homes.push_back(held);
  for (const int t : case_->network->operators[move.op].outputs)
    if (alive(root_[t])) out.homes.push_back({root_[t], Placement{choice.output_memory, choice.output_layout}});
  std::sort(out.homes.begin(), out.homes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

double Candidates::count_from(const State& before) const {
  if (std::all_of(layers_.begin(), layers_.end(), [&](int op) { return before.executed[op] != 0; })) return 1;
  std::string key(before.executed.begin(), before.executed.end());
  key += fmt::format("{},{},", before.line, before.last);
  for (const auto& [t, h] : before.homes) key += fmt::format("{}:{}", t, key_of(h));
  if (const auto it = counts_.find(key); it != counts_.end()) return it->second;
  double sum = 0;
  for (const auto& move : moves(before))
    for (const auto& l : *move.choices) sum += count_from(after(before, move, l));
  return counts_[key] = sum;
}

double Candidates::count() const { return orders_.any || !orders_.listed.empty() ? count_from(start_) : 0; }

bool Candidates::Level::turn() {
  if (move == moves.size()) return false;
  if (++at < moves[move].choices->size()) return true;
  for (at = 0, ++move; move < moves.size(); ++move)
    if (!moves[move].choices->empty()) return true;
  return false;
}

Candidates::Level Candidates::level_at(const State& before) const {
  Level out{before, moves(before), 0, 0};
  while (out.move < out.moves.size() && out.moves[out.move].choices->empty()) ++out.move;
  return out;
}

void Candidates::seek(std::int64_t number) {
  ended_ = static_cast<double>(number) >= count();
  position_ = ended_ ? static_cast<std::int64_t>(count()) : number;
  if (ended_) return;
  double rest = static_cast<double>(number);
  State state = start_;
  for (auto& level : levels_) {
    level = level_at(state);
    while (true) {
      state = after(level);
      const double below = count_from(state);
      if (rest < below) break;
      rest -= below;
      level.turn();
    }
  }
}

/// Turns the last level that has a further option to it, and those below to their first.
void Candidates::advance() {
  std::size_t s = levels_.size();
  bool turned = false;
  while (!turned && s-- > 0)
    while (!turned && levels_[s].turn()) turned = count_from(after(levels_[s])) > 0;
  ++position_;
  if (!turned) {
    ended_ = true;
    return;
  }
  for (++s; s < levels_.size(); ++s) {
    levels_[s] = level_at(after(levels_[s - 1]));
    while (count_from(after(levels_[s])) == 0) levels_[s].turn();
  }
}

bool Candidates::next(plan::Decisions& decided) {
  if (ended_) return false;
  decided.network = case_->whole;
  decided.network.order.clear();
  decided.layers.assign(case_->network->operators.size(), {});
  for (const auto& level : levels_) {
    const int op = level.moves[level.move].op;
    decided.layers[op] = level.choice();
    decided.network.order.push_back(op);
  }
  if (decided.network.order == layers_) decided.network.order.clear();
  advance();
  return true;
}

}  // namespace dse::explore
