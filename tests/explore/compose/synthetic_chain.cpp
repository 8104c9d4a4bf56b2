#include "tests/explore/compose/synthetic_chain.h"

#include <algorithm>
#include <set>

#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "sim/platform.h"
#include "tests/support/all_orders.h"

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

/// A layer's output lies where an input does that it may overwrite and that nobody reads later in this order.
bool may_overwrite(const SyntheticChain& c, const std::vector<int>& order, std::size_t section,
                   const std::map<int, plan::Placement>& homes) {
  const auto& n = *c.network;
  const auto& root = c.space->root;
  const int op = order[section];
  const auto inputs = plan::activations(n, n.operators[op]);
  const auto candidates = plan::inputs_to_overwrite(n, op, root);
  return std::any_of(candidates.begin(), candidates.end(), [&](int i) {
    const int over = root[inputs[i]];
    for (std::size_t later = section + 1; later < order.size(); ++later)
      for (const int t : plan::activations(n, n.operators[order[later]]))
        if (root[t] == over) return false;
    return homes.at(over) == homes.at(root[n.operators[op].outputs[0]]);
  });
}

/// Every complete choice in an order, section by section.
void extend(SyntheticChain& c, const std::vector<int>& order, std::size_t section,
            std::vector<plan::LayerChoice>& choices, std::map<int, plan::Placement>& homes, std::size_t most) {
  if (c.all.size() > most) return;
  if (section == order.size()) {
    c.all.push_back(combination_of(c, choices, order));
    return;
  }
  const auto& n = *c.network;
  const int op = order[section];
  const auto inputs = plan::activations(n, n.operators[op]);
  plan::LayerContext context;
  context.network = &n, context.device = c.space->device, context.op = op;
  context.input_count = static_cast<int>(inputs.size());
  for (int k = 0; k < context.input_count; ++k) context.inputs[k] = homes.at(c.space->root[inputs[k]]);
  for (const auto& home : c.space->output_homes(op)) {
    const int task = c.space->task_of(op, context, home);
    homes[c.space->root[n.operators[op].outputs[0]]] = home;
    for (const auto& e : c.layers[task].entries) {
      choices[op] = e.choice;
      extend(c, order, section + 1, choices, homes, most);
      if (!may_overwrite(c, order, section, homes)) continue;
      choices[op].in_place = true;
      extend(c, order, section + 1, choices, homes, most);
    }
  }
}

}  // namespace

Combination combination_of(const SyntheticChain& c, const std::vector<plan::LayerChoice>& choices,
                           std::vector<int> order) {
  const auto& n = *c.network;
  if (order.empty()) order = c.space->layers;
  const auto place = [&](int op) { return std::find(order.begin(), order.end(), op) - order.begin(); };
  const auto alive = [&](int tensor, std::ptrdiff_t section) {  // made by then, and read or wanted after it
    const int maker = n.producer(tensor);
    const auto made = maker < 0 ? 0 : place(maker);
    auto last = made;
    for (std::size_t a = 0; a < n.tensors.size(); ++a) {
      if (c.space->root[a] != tensor) continue;
      for (const int reader : n.consumers(static_cast<int>(a)))
        if (const auto at = place(reader); at < std::ssize(order)) last = std::max(last, at);
      if (std::count(n.outputs.begin(), n.outputs.end(), static_cast<int>(a))) last = std::ssize(order) - 1;
    }
    return made <= section && section <= last;
  };
  const auto& memories = c.device->memories;
  std::map<int, plan::Placement> homes;
  for (const int t : n.inputs) homes[c.space->root[t]] = c.space->homes[c.space->root[t]][0];
  for (const int op : order)
    homes[c.space->root[n.operators[op].outputs[0]]] = {choices[op].output_memory, choices[op].output_layout};
  Combination out;
  out.peaks.assign(memories.size(), 0);
  std::vector<std::int64_t> resident(memories.size(), 0);
  for (std::size_t s = 0; s < order.size(); ++s) {
    const int op = order[s];
    const auto inputs = plan::activations(n, n.operators[op]);
    plan::LayerContext context;
    context.network = &n, context.device = c.space->device, context.op = op;
    context.input_count = static_cast<int>(inputs.size());
    for (int k = 0; k < context.input_count; ++k) context.inputs[k] = homes.at(c.space->root[inputs[k]]);
    const int task = c.space->task_of(op, context, {choices[op].output_memory, choices[op].output_layout});
    const auto& e = c.layers[task].entries.at(choices[op].filters - 1);
    auto load = e.local;
    for (const auto& [t, home] : homes)
      if (alive(t, static_cast<std::ptrdiff_t>(s)) &&
          !(choices[op].in_place && t == c.space->root[n.operators[op].outputs[0]]))
        load[home.memory] += round_up(n.tensors[t].bytes(), memories[home.memory].alignment);
    for (std::size_t m = 0; m < memories.size(); ++m) out.peaks[m] = std::max(out.peaks[m], load[m]);
    if (e.choice.weights_memory != plan::kStreamed)
      resident[e.choice.weights_memory] += round_up(e.weight_bytes, memories[e.choice.weights_memory].alignment);
    for (int k = 0; k < kCosts; ++k) out.costs[k] += e.costs[k];
  }
  out.costs[kTicks] += sim::start_ticks(*c.space->device);
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
  const auto orders = all_orders(*c->network);
  c->orders = orders.size() > 1;
  for (const auto& order : orders) extend(*c, order, 0, choices, homes, most);
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
