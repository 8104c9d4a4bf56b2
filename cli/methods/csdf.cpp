// dse csdf: a network as a cyclo-static dataflow graph, or such a graph from a file: checked, its buffers sized, its
// phases put in order.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/output.h"
#include "cli/methods/layer_input.h"
#include "methods/dataflow/buffers.h"
#include "methods/dataflow/notation.h"
#include "methods/dataflow/sdf3.h"

namespace dse::cli {
namespace {

using nlohmann::ordered_json;
using namespace plan::phases;

struct CsdfOptions {
  LayerOptions layers;
  std::string out;
  bool json = false;
};

struct Analysed {
  CsdfGraph graph;
  Repetition repetition;
  Flow flow;  // what the buffers are for: windows of a network, channels of a graph
  std::vector<Firing> stuck;
  CapacityResult least;
  std::int64_t lower_bound = 0, lazy = 0;
  std::vector<Firing> order;
};

/// The graph and the channels that are buffers. Nothing after diagnostics.
std::optional<Analysed> read(const CsdfOptions& o, Diagnostics& d) {
  Analysed a;
  if (ends_with(o.layers.network, ".xml")) {
    const auto text = read_file(o.layers.network, d);
    auto file = text ? from_sdf3(*text, o.layers.network, d) : std::nullopt;
    if (!file) return std::nullopt;
    a.graph = std::move(file->graph);
    a.repetition = repetition_vector(a.graph);
    if (a.repetition.cycles.empty()) {
      const int c = a.repetition.channel;
      d.error(c < 0 ? Location{o.layers.network, 0, 0} : file->channels[static_cast<std::size_t>(c)], a.repetition.why,
              c < 0 ? "" : "no buffers make such a graph run for ever");
      return std::nullopt;
    }
    a.flow = literal_flow(a.graph, a.repetition);
  } else {
    auto in = read_layers(o.layers, d);
    if (!in) return std::nullopt;
    a.graph = to_csdf(in->graph, in->parts, o.layers.bytes_per_element);
    a.repetition = repetition_vector(a.graph);
    ensure(!a.repetition.cycles.empty(), "a network's graph is not consistent: " + a.repetition.why);
    a.flow = window_flow(in->graph, in->parts, o.layers.bytes_per_element);
  }
  return a;
}

void analyse(Analysed& a) {
  a.stuck = deadlock(a.flow);
  if (!a.stuck.empty()) return;
  a.lower_bound = lower_bound(a.flow).bytes(a.flow);
  a.lazy = lazy_schedule(a.flow).buffers.bytes(a.flow);
  a.least = least_capacity(a.flow);
  a.order = run_with(a.flow, a.least.buffers).firings;
}

std::int64_t firings(const Analysed& a) {
  std::int64_t n = 0;
  for (const auto& actor : a.flow.actors) n += actor.firings;
  return n;
}

ordered_json as_json(const Analysed& a) {
  ordered_json actors = ordered_json::array(), buffers = ordered_json::array(), stuck = ordered_json::array();
  for (std::size_t i = 0; i < a.graph.actors.size(); ++i)
    actors.push_back(
        {{"name", a.graph.actors[i].name}, {"phases", a.graph.actors[i].phases}, {"cycles", a.repetition.cycles[i]}});
  for (std::size_t i = 0; i < a.least.buffers.tokens.size(); ++i) {
    const auto& c = a.flow.channels[i];
    buffers.push_back({{"channel", c.name},
                       {"from", c.from + 1},
                       {"to", c.to + 1},
                       {"bytes", a.least.buffers.tokens[i] * c.token_bytes}});
  }
  for (const auto& f : a.stuck) stuck.push_back({{"actor", f.actor + 1}, {"firing", f.number}});
  ordered_json j{{"format", 1},           {"graph", a.graph.name},
                 {"actors", actors},      {"channels", a.graph.channels.size()},
                 {"firings", firings(a)}, {"deadlock", stuck}};
  if (!a.stuck.empty()) return j;
  j["lower_bound_bytes"] = a.lower_bound, j["result_bytes"] = a.least.bytes, j["lazy_bytes"] = a.lazy;
  j["optimal"] = a.least.optimal, j["proven_bound_bytes"] = a.least.lower_bound_bytes;
  j["buffers"] = buffers, j["execution_order"] = notation_terms(a.order);
  return j;
}

void print_text(const Analysed& a) {
  fmt::print("{}: {} actors, {} channels, {} firings in one iteration\n", a.graph.name, a.graph.actors.size(),
             a.graph.channels.size(), firings(a));
  fmt::print("consistent; cycles per iteration:");
  for (const auto q : a.repetition.cycles) fmt::print(" {}", q);
  if (!a.stuck.empty()) {
    fmt::print("\ndeadlock, with buffers of any size: {} actors are stuck, the first is {} before its phase {}\n",
               a.stuck.size(), a.graph.actors[static_cast<std::size_t>(a.stuck[0].actor)].name, a.stuck[0].number);
    return;
  }
  fmt::print("\nfree of deadlock\n\nactors, phases\n");
  for (std::size_t i = 0; i < a.graph.actors.size(); ++i)
    fmt::print("  {:<6} {:>6}  {}\n", fmt::format("l{}", i + 1), a.graph.actors[i].phases, a.graph.actors[i].name);
  fmt::print("\nbuffers\n");
  for (std::size_t i = 0; i < a.flow.channels.size(); ++i) {
    const auto& c = a.flow.channels[i];
    fmt::print("  {:<14} {:>12} bytes\n", fmt::format("l{} to l{}", c.from + 1, c.to + 1),
               a.least.buffers.tokens[i] * c.token_bytes);
  }
  fmt::print("  total          {:>12} bytes, {}; lower bound {}, lazy schedule {}\n\norder\n", a.least.bytes,
             a.least.optimal ? "proven least" : fmt::format("at least {}", a.least.lower_bound_bytes), a.lower_bound,
             a.lazy);
  std::string line = " ";
  const auto terms = notation_terms(a.order);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string word = " " + terms[i] + (i + 1 < terms.size() ? "," : "");
    if (line.size() + word.size() > 100 && line.size() > 1) fmt::print("{}\n", line), line = " ";
    line += word;
  }
  fmt::print("{}\n", line);
}

int csdf(const CsdfOptions& o) {
  Diagnostics d;
  auto a = read(o, d);
  const int exit = report(d);
  if (!a) return exit;
  if (!o.out.empty()) write_file(o.out, to_sdf3(a->graph));
  analyse(*a);
  if (o.json)
    print_json(as_json(*a));
  else
    print_text(*a);
  return a->stuck.empty() ? exit : static_cast<int>(Exit::no_feasible_plan);
}

}  // namespace

void add_csdf(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CsdfOptions>();
  auto* command = app.add_subcommand("csdf", "Turn a network into a cyclo-static dataflow graph and size its buffers");
  command
      ->add_option("network", options->layers.network, "network, NAME.layers.yaml, or a graph in SDF3's format (.xml)")
      ->required();
  command->add_option("-o,--output", options->out, "write the graph to this file in SDF3's format");
  add_layer_options(*command, options->layers);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &invocation] { invocation.exit = csdf(*options); });
}

}  // namespace dse::cli
