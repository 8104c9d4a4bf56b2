// dse advise: what would make a point of a run faster, and which layers gain.
#include "explore/advise/advise.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/point_options.h"
#include "cli/run/run_folder.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using explore::Advice;
using explore::Advised;
using nlohmann::ordered_json;
using reports::grouped;

struct AdviseOptions : PointOptions {
  bool json = false, search = false;
  int layers = 5;
};

double part(std::int64_t gain, std::int64_t of) {
  return of == 0 ? 0 : static_cast<double>(gain) / static_cast<double>(of);
}

/// Operators by their ticks, the most first.
std::vector<std::size_t> largest(const Advised& a) {
  std::vector<std::size_t> out;
  for (std::size_t l = 0; l < a.layers.size(); ++l)
    if (a.layers[l] > 0) out.push_back(l);
  std::stable_sort(out.begin(), out.end(), [&](auto x, auto y) { return a.layers[x] > a.layers[y]; });
  return out;
}

/// Of the remedies that keep the plan, the one that helps a layer most; null: none does.
const Advice* best_for(const Advised& a, std::size_t layer) {
  const Advice* best = nullptr;
  for (const auto& advice : a.advice)
    if (!advice.layers.empty() && advice.layers[layer] < (best ? best->layers[layer] : a.layers[layer])) best = &advice;
  return best;
}

std::string text_of(const Advised& a, const nn::Network& network, int layers) {
  std::string out = fmt::format("{} cycles as it is\n\n", grouped(a.ticks));
  std::size_t width = 4;
  for (const auto& advice : a.advice) width = std::max(width, advice.what.size());
  if (a.advice.empty()) out += "nothing that was tried gains a cycle\n";
  for (const auto& advice : a.advice)
    out += fmt::format("{:<{}}  {:>13} cycles  -{:.1f} %{}\n", advice.what, width, grouped(advice.ticks),
                       100 * part(a.ticks - advice.ticks, a.ticks),
                       advice.another_plan ? "  with another plan, no larger" : "");
  out += "\n";
  int shown = 0;
  for (const auto l : largest(a)) {
    if (layers > 0 && shown++ == layers) break;
    const auto* best = best_for(a, l);
    out += fmt::format(
        "{}: {} cycles, {:.1f} % of all; {}\n", network.operators[l].name, grouped(a.layers[l]),
        100 * part(a.layers[l], a.ticks),
        best ? fmt::format("{}: -{:.1f} %", best->what, 100 * part(a.layers[l] - best->layers[l], a.layers[l]))
             : "nothing that was tried helps");
  }
  return out;
}

std::string json_of(const Advised& a, const nn::Network& network) {
  ordered_json j = {{"cycles", a.ticks}, {"remedies", ordered_json::array()}, {"layers", ordered_json::array()}};
  for (const auto& advice : a.advice)
    j["remedies"].push_back({{"what", advice.what}, {"cycles", advice.ticks}, {"another_plan", advice.another_plan}});
  for (const auto l : largest(a)) {
    const auto* best = best_for(a, l);
    j["layers"].push_back({{"layer", network.operators[l].name},
                           {"cycles", a.layers[l]},
                           {"best", best ? ordered_json(best->what) : ordered_json()},
                           {"cycles_then", best ? best->layers[l] : a.layers[l]}});
  }
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

int advise(const AdviseOptions& o) {
  Diagnostics d;
  const auto asked = open_point(o, d);
  const auto plan = asked ? plan_of(o.folder, asked->chosen, asked->c, d) : std::nullopt;
  if (const int code = report(d)) return code;
  explore::SweepSpec spec;
  spec.front_points = 0;
  const auto advised = explore::advise(asked->c, *plan, o.search, spec, {}, d);
  if (const int code = report(d)) return code;
  fmt::print("{}", o.json ? json_of(advised, *asked->c.network) : text_of(advised, *asked->c.network, o.layers));
  return Exit::ok;
}

}  // namespace

void add_advise(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<AdviseOptions>();
  auto* command = app.add_subcommand("advise", "Tell what would make a point of a run faster, layer by layer");
  o->add_to(*command);
  command->add_flag("--search", o->search, "also search for plans with larger memories and weights elsewhere");
  command->add_option("--layers", o->layers, "layers to show, those that take most first; 0 = all")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000));
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] { invocation.exit = advise(*o); });
}

}  // namespace dse::cli
