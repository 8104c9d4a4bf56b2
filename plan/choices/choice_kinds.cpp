#include "plan/choices/choice_kinds.h"

#include <algorithm>
#include <charconv>

#include "plan/network/layers.h"

namespace dse::plan::choices {

Choice named(std::string name, std::string doc, std::vector<std::string> names,
             std::function<int(const LayerChoice&)> get, std::function<void(LayerChoice&, int)> set, Domain domain) {
  Choice c;
  c.name = std::move(name), c.doc = std::move(doc);
  c.get = std::move(get), c.set = std::move(set), c.domain = std::move(domain);
  c.text = [names](const hw::Device&, int v) { return names.at(v); };
  c.parse = [names](const hw::Device&, const std::string& s) -> std::optional<int> {
    const auto it = std::find(names.begin(), names.end(), s);
    return it == names.end() ? std::nullopt : std::optional<int>(static_cast<int>(it - names.begin()));
  };
  return c;
}

Choice counted(std::string name, std::string doc, int LayerChoice::*field, Domain domain) {
  Choice c;
  c.name = std::move(name), c.doc = std::move(doc), c.domain = std::move(domain);
  c.get = [field](const LayerChoice& l) { return l.*field; };
  c.set = [field](LayerChoice& l, int v) { l.*field = v; };
  c.text = [](const hw::Device&, int v) { return v == 0 ? std::string("all") : std::to_string(v); };
  c.parse = [](const hw::Device&, const std::string& s) -> std::optional<int> {
    if (s == "all") return 0;
    int v = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    return error == std::errc() && end == s.data() + s.size() && v > 0 ? std::optional<int>(v) : std::nullopt;
  };
  return c;
}

Choice memory(std::string name, std::string doc, std::string none, int LayerChoice::*field, Domain domain) {
  Choice c;
  c.name = std::move(name), c.doc = std::move(doc), c.domain = std::move(domain);
  c.get = [field](const LayerChoice& l) { return l.*field; };
  c.set = [field](LayerChoice& l, int v) { l.*field = v; };
  c.text = [none](const hw::Device& d, int v) { return v < 0 ? none : d.memories.at(v).name; };
  c.parse = [none](const hw::Device& d, const std::string& s) -> std::optional<int> {
    if (s == none) return -1;
    const int m = d.memory(s);
    return m < 0 ? std::nullopt : std::optional<int>(m);
  };
  return c;
}

bool whole_only(const LayerContext& c) {
  return c.kernel().kind == DSE_SOFTMAX || c.kernel().kind == DSE_COPY ||
         is_whole(*c.network, c.network->operators[c.op]);
}

bool moves(const LayerContext& c, const LayerChoice& l, int memory) {
  const auto& engine = c.device->engines[l.engine_of(c)];
  return !engine.reaches(memory) || (l.operands == Operands::tiled && memory != engine.memories.front());
}

bool moves_activations(const LayerContext& c, const LayerChoice& l) {
  for (int i = 0; i < c.input_count; ++i)
    if (moves(c, l, c.inputs[i].memory)) return true;
  return moves(c, l, l.output_memory);
}

bool moves_filters(const LayerContext& c, const LayerChoice& l) {
  return has_constants(*c.network, c.network->operators[c.op]) &&
         moves(c, l, l.weights_memory == kStreamed ? c.device->constants : l.weights_memory);
}

bool moves_anything(const LayerContext& c, const LayerChoice& l) {
  return moves_activations(c, l) || moves_filters(c, l);
}

}  // namespace dse::plan::choices
