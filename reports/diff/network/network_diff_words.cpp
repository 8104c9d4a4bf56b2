// Two networks compared, as a document for people and as JSON for programs.
#include <fmt/format.h>

#include <algorithm>

#include "reports/diff/network/network_diff.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

using nlohmann::json;

std::string name_of(const NetworkLayerDiff& l) {
  if (l.presence != Presence::both)
    return fmt::format("{} ({})", l.presence == Presence::only_a ? l.name_a : l.name_b, reports::name_of(l.presence));
  return l.name_a == l.name_b ? l.name_a : l.name_a + " -> " + l.name_b;
}

const char* word_of(Weights w) {
  static const char* const words[] = {"none", "equal", "other values", "other shapes", "one side"};
  return words[static_cast<int>(w)];
}

std::string weights_text(const NetworkLayerDiff& l) {
  if (l.weights == Weights::none || l.weights == Weights::one_side) return "";
  if (l.weights != Weights::values) return word_of(l.weights);
  return fmt::format("{} of {} values differ", grouped(l.values_changed), grouped(l.values));
}

void describe_totals(const NetworkDiff& d, Document& out) {
  Table t{{{"", false}, {"A"}, {"B"}, {"difference"}, {"", false}}};
  const auto row = [&](const char* name, const Pair& p) {
    t.rows.push_back({name, grouped(p.a), grouped(p.b), signed_text(p.change()), change_text(p)});
  };
  row("operators", d.operators);
  row("multiply-accumulates", d.macs);
  row("weights, bytes", d.weight_bytes);
  if (d.shared_bytes.a != 0 || d.shared_bytes.b != 0) row("of these used by several layers, bytes", d.shared_bytes);
  row("activations made, bytes", d.activation_bytes);
  row("activations alive at once, bytes", d.peak_bytes);
  out.table(std::move(t));
}

void describe_layers(const NetworkDiff& d, Document& out) {
  Table t{
      {{"layer", false}, {"operator", false}, {"MACs"}, {"weights, bytes"}, {"activations, bytes"}, {"weights", false}},
      {},
      true};
  std::size_t same = 0;
  for (const auto& l : d.layers) {
    if (l.equal()) {
      ++same;
      continue;
    }
    t.rows.push_back({name_of(l), l.kind, signed_text(l.macs.change()), signed_text(l.weight_bytes.change()),
                      signed_text(l.activation_bytes.change()), weights_text(l)});
  }
  if (t.rows.empty()) return;
  if (same > 0)
    t.rows.push_back(
        {fmt::format("{} {} without difference", same, same == 1 ? "layer" : "layers"), "", "0", "0", "0", ""});
  t.rows.push_back({"total", "", signed_text(d.macs.change()), signed_text(d.weight_bytes.change()),
                    signed_text(d.activation_bytes.change()), ""});
  out.heading("layers that differ, B - A");
  out.table(std::move(t));
  Table why{{{"layer", false}, {"differs", false}, {"A", false}, {"B", false}}};
  for (const auto& l : d.layers)
    for (const auto& w : l.differs) why.rows.push_back({name_of(l), w.name, or_none(w.a), or_none(w.b)});
  for (const auto& w : d.differs) why.rows.push_back({"", w.name, or_none(w.a), or_none(w.b)});
  if (why.rows.empty()) return;
  out.heading("what differs in them");
  out.table(std::move(why));
}

}  // namespace

void describe(const NetworkDiff& d, Document& out) {
  out.heading(fmt::format("{} -> {}", d.a, d.b));
  out.line(fmt::format("A  {}, structure {}", d.name_a, d.structure.a));
  out.line(fmt::format("B  {}, structure {}", d.name_b, d.structure.b));
  if (d.equal()) {
    out.line("equal: the same operators, shapes, quantisation and weights");
    return;
  }
  describe_totals(d, out);
  describe_layers(d, out);
}

json to_json(const NetworkDiff& d) {
  json j = {{"a", {{"label", d.a}, {"network", d.name_a}, {"structure", d.structure.a}}},
            {"b", {{"label", d.b}, {"network", d.name_b}, {"structure", d.structure.b}}},
            {"equal", d.equal()},
            {"operators", json_of(d.operators)},
            {"macs", json_of(d.macs)},
            {"weight_bytes", json_of(d.weight_bytes)},
            {"shared_weight_bytes", json_of(d.shared_bytes)},
            {"activation_bytes", json_of(d.activation_bytes)},
            {"peak_bytes", json_of(d.peak_bytes)},
            {"differs", json_of(d.differs)},
            {"layers", json::array()}};
  for (const auto& l : d.layers)
    j["layers"].push_back({{"names", {{"a", json_of(l.name_a)}, {"b", json_of(l.name_b)}}},
                           {"operator", l.kind},
                           {"presence", reports::name_of(l.presence)},
                           {"equal", l.equal()},
                           {"differs", json_of(l.differs)},
                           {"weights", word_of(l.weights)},
                           {"values", l.values},
                           {"values_changed", l.values_changed},
                           {"macs", json_of(l.macs)},
                           {"weight_bytes", json_of(l.weight_bytes)},
                           {"activation_bytes", json_of(l.activation_bytes)}});
  return j;
}

}  // namespace dse::reports
