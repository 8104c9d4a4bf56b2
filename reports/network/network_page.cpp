#include "reports/network/network_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "models/nn/summary/summary.h"
#include "reports/network/network_graph.h"
#include "reports/network/network_words.h"
#include "reports/page/page.h"
#include "reports/page/payload.h"

namespace dse::reports {
namespace {

using nlohmann::json;

/// Tensors that the page mentions, each once.
class Tensors {
 public:
  explicit Tensors(const nn::Network& n) : n_(n) {}
  int operator()(int index) {
    const auto [it, fresh] = at_.emplace(index, static_cast<int>(list_.size()));
    if (!fresh) return it->second;
    const auto& t = n_.tensors[static_cast<std::size_t>(index)];
    list_.push_back({{"name", t.name.empty() ? "tensor " + std::to_string(index) : t.name},
                     {"shape", shape_text(t.shape)},
                     {"type", nn::name_of(t.type)},
                     {"bytes", t.bytes()},
                     {"quantization", quantization_text(t)}});
    return it->second;
  }
  json operator()(const std::vector<int>& indices) {
    auto list = json::array();
    for (const int t : indices) list.push_back((*this)(t));
    return list;
  }
  json take() { return std::move(list_); }

 private:
  const nn::Network& n_;
  std::map<int, int> at_;
  json list_ = json::array();
};

json layers_json(const nn::Network& n, const nn::Summary& s, Tensors& tensors) {
  auto list = json::array();
  for (std::size_t o = 0; o < s.layers.size(); ++o) {
    const auto& op = n.operators[o];
    const auto& l = s.layers[o];
    const bool none = op.evaluation == nn::Evaluation::none;
    const bool floating = std::binary_search(s.floating.begin(), s.floating.end(), static_cast<int>(o));
    json one = {{"name", op.name},
                {"type", nn::type_of(op)},
                {"kind", nn::key_of(op.kind)},
                {"family", group_of(op.kind)},
                {"shape", l.outputs.empty() ? "" : shape_text(n.tensors[static_cast<std::size_t>(l.outputs[0])].shape)},
                {"data", data_types(n, l)},
                {"macs", l.macs},
                {"params", l.parameters},
                {"bytes", l.parameter_bytes},
                {"inBytes", l.input_bytes},
                {"outBytes", l.output_bytes},
                {"live", l.live_bytes},
                {"intensity", l.intensity()},
                {"in", tensors(l.inputs)},
                {"constants", tensors(l.constants)},
                {"out", tensors(l.outputs)}};
    if (none) one["why"] = op.unsupported;
    if (floating) one["float"] = true;
    if (const auto formats = format_text(n, static_cast<int>(o)); !formats.empty()) one["formats"] = formats;
    list.push_back(std::move(one));
  }
  return list;
}

double tenth(double v) { return std::round(v * 10) / 10; }

json graph_json(const nn::Network& n, const nn::Summary& s, Tensors& tensors) {
  const auto g = network_graph(n, s);
  json out = {{"width", tenth(g.graph.width)}, {"height", tenth(g.graph.height)}};
  auto& nodes = out["nodes"] = json::array();
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const auto& node = g.nodes[i];
    const auto& box = g.graph.nodes[i];
    json one = {{"x", tenth(box.x)}, {"y", tenth(box.y)},   {"w", tenth(box.width)},
                {"h", box.height},   {"title", node.title}, {"sub", node.subtitle}};
    if (node.role == NetworkNode::Role::layer)
      one["layer"] = node.index;
    else
      one["tensor"] = tensors(node.index);
    nodes.push_back(std::move(one));
  }
  auto& edges = out["edges"] = json::array();
  for (const auto& e : g.graph.edges) {
    auto points = json::array();
    for (const auto& p : e.points) points.push_back(tenth(p.x)), points.push_back(tenth(p.y));
    edges.push_back({{"from", e.from}, {"to", e.to}, {"tensor", tensors(e.bundle)}, {"points", std::move(points)}});
  }
  return out;
}

json summary_json(const nn::Network& n, const nn::Summary& s, Tensors& tensors) {
  json out = {{"operators", n.operators.size()},
              {"macs", s.macs},
              {"params", s.parameters},
              {"bytes", s.parameter_bytes},
              {"inBytes", s.input_bytes},
              {"outBytes", s.output_bytes},
              {"variables", s.variable_bytes},
              {"intensity", s.intensity()},
              {"peak", s.peak_bytes},
              {"peakLayer", s.peak_operator},
              {"live", tensors(nn::live_tensors(n, s.peak_operator))},
              {"inputs", tensors(n.inputs)},
              {"outputs", tensors(n.outputs)},
              {"unsupported", s.unsupported},
              {"floating", s.floating.size()},
              {"floatingWhere", ranges_text(s.floating)}};
  out["kinds"] = json::array();
  for (const auto& k : s.kinds)
    out["kinds"].push_back({{"kind", k.kind}, {"operators", k.operators}, {"macs", k.macs}, {"params", k.parameters}});
  out["rewrites"] = json::array();
  for (const auto& r : n.rewrites) out["rewrites"].push_back({{"what", r.what}, {"where", r.where}, {"text", r.text}});
  out["quantization"] = json::array();
  for (const auto& g : nn::quantization_groups(n))
    out["quantization"].push_back({{"role", nn::name_of(g.role)},
                                   {"type", nn::name_of(g.type)},
                                   {"per", g.per_channel ? "per channel" : "per tensor"},
                                   {"tensors", g.tensors},
                                   {"scale", scale_text(g.range)},
                                   {"zero", zero_text(g.range)},
                                   {"formats", g.formats}});
  return out;
}

}  // namespace

json network_payload(const nn::Network& n) {
  const auto s = nn::summarize(n);
  Tensors tensors(n);
  json page = {{"format", 1}, {"name", n.name}, {"structure", n.structure_hash()}};
  page["summary"] = summary_json(n, s, tensors);
  page["layers"] = layers_json(n, s, tensors);
  page["graph"] = graph_json(n, s, tensors);
  page["tensors"] = tensors.take();
  return page;
}

std::string network_page(const nn::Network& n) {
  static constexpr std::array kScripts = {"network.js", "network_summary.js", "network_table.js", "network_graph.js"};
  auto page = page_of("network", "dse inspect", kScripts);
  fill_slot(page, "/*slot:data*/", page_text(network_payload(n)));
  return page;
}

}  // namespace dse::reports
