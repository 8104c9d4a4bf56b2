// A finished layer search as the study keeps it: schedules by name, so that it outlives new choices and their order.
#include <nlohmann/json.hpp>

#include "explore/layer/layer_search.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"

namespace dse::explore {
namespace {

using nlohmann::json;

json to_json(const LayerEntry& e, const LayerTask& task, const plan::ChoiceRegistry& registry) {
  json j = {{"assignment", plan::layer_text(registry, task.context, e.choice)}};
  if (e.fetches) j["fetches"] = true;
  for (int c = 0; c < kCosts; ++c) j[kCostKinds[c].column] = e.costs[c];
  return j;
}

std::optional<LayerEntry> entry_from(const json& j, const LayerTask& task, const plan::ChoiceRegistry& registry) {
  const auto choice =
      plan::parse_layer_text(registry, task.context, task.output, j.at("assignment").get<std::string>());
  if (!choice) return std::nullopt;
  LayerEntry e;
  e.choice = *choice;
  e.fetches = j.value("fetches", false);
  for (int c = 0; c < kCosts; ++c) j.at(kCostKinds[c].column).get_to(e.costs[c]);
  const auto g = plan::layer_geometry(task.context, *choice);
  if (!g.feasible) return std::nullopt;
  const auto& memories = task.context.device->memories;
  for (std::size_t m = 0; m < memories.size(); ++m)
    e.local.push_back(g.local_bytes(static_cast<int>(m), memories[m].alignment));
  e.weight_bytes = g.weight_bytes;
  return e;
}

}  // namespace

std::string to_text(const LayerFront& front, const LayerTask& task, const plan::ChoiceRegistry& registry) {
  json j = {{"simulated", front.simulated}, {"dominated", front.discarded}, {"infeasible", front.infeasible},
            {"skipped", front.skipped},     {"outside", front.outside},     {"own", front.own},
            {"fetched", front.fetched},     {"reason", front.reason},       {"schedules", json::array()},
            {"open", json::array()}};
  for (const auto& e : front.entries) j["schedules"].push_back(to_json(e, task, registry));
  for (const auto& e : front.open) j["open"].push_back(to_json(e, task, registry));
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<LayerFront> layer_front_from_text(const std::string& text, const LayerTask& task,
                                                const plan::ChoiceRegistry& registry) {
  try {
    const auto j = json::parse(text);
    LayerFront f;
    j.at("simulated").get_to(f.simulated), j.at("dominated").get_to(f.discarded);
    j.at("infeasible").get_to(f.infeasible), j.at("outside").get_to(f.outside), j.at("skipped").get_to(f.skipped);
    j.at("own").get_to(f.own), j.at("fetched").get_to(f.fetched), j.at("reason").get_to(f.reason);
    for (const auto* list : {"schedules", "open"})
      for (const auto& item : j.at(list)) {
        const auto e = entry_from(item, task, registry);
        if (!e) return std::nullopt;
        (std::string_view(list) == "open" ? f.open : f.entries).push_back(*e);
      }
    return f;
  } catch (const json::exception&) {  // not what we wrote: searched again
    return std::nullopt;
  }
}

}  // namespace dse::explore
