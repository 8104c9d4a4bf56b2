#include <algorithm>
#include <cstdlib>

#include "reports/diff/diff_parts.h"
#include "reports/words/energy.h"

namespace dse::reports::parts {
namespace {

std::string name_of_cause(const EnergyDiff& e) { return e.block.empty() ? e.cause : e.block + " " + e.cause; }

/// Which layers take more and less, and for what: those that changed, largest first.
void describe_layers(const PointDiff& d, Document& out) {
  const auto change = [](const LayerDiff& l, const EnergyDiff& e) {
    const auto it = l.energy.find({e.block, e.cause});
    return it == l.energy.end() ? 0 : it->second.change();
  };
  std::vector<const EnergyDiff*> causes;
  for (const auto& e : d.energy)
    if (std::any_of(d.layers.begin(), d.layers.end(), [&](const LayerDiff& l) { return change(l, e) != 0; }))
      causes.push_back(&e);
  std::vector<const LayerDiff*> layers;
  for (const auto& l : d.layers)
    if (std::any_of(causes.begin(), causes.end(), [&](const EnergyDiff* e) { return change(l, *e) != 0; }))
      layers.push_back(&l);
  if (layers.empty()) return;
  std::stable_sort(layers.begin(), layers.end(), [](const LayerDiff* a, const LayerDiff* b) {
    return std::abs(a->energy_fj.change()) > std::abs(b->energy_fj.change());
  });
  Table t{{{"layer", false}, {"energy"}}, {}, true};
  for (const auto* e : causes) t.columns.push_back({name_of_cause(*e)});
  for (const auto* l : layers) {
    auto& cells = t.rows.emplace_back(std::vector{name_of(*l), signed_picojoules(l->energy_fj.change())});
    for (const auto* e : causes) cells.push_back(signed_picojoules(change(*l, *e)));
  }
  auto& total = t.rows.emplace_back(std::vector<std::string>{"total", signed_picojoules(d.energy_fj.change())});
  for (const auto* e : causes) total.push_back(signed_picojoules(e->fj.change()));
  out.heading("energy by layer and cause in pJ (estimate), B - A");
  out.table(std::move(t));
}

}  // namespace

void describe_energy(const PointDiff& d, Document& out) {
  if (d.energy_fj.change() == 0) return;
  Table t{{{"", false}, {"A"}, {"B"}, {"difference"}}, {}, true};
  const auto row = [&](const std::string& name, const Pair& p) {
    t.rows.push_back({name, picojoules(p.a), picojoules(p.b), signed_picojoules(p.change())});
  };
  if (d.energy.empty()) {
    for (const auto& m : d.memories)
      if (m.energy_fj.a != 0 || m.energy_fj.b != 0) row(m.name, m.energy_fj);
    row("arithmetic", d.arithmetic_fj);
  }
  for (const auto& e : d.energy) row(name_of_cause(e), e.fj);
  row("total", d.energy_fj);
  out.heading("energy in pJ (estimate)");
  out.table(std::move(t));
  if (!d.energy.empty()) describe_layers(d, out);
}

}  // namespace dse::reports::parts
