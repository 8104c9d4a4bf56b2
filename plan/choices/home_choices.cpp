// Where a layer runs and where what it reads and makes lies.
#include <algorithm>

#include "plan/choices/choice_kinds.h"
#include "plan/choices/homes.h"
#include "plan/network/layers.h"

namespace dse::plan::choices {
namespace {

using Values = std::vector<int>;

Choice engine() {
  auto c = memory("engine", "engine that computes the layer", "default", &LayerChoice::engine,
                  [](const LayerContext& c, const LayerChoice&) {
                    const int all = c.device->compute_engine();
                    return default_engine(c) == all ? Values{-1} : Values{-1, all};
                  });
  // Engines, not memories, by name.
  c.text = [](const hw::Device& d, int v) { return v < 0 ? std::string("default") : d.engines.at(v).name; };
  c.parse = [](const hw::Device& d, const std::string& s) -> std::optional<int> {
    if (s == "default") return -1;
    const int e = d.engine(s);
    return e >= 0 && d.engines[e].computes() ? std::optional<int>(e) : std::nullopt;
  };
  return c;
}

Values output_memories(const LayerContext& c, const LayerChoice&) {
  Values out;
  for (const auto& h : output_homes(*c.network, *c.device, c.op))
    if (h.layout == TensorLayout::hwc) out.push_back(h.memory);
  return out;
}

Values output_layouts(const LayerContext& c, const LayerChoice& l) {
  const auto homes = output_homes(*c.network, *c.device, c.op);
  const Placement planes{l.output_memory, TensorLayout::chw};
  return std::find(homes.begin(), homes.end(), planes) == homes.end() ? Values{0} : Values{0, 1};
}

Values weight_memories(const LayerContext& c, const LayerChoice&) {
  const auto& d = *c.device;
  Values out = {kStreamed};
  if (!has_constants(*c.network, c.network->operators[c.op])) return out;
  // One place is enough to trade memory for time; filters beside the engine would push tensors out of there.
  const int place = d.memories[d.io].on_chip ? d.io : d.engines[d.compute_engine()].memories.front();
  if (place != d.constants) out.push_back(place);
  return out;
}

Values operands(const LayerContext& c, const LayerChoice& l) {
  const auto& e = c.device->engines[l.engine_of(c)];
  const bool copies = e.kind == hw::EngineKind::cpu && !e.copy_bytes_per_cycle.zero() && e.memories.size() > 1;
  return copies && !whole_only(c) ? Values{0, 1} : Values{0};
}

}  // namespace

std::vector<Choice> home_choices() {
  return {
      engine(),
      memory("output", "memory that the output tensor lives in until its last reader", "none",
             &LayerChoice::output_memory, output_memories),
      needing(
          {"output"},
          named(
              "layout", "order of the output tensor's bytes: channels last (hwc) or one plane after the other (chw)",
              {"hwc", "chw"}, [](const LayerChoice& l) { return static_cast<int>(l.output_layout); },
              [](LayerChoice& l, int v) { l.output_layout = static_cast<TensorLayout>(v); }, output_layouts)),
      memory("weights", "where the filters are: streamed from the constants memory, or resident since start-up",
             "streamed", &LayerChoice::weights_memory, weight_memories),
      needing({"engine"},
              named(
                  "operands",
                  "automatic: used where they lie if the engine reaches them; tiled: copied to the nearest memory",
                  {"automatic", "tiled"}, [](const LayerChoice& l) { return static_cast<int>(l.operands); },
                  [](LayerChoice& l, int v) { l.operands = static_cast<Operands>(v); }, operands)),
      // Whether it pays depends on the layers around it.
      not_searched(needing({"layout", "output"},
                           named(
                               "in_place",
                               "yes: an element-wise operator writes over an input that nobody reads afterwards; the "
                               "parts of a concatenation, or what is padded, are made where they belong",
                               {"no", "yes"}, [](const LayerChoice& l) { return l.in_place ? 1 : 0; },
                               [](LayerChoice& l, int v) { l.in_place = v == 1; },
                               [](const LayerContext& c, const LayerChoice& l) {
                                 return can_be_in_place(c, l) ? Values{0, 1} : Values{0};
                               }))),
  };
}

}  // namespace dse::plan::choices
