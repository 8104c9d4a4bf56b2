#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/diff/diff_parts.h"
#include "reports/words/format.h"

namespace dse::reports::parts {
namespace {

/// Name of every row of an account; later rows of the same name are told apart by their number.
std::vector<std::string> names_of(const explore::Point& p) {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (std::size_t row = 0; row < p.run.layers.size(); ++row) {
    const auto name = layer_of(p, row);
    const int n = ++seen[name];
    out.push_back(n == 1 ? name : fmt::format("{} ({})", name, n));
  }
  return out;
}

/// Adds one side's row. @param side  Pair::a or Pair::b
void add_row(const RecordedPoint& m, std::size_t row, std::int64_t Pair::*side, LayerDiff& out) {
  const auto& account = m.point.run.layers[row];
  const auto& use = m.point.uses.at(row);
  out.cycles.*side = account.total();
  for (std::size_t c = 0; c < out.causes.size(); ++c) out.causes[c].*side = account.ticks[c];
  out.hidden_dma.*side = account.hidden_dma;
  out.macs.*side = use.macs;
  out.energy_fj.*side = use.energy_fj;
  add_energy(m, row, side, out);
  for (std::size_t i = 0; i < use.memories.size(); ++i) {
    if (use.memories[i].read + use.memories[i].written == 0) continue;
    out.read[m.front.memories[i].name].*side = use.memories[i].read;
    out.written[m.front.memories[i].name].*side = use.memories[i].written;
  }
}

void diff_choices(const explore::Point& a, const explore::Point& b, PointDiff& out) {
  std::map<std::string, LayerDiff*> layers;
  for (auto& l : out.layers) layers.emplace(l.name, &l);
  std::set<std::string> names;
  for (const auto* side : {&a, &b})
    for (const auto& [name, value] : side->assignment) names.insert(name);
  const auto chosen = [](const explore::Point& p, const std::string& name) {
    const auto it = p.assignment.find(name);
    return it == p.assignment.end() ? std::string() : it->second;
  };
  for (const auto& name : names) {
    const WordPair pair{name, chosen(a, name), chosen(b, name)};
    if (pair.a == pair.b) continue;
    const auto dot = name.rfind('.');
    const auto layer = dot == std::string::npos ? layers.end() : layers.find(name.substr(0, dot));
    if (layer == layers.end())
      out.choices.push_back(pair);
    else if (layer->second->presence == Presence::both)  // a layer on one side differs as a whole
      layer->second->choices.push_back({name.substr(dot + 1), pair.a, pair.b});
  }
}

}  // namespace

std::vector<std::string> merged(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  auto out = a;
  auto at = out.begin();
  for (const auto& name : b) {
    const auto known = std::find(out.begin(), out.end(), name);
    at = known == out.end() ? out.insert(at, name) + 1 : known + 1;
  }
  return out;
}

void diff_layers(const RecordedPoint& a, const RecordedPoint& b, PointDiff& out) {
  const auto names_a = names_of(a.point), names_b = names_of(b.point);
  std::map<std::string, LayerDiff> layers;
  const auto add = [&](const std::vector<std::string>& names, const RecordedPoint& m, std::int64_t Pair::*side) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto [it, fresh] = layers.try_emplace(names[i]);
      it->second.name = names[i];
      it->second.presence = !fresh ? Presence::both : side == &Pair::a ? Presence::only_a : Presence::only_b;
      (side == &Pair::a ? it->second.segment_a : it->second.segment_b) = segment_of(m.point, i);
      if (out.timed) add_row(m, i, side, it->second);
    }
  };
  add(names_a, a, &Pair::a);
  add(names_b, b, &Pair::b);
  for (const auto& name : merged(names_a, names_b)) out.layers.push_back(std::move(layers.at(name)));
  for (const auto& l : out.layers)
    for (std::size_t c = 0; c < out.causes.size(); ++c) out.causes[c] += l.causes[c];
  diff_choices(a.point, b.point, out);
}

}  // namespace dse::reports::parts
