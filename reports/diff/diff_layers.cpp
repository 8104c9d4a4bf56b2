#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/diff/diff_parts.h"
#include "reports/words/causes.h"

namespace dse::reports::parts {
namespace {

using nlohmann::json;

/// Name of every row of an account; later rows of the same name are told apart by their number.
std::vector<std::string> names_of(const json& account) {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (const auto& row : account) {
    const auto name = row.value("layer", std::string("?"));
    const int n = ++seen[name];
    out.push_back(n == 1 ? name : fmt::format("{} ({})", name, n));
  }
  return out;
}

/// Adds one side's row. @param side  Pair::a or Pair::b
void add_row(const json& row, std::int64_t Pair::*side, LayerDiff& out) {
  out.cycles.*side = row.at("cycles").get<std::int64_t>();
  for (std::size_t c = 0; c < out.causes.size(); ++c)
    out.causes[c].*side = row.at("causes").value(kCauseNames[c].key, std::int64_t{0});
  out.hidden_dma.*side = row.at("hidden_dma_cycles").get<std::int64_t>();
  out.macs.*side = row.at("macs").get<std::int64_t>();
  out.energy_fj.*side = row.at("energy_fj").get<std::int64_t>();
  for (const auto& [memory, moved] : row.at("memories").items()) {
    out.read[memory].*side = moved.at("read_bytes").get<std::int64_t>();
    out.written[memory].*side = moved.at("written_bytes").get<std::int64_t>();
  }
}

void diff_choices(const json& a, const json& b, PointDiff& out) {
  std::map<std::string, LayerDiff*> layers;
  for (auto& l : out.layers) layers.emplace(l.name, &l);
  std::set<std::string> names;
  for (const auto* side : {&a, &b})
    for (const auto& [name, value] : side->items()) names.insert(name);
  for (const auto& name : names) {
    const WordPair pair{name, a.value(name, std::string()), b.value(name, std::string())};
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

void diff_layers(const Measured& a, const Measured& b, PointDiff& out) {
  const auto &rows_a = a.point.at("account"), &rows_b = b.point.at("account");
  const auto names_a = names_of(rows_a), names_b = names_of(rows_b);
  std::map<std::string, LayerDiff> layers;
  const auto add = [&](const std::vector<std::string>& names, const json& rows, std::int64_t Pair::*side) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto [it, fresh] = layers.try_emplace(names[i]);
      it->second.name = names[i];
      if (!fresh)
        it->second.presence = Presence::both;
      else
        it->second.presence = side == &Pair::a ? Presence::only_a : Presence::only_b;
      (side == &Pair::a ? it->second.segment_a : it->second.segment_b) = rows.at(i).value("segment", std::string());
      if (out.timed) add_row(rows.at(i), side, it->second);
    }
  };
  add(names_a, rows_a, &Pair::a);
  add(names_b, rows_b, &Pair::b);
  for (const auto& name : merged(names_a, names_b)) out.layers.push_back(std::move(layers.at(name)));
  for (const auto& l : out.layers)
    for (std::size_t c = 0; c < out.causes.size(); ++c) out.causes[c] += l.causes[c];
  diff_choices(a.point.at("assignment"), b.point.at("assignment"), out);
}

}  // namespace dse::reports::parts
