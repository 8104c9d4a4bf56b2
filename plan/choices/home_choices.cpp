// Where a layer runs and where what it reads and makes lies.
#include <algorithm>

#include "plan/choices/choice_kinds.h"
#include "plan/choices/homes.h"
#include "plan/network/layers.h"

namespace dse::plan::choices {

std::vector<Choice> home_choices() {
  std::vector<Choice> out;
  const auto add = [&out](std::vector<std::string> needs, Choice c) {
    out.push_back(needing(std::move(needs), std::move(c)));
  };
  add({}, memory("engine", "engine that computes the layer", "default", &LayerChoice::engine,
                 [](const LayerContext&, const LayerChoice&) { return std::vector<int>{-1}; }));
  auto& engine = out.back();  // engines, not memories, by name
  engine.text = [](const hw::Device& d, int v) { return v < 0 ? std::string("default") : d.engines.at(v).name; };
  engine.parse = [](const hw::Device& d, const std::string& s) -> std::optional<int> {
    if (s == "default") return -1;
    const int e = d.engine(s);
    return e >= 0 && d.engines[e].computes() ? std::optional<int>(e) : std::nullopt;
  };
  add({}, memory("output", "memory that the output tensor lives in until its last reader", "none",
                 &LayerChoice::output_memory, [](const LayerContext& c, const LayerChoice&) {
                   std::vector<int> out;
                   for (const auto& h : output_homes(*c.network, *c.device, c.op))
                     if (h.layout == TensorLayout::hwc) out.push_back(h.memory);
                   return out;
                 }));
  add({"output"},
      named(
          "layout", "order of the output tensor's bytes: channels last (hwc) or one plane after the other (chw)",
          {"hwc", "chw"}, [](const LayerChoice& l) { return static_cast<int>(l.output_layout); },
          [](LayerChoice& l, int v) { l.output_layout = static_cast<TensorLayout>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            const auto homes = output_homes(*c.network, *c.device, c.op);
            const Home planes{l.output_memory, TensorLayout::chw};
            return std::find(homes.begin(), homes.end(), planes) == homes.end() ? std::vector<int>{0}
                                                                                : std::vector<int>{0, 1};
          }));
  add({}, memory("weights", "where the filters are: streamed from the constants memory, or resident since start-up",
                 "streamed", &LayerChoice::weights_memory, [](const LayerContext& c, const LayerChoice&) {
                   std::vector<int> out = {kStreamed};
                   if (!has_constants(*c.network, c.network->operators[c.op])) return out;
                   // One place is enough to trade memory for time; filters beside the engine would push tensors out of
                   // there.
                   const int io = c.device->io;
                   const int place = c.device->memories[io].on_chip
                                         ? io
                                         : c.device->engines[c.device->compute_engine()].memories.front();
                   if (place != c.device->constants) out.push_back(place);
                   return out;
                 }));
  add({"engine"},
      named(
          "operands", "automatic: used where they lie if the engine reaches them; tiled: copied to the nearest memory",
          {"automatic", "tiled"}, [](const LayerChoice& l) { return static_cast<int>(l.operands); },
          [](LayerChoice& l, int v) { l.operands = static_cast<Operands>(v); },
          [](const LayerContext& c, const LayerChoice& l) {
            const auto& e = c.device->engines[compute_engine(c, l)];
            const bool copies = e.kind == hw::EngineKind::cpu && !e.copy_bytes_per_cycle.zero() &&
                                e.memories.size() > 1 && !whole_only(c);
            return copies ? std::vector<int>{0, 1} : std::vector<int>{0};
          }));
  add({"layout", "output"}, named(
                                "in_place",
                                "yes: an element-wise operator writes over an input that nobody reads afterwards; the "
                                "parts of a concatenation, or what is padded, are made where they belong",
                                {"no", "yes"}, [](const LayerChoice& l) { return l.in_place ? 1 : 0; },
                                [](LayerChoice& l, int v) { l.in_place = v == 1; },
                                [](const LayerContext& c, const LayerChoice& l) {
                                  return can_be_in_place(c, l) ? std::vector<int>{0, 1} : std::vector<int>{0};
                                }));
  out.back().searched = false;  // whether it pays depends on the layers around it
  return out;
}

}  // namespace dse::plan::choices
