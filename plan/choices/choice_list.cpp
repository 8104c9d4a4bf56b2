// What there is to choose, over all combinations of the other choices.
#include <algorithm>
#include <set>

#include "plan/choices/assignment.h"
#include "plan/choices/choice_walk.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

/// What one choice offers over all combinations.
struct Union {
  std::vector<int> values;  // in order of first appearance
  bool exists = false, absent = false, varies = false;
};

void join(Union& u, const std::vector<int>& domain) {
  (domain.size() > 1 ? u.exists : u.absent) = true;
  if (domain.size() < 2) return;
  const auto before = u.values.size();
  for (const int v : domain)
    if (std::find(u.values.begin(), u.values.end(), v) == u.values.end()) u.values.push_back(v);
  u.varies |= before > 0 && (u.values.size() > before || domain.size() < u.values.size());
}

/// Per choice the number of the last one that needs it (itself, if none does).
std::vector<std::size_t> last_needed(const std::vector<Choice>& choices) {
  std::vector<std::size_t> out(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    out[i] = i;
    for (std::size_t k = i + 1; k < choices.size(); ++k)
      if (std::count(choices[k].needs.begin(), choices[k].needs.end(), choices[i].name)) out[i] = k;
  }
  return out;
}

/// Adds what the choices of one layer offer with its inputs at these homes. Values that no later choice needs are
/// forgotten, so that combinations which differ only in them are followed once.
void explore(const ChoiceRegistry& registry, const LayerContext& context, Given home, std::vector<Union>& unions) {
  const auto& choices = registry.all();
  const auto needed = last_needed(choices);
  std::vector<LayerChoice> partial = {start_of(context, home)}, next;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& c = choices[i];
    const bool given = home == Given::home && is_home(c);
    std::set<std::vector<int>> seen;  // values of the choices so far that are still needed
    next.clear();
    for (const auto& l : partial) {
      const auto domain = given ? std::vector<int>{c.get(l)} : c.domain(context, l);
      join(unions[i], domain);
      for (const int v : domain) {
        LayerChoice more = l;
        c.set(more, v);
        std::vector<int> key;
        for (std::size_t k = 0; k <= i; ++k)
          if (needed[k] > i) key.push_back(choices[k].get(more));
        if (seen.insert(std::move(key)).second) next.push_back(std::move(more));
      }
    }
    if (!next.empty()) partial.swap(next);
  }
}

}  // namespace

std::vector<ChoiceInstance> list_choices(const nn::Network& network, const hw::Device& device,
                                         const ChoiceRegistry& registry) {
  std::vector<ChoiceInstance> out;
  const auto& choices = registry.all();
  const auto root = alias_roots(network, true);
  const auto fixed = makes_output(network, true);
  std::vector<std::vector<Placement>> homes(network.operators.size());  // of outputs, as the choices offer them
  std::vector<LayerChoice> defaults(network.operators.size());
  for (const int op : layers_of(network, true)) {
    const auto given = fixed[op] ? Given::home : Given::nothing;
    auto context = context_of(network, device, defaults, op, true);
    defaults[op] = walk(registry, context, start_of(context, given), given,
                        [](const OpenChoice& open, const LayerChoice&) { return open.fallback; });
    std::vector<Union> unions(choices.size());
    const auto inputs = activations(network, network.operators[op]);
    const auto homes_of = [&](std::size_t input) {
      const int producer = input < inputs.size() ? network.producer(root[inputs[input]]) : -1;
      return producer < 0 ? std::vector<Placement>{{device.io, TensorLayout::hwc}} : homes[producer];
    };
    const bool same = inputs.size() > 1 && root[inputs[0]] == root[inputs[1]];
    // Of more than two inputs those after the second go where the first is: what is offered depends on whether any of
    // them has to be moved.
    for (const auto& a : homes_of(0))
      for (const auto& b : homes_of(1)) {
        if (same && !(a == b)) continue;
        if (!inputs.empty()) context.inputs[0] = a;
        if (inputs.size() > 1) context.inputs[1] = b;
        for (std::size_t i = 2; i < inputs.size(); ++i) {
          const auto list = homes_of(i);
          context.inputs[i] = std::find(list.begin(), list.end(), a) != list.end() ? a : list.front();
        }
        explore(registry, context, given, unions);
      }
    std::vector<Placement>& own = homes[op];
    own = {{device.io, TensorLayout::hwc}};
    for (std::size_t i = 0; i < choices.size() && !fixed[op]; ++i) {
      if (!is_home(choices[i])) continue;
      std::vector<Placement> more;
      for (const auto& h : own)
        for (const int v : unions[i].exists ? unions[i].values : std::vector<int>{choices[i].get(defaults[op])}) {
          LayerChoice l;
          l.output_memory = h.memory, l.output_layout = h.layout;
          choices[i].set(l, v);
          const Placement home{l.output_memory, l.output_layout};
          if (std::find(more.begin(), more.end(), home) == more.end()) more.push_back(home);
        }
      own.swap(more);
    }
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const auto& u = unions[i];
      if (!u.exists) continue;
      ChoiceInstance instance;
      instance.name = network.operators[op].name + "." + choices[i].name, instance.doc = choices[i].doc;
      for (const int v : u.values) instance.values.push_back(choices[i].text(device, v));
      instance.fallback = choices[i].text(device, choices[i].get(defaults[op]));
      instance.conditional = u.absent || u.varies;
      out.push_back(std::move(instance));
    }
  }
  NetworkChoice copied;
  copied.alias_reshapes = false;
  for (const auto& d : ChoiceRegistry::of_network()) {
    const auto now = d.domain(network, device, {}), then = d.domain(network, device, copied);
    const auto& more = now.size() < then.size() ? then : now;
    if (more.size() < 2) continue;
    out.push_back({"network." + d.name, d.doc, more, d.values.front(), now != then});
  }
  return out;
}

}  // namespace dse::plan
