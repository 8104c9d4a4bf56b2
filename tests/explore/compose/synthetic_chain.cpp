#include "tests/explore/compose/synthetic_chain.h"

#include <algorithm>
#include <set>

#include "plan/network/layers.h"

namespace dse::test {

using namespace explore;

namespace {

/// A schedule whose choice says which it is.
LayerEntry entry(Random& random, const LayerTask& task, int number, const hw::Device& device,
                 const std::vector<int>& on_chip) {
  LayerEntry e;
  e.choice.output_memory = task.output.memory, e.choice.output_layout = task.output.layout;
  e.choice.filters = number + 1;
  e.costs = {pick(random, 1, 40), pick(random, 1, 40), 8 * pick(random, 0, 6)};
  e.local.assign(device.memories.size(), 0);
  for (const int m : on_chip) e.local[m] = 16 * pick(random, 0, 12);
  e.choice.weights_memory = plan::kStreamed;
  if (pick(random, 0, 2) == 0) e.choice.weights_memory = on_chip[pick(random, 0, 1)];
  e.weight_bytes = pick(random, 1, 120);
  return e;
}

/// Every complete choice, section by section.
void extend(SyntheticChain& c, std::size_t section, std::vector<plan::LayerChoice>& choices,
            std::map<int, plan::Placement>& homes, std::size_t most) {
  if (c.all.size() > most) return;
  if (section == c.space->layers.size()) {
    c.all.push_back(combination_of(c, choices));
    return;
  }
  const auto& n = *c.network;
  const int op = c.space->layers[section];
  const auto inputs = plan::activations(n, n.operators[op]);
  plan::LayerContext context;
  context.network = &n, context.device = c.space->device, context.op = op;
  context.input_count = static_cast<int>(inputs.size());
  for (int k = 0; k < context.input_count; ++k) context.inputs[k] = homes.at(c.space->root[inputs[k]]);
  for (const auto& home : c.space->output_homes(op)) {
    const int task = c.space->task_of(static_cast<int>(section), context, home);
    homes[c.space->root[n.operators[op].outputs[0]]] = home;
    for (const auto& e : c.layers[task].entries) {
      choices[op] = e.choice;
      extend(c, section + 1, choices, homes, most);
    }
  }
}

}  // namespace

Combination combination_of(const SyntheticChain& c, const std::vector<plan::LayerChoice>& choices) {
  const auto& n = *c.network;
  const auto& memories = c.device->memories;
  std::map<int, plan::Placement> homes;
  for (const int t : n.inputs) homes[c.space->root[t]] = c.space->homes[c.space->root[t]][0];
  for (const int op : c.space->layers)
    homes[c.space->root[n.operators[op].outputs[0]]] = {choices[op].output_memory, choices[op].output_layout};
  Combination out;
  out.peaks.assign(memories.size(), 0);
  std::vector<std::int64_t> resident(memories.size(), 0);
  for (std::size_t s = 0; s < c.space->layers.size(); ++s) {
    const int op = c.space->layers[s];
    const auto inputs = plan::activations(n, n.operators[op]);
    plan::LayerContext context;
    context.network = &n, context.device = c.space->device, context.op = op;
    context.input_count = static_cast<int>(inputs.size());
    for (int k = 0; k < context.input_count; ++k) context.inputs[k] = homes.at(c.space->root[inputs[k]]);
    const int task =
        c.space->task_of(static_cast<int>(s), context, {choices[op].output_memory, choices[op].output_layout});
    const auto& e = c.layers[task].entries.at(choices[op].filters - 1);
    auto load = e.local;
    for (const auto& [t, home] : homes)
      if (c.space->first[t] <= static_cast<int>(s) && c.space->last[t] >= static_cast<int>(s))
        load[home.memory] += round_up(n.tensors[t].bytes(), memories[home.memory].alignment);
    for (std::size_t m = 0; m < memories.size(); ++m) out.peaks[m] = std::max(out.peaks[m], load[m]);
    if (e.choice.weights_memory != plan::kStreamed)
      resident[e.choice.weights_memory] += round_up(e.weight_bytes, memories[e.choice.weights_memory].alignment);
    for (int k = 0; k < kCosts; ++k) out.costs[k] += e.costs[k];
  }
  for (std::size_t m = 0; m < memories.size(); ++m) {
    out.peaks[m] += resident[m];
    if (memories[m].on_chip) out.memory += out.peaks[m];
  }
  return out;
}

std::unique_ptr<SyntheticChain> synthetic_chain(std::uint64_t seed, int entries, std::size_t most) {
  Random random(seed);
  auto c = std::make_unique<SyntheticChain>();
  c->network = random_network(random);
  c->device = random_device(random);
  std::vector<int> on_chip;
  for (std::size_t m = 0; m < c->device->memories.size(); ++m)
    if (c->device->memories[m].on_chip) on_chip.push_back(static_cast<int>(m));
  if (on_chip.size() != 2) return nullptr;
  SweepSpec spec;
  if (pick(random, 0, 1)) spec.choices["layout"] = {"hwc"};
  c->space = std::make_unique<Space>(*c->network, *c->device, spec);
  if (c->space->layers.size() < 2) return nullptr;
  for (const auto& task : c->space->tasks) {
    LayerFront front;
    const int count = pick(random, 1, entries);
    for (int i = 0; i < count; ++i) front.entries.push_back(entry(random, task, i, *c->device, on_chip));
    c->layers.push_back(std::move(front));
    c->joins |= task.context.input_count > 1;
  }
  std::vector<plan::LayerChoice> choices(c->network->operators.size());
  std::map<int, plan::Placement> homes;
  for (const int t : c->network->inputs) homes[c->space->root[t]] = c->space->homes[c->space->root[t]][0];
  extend(*c, 0, choices, homes, most);
  if (c->all.size() > most || c->all.size() < 8) return nullptr;
  return c;
}

std::vector<std::int64_t> values_of(const Combination& c, const Goal& goal) {
  std::vector<std::int64_t> out;
  for (const auto& o : goal.objectives) {
    std::int64_t v = o.cost >= 0 ? c.costs[o.cost] : 0;
    for (std::size_t m = 0; m < o.memories.size(); ++m) v += o.memories[m] ? c.peaks[m] : 0;
    out.push_back(v);
  }
  return out;
}

bool keeps_limits(const Combination& c, const Goal& goal) {
  for (std::size_t m = 0; m < c.peaks.size(); ++m)
    if (c.peaks[m] > goal.limits[m]) return false;
  for (int k = 0; k < kCosts; ++k)
    if (c.costs[k] > goal.cost_limits[k]) return false;
  return c.memory <= goal.total_limit;
}

std::vector<std::vector<std::int64_t>> brute_front(const SyntheticChain& chain, const Goal& goal) {
  std::set<std::vector<std::int64_t>> distinct;
  for (const auto& c : chain.all)
    if (keeps_limits(c, goal)) distinct.insert(values_of(c, goal));
  std::vector<std::vector<std::int64_t>> out;
  for (const auto& v : distinct)  // in ascending order: what beats a vector comes before it
    if (std::none_of(out.begin(), out.end(), [&](const auto& o) {
          for (std::size_t j = 0; j < v.size(); ++j)
            if (o[j] > v[j]) return false;
          return true;
        }))
      out.push_back(v);
  return out;
}

Goal random_goal(Random& random, const SyntheticChain& chain, int objectives) {
  std::vector<std::string> names = {"memory", "latency", "energy", "traffic"};
  for (const auto& m : chain.device->memories)
    if (m.on_chip) names.push_back("memories." + m.name + ".peak");
  std::shuffle(names.begin(), names.end(), random);
  auto goal = default_goal(*chain.device);
  goal.objectives.clear();
  for (int i = 0; i < objectives; ++i) goal.objectives.push_back(objective_of(names[i], *chain.device));
  const auto& some = chain.all[random() % chain.all.size()];
  for (std::size_t m = 0; m < goal.limits.size(); ++m)
    if (chain.device->memories[m].on_chip && pick(random, 0, 3) == 0) goal.limits[m] = some.peaks[m];
  if (pick(random, 0, 3) == 0) goal.total_limit = some.memory;
  for (int k = 0; k < kCosts; ++k)
    if (pick(random, 0, 3) == 0) goal.cost_limits[k] = some.costs[k] + pick(random, -5, 20);
  return goal;
}

}  // namespace dse::test
