#include "reports/network/network_json.h"

#include "models/nn/summary/summary.h"
#include "models/nn/summary/summary_quantization.h"

namespace dse::reports {
namespace {

using nlohmann::ordered_json;

/// null for tensors that are not quantised.
ordered_json quantization_json(const nn::Tensor& t) {
  const auto q = nn::quantization_of(t);
  if (!q) return nullptr;
  ordered_json j = {{"per_channel", q->per_channel()},
                    {"scales", q->scales},
                    {"axis", q->axis},
                    {"scale", {q->scale_min, q->scale_max}},
                    {"zero_point", {q->zero_min, q->zero_max}}};
  if (!t.quantization.correction.empty()) j["correction"] = {q->correction_min, q->correction_max};
  return j;
}

ordered_json tensor_json(const nn::Network& n, int index) {
  const auto& t = n.tensors[static_cast<std::size_t>(index)];
  return {{"name", t.name},
          {"shape", t.shape},
          {"dtype", nn::name_of(t.type)},
          {"bytes", t.bytes()},
          {"quantization", quantization_json(t)}};
}

ordered_json tensors_json(const nn::Network& n, const std::vector<int>& indices) {
  auto list = ordered_json::array();
  for (const int t : indices) list.push_back(tensor_json(n, t));
  return list;
}

ordered_json shapes(const nn::Network& n, const std::vector<int>& tensors) {
  auto list = ordered_json::array();
  for (const int t : tensors) list.push_back(n.tensors[static_cast<std::size_t>(t)].shape);
  return list;
}

const char* name_of(nn::Evaluation e) {
  return e == nn::Evaluation::kernel ? "kernel" : e == nn::Evaluation::floating ? "float" : "none";
}

ordered_json layer_json(const nn::Network& n, const nn::Summary& s, std::size_t o) {
  const auto& op = n.operators[o];
  const auto& l = s.layers[o];
  ordered_json j = {{"index", o},
                    {"name", op.name},
                    {"kind", nn::key_of(op.kind)},
                    {"type", nn::type_of(op)},
                    {"inputs", shapes(n, l.inputs)},
                    {"outputs", shapes(n, l.outputs)},
                    {"constants", shapes(n, l.constants)},
                    {"macs", l.macs},
                    {"parameters", l.parameters},
                    {"parameter_bytes", l.parameter_bytes},
                    {"input_bytes", l.input_bytes},
                    {"output_bytes", l.output_bytes},
                    {"live_bytes", l.live_bytes},
                    {"intensity", l.intensity()},
                    {"evaluation", name_of(op.evaluation)}};
  if (op.evaluation == nn::Evaluation::none) j["unsupported"] = op.unsupported;
  j["rounding"] = nn::name_of(op.options.rounding);
  j["tensors"] = {{"inputs", tensors_json(n, l.inputs)},
                  {"outputs", tensors_json(n, l.outputs)},
                  {"constants", tensors_json(n, l.constants)}};
  if (op.options.rounding != nn::Rounding::qformat) return j;
  ordered_json formats = ordered_json::object();
  for (const auto* list : {&l.inputs, &l.constants, &l.outputs})
    for (const int t : *list) {
      const auto& tensor = n.tensors[static_cast<std::size_t>(t)];
      if (const auto text = nn::format_text(op, tensor); !text.empty()) formats[tensor.name] = text;
    }
  j["q_formats"] = std::move(formats);
  return j;
}

}  // namespace

ordered_json network_json(const nn::Network& n) {
  const auto s = nn::summarize(n);
  ordered_json j = {{"format", 1},
                    {"name", n.name},
                    {"structure", n.structure_hash()},
                    {"operators", n.operators.size()},
                    {"macs", s.macs},
                    {"parameters", s.parameters},
                    {"parameter_bytes", s.parameter_bytes},
                    {"variable_bytes", s.variable_bytes},
                    {"intensity", s.intensity()},
                    {"inputs", tensors_json(n, n.inputs)},
                    {"outputs", tensors_json(n, n.outputs)}};
  j["peak"] = {{"bytes", s.peak_bytes},
               {"operator", s.peak_operator},
               {"live", tensors_json(n, nn::live_tensors(n, s.peak_operator))}};
  j["layers"] = ordered_json::array();
  for (std::size_t o = 0; o < n.operators.size(); ++o) j["layers"].push_back(layer_json(n, s, o));
  j["kinds"] = ordered_json::array();
  for (const auto& k : s.kinds)
    j["kinds"].push_back({{"kind", k.kind},
                          {"operators", k.operators},
                          {"macs", k.macs},
                          {"parameters", k.parameters},
                          {"parameter_bytes", k.parameter_bytes}});
  j["rewrites"] = ordered_json::array();
  for (const auto& r : n.rewrites) j["rewrites"].push_back({{"what", r.what}, {"operator", r.where}, {"text", r.text}});
  j["unsupported"] = ordered_json::array();
  for (const int o : s.unsupported) {
    const auto& op = n.operators[static_cast<std::size_t>(o)];
    j["unsupported"].push_back(
        {{"operator", o}, {"name", op.name}, {"type", nn::type_of(op)}, {"why", op.unsupported}});
  }
  for (const auto& op : n.operators)
    if (op.cycles >= 0) j["priced"].push_back({{"name", op.name}, {"type", nn::type_of(op)}, {"cycles", op.cycles}});
  if (!n.host.empty()) j["host"] = ordered_json::array();
  for (const auto& h : n.host)
    j["host"].push_back({{"name", h.name}, {"type", h.type}, {"runs", h.before ? "before" : "after"}, {"why", h.why}});
  j["float_operators"] = s.floating;
  j["quantization"] = ordered_json::array();
  for (const auto& g : nn::quantization_groups(n))
    j["quantization"].push_back({{"role", nn::name_of(g.role)},
                                 {"dtype", nn::name_of(g.type)},
                                 {"per_channel", g.per_channel},
                                 {"tensors", g.tensors},
                                 {"scale", {g.range.scale_min, g.range.scale_max}},
                                 {"zero_point", {g.range.zero_min, g.range.zero_max}},
                                 {"formats", g.formats}});
  return j;
}

}  // namespace dse::reports
