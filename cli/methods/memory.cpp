// dse memory: what a network's activations take, method by method.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/device_options.h"
#include "cli/common/lookup.h"
#include "cli/common/output.h"
#include "cli/methods/layer_input.h"
#include "cli/methods/memory_device.h"
#include "cli/methods/memory_shared.h"
#include "methods/dataflow/notation.h"
#include "methods/memory/memory_table.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using nlohmann::ordered_json;
using namespace plan::phases;
using plan::shared::SharedPlan;
using reports::grouped;

struct MemoryOptions {
  LayerOptions layers;
  std::string input, device;  // input empty: not said
  std::vector<std::string> set;
  bool json = false;
};

struct Row {
  const char *key, *title;
  std::int64_t bytes;
  std::string note;
};

std::vector<Row> rows(const MemoryTable& t) {
  const auto proven = [](bool optimal) {
    return optimal ? std::string("proven least") : std::string("search ended early");
  };
  return {{"naive", "naive", t.naive, "a buffer per edge"},
          {"layer_by_layer", "layer by layer", t.layer_by_layer.bytes,
           "best order of whole layers, " + proven(t.layer_by_layer.optimal)},
          {"buffer_reuse", "buffer reuse", t.buffer_reuse.bytes(),
           fmt::format("{} buffers, breadth first, first free", t.buffer_reuse.buffers.size())},
          {"thesis_lower_bound", "phases, lower bound", t.thesis_lower_bound, "each buffer alone"},
          {"thesis_result", "phases, result", t.thesis.bytes, "a buffer per edge, " + proven(t.thesis.optimal)},
          {"thesis_lazy", "phases, lazy schedule", t.lazy.buffers.bytes(t.flow), "what nobody waits for comes last"},
          {"shared_phases_load", "shared phases, load", t.shared.best.load,
           t.shared.best.proven_least ? "the most that is held at a time, proven least for this order"
                                      : "the most that is held at a time"},
          {"shared_phases", "shared phases", t.shared.best.arena(), placement_note(t.shared.best)},
          {"shared_phases_rings", "shared phases, rings", t.shared.rings.arena(), placement_note(t.shared.rings)}};
}

ordered_json plans(const MemoryTable& t) {
  ordered_json layers = ordered_json::array(), buffers = ordered_json::array(), reuse = ordered_json::array(),
               order = ordered_json::array();
  for (std::size_t i = 0; i < t.graph.layers.size(); ++i)
    layers.push_back({{"name", t.graph.layers[i].name},
                      {"input", t.graph.layers[i].source},
                      {"phases", t.parts.phases(static_cast<int>(i))}});
  for (std::size_t i = 0; i < t.graph.edges.size(); ++i) {
    const Edge& e = t.graph.edges[i];
    const auto& c = t.flow.channels[i];
    buffers.push_back({{"from", e.from + 1},
                       {"to", e.to + 1},
                       {"rows", t.thesis.buffers.tokens[i]},
                       {"bytes", t.thesis.buffers.tokens[i] * c.token_bytes},
                       {"whole_bytes", e.rows * c.token_bytes}});
    reuse.push_back({{"from", e.from + 1}, {"to", e.to + 1}, {"buffer", t.buffer_reuse.of_edge[i]}});
  }
  for (const int l : t.layer_by_layer.order) order.push_back(l + 1);
  return {{"layers", layers},
          {"layer_order", order},
          {"reuse", {{"buffer_bytes", t.buffer_reuse.buffers}, {"edges", reuse}}},
          {"phase_buffers", buffers},
          {"phase_order", notation_terms(t.order.firings)},
          {"shared_phases", plan_as_json(t.shared.best)},
          {"shared_phases_rings", plan_as_json(t.shared.rings)}};
}

ordered_json as_json(const MemoryOptions& o, const LayerInput& in, const MemoryTable& t) {
  ordered_json j{{"format", 1},           {"network", t.graph.name},
                 {"fuse", o.layers.fuse}, {"bytes_per_element", o.layers.bytes_per_element},
                 {"layers", t.layers},    {"edges", t.graph.edges.size()},
                 {"phases", t.phases},    {"input", o.input}};
  const auto parameters = in.parameters.value_or(0) * o.layers.bytes_per_element;
  ordered_json footprint;
  for (const auto& r : rows(t)) j[r.key] = r.bytes, footprint[r.key] = r.bytes + parameters;
  j["layer_by_layer_optimal"] = t.layer_by_layer.optimal;
  j["layer_by_layer_proven_bound"] = t.layer_by_layer.lower_bound_bytes;
  j["shared_phases_load_proven_least"] = t.shared.best.proven_least;
  j["shared_phases_proven_bound"] = t.shared.best.placed.layout.lower_bound;
  j["thesis_optimal"] = t.thesis.optimal;
  j["thesis_proven_bound"] = t.thesis.lower_bound_bytes;
  j["parameters"] = in.parameters ? ordered_json(parameters) : ordered_json();
  j["footprint"] = in.parameters ? footprint : ordered_json();
  j["plans"] = plans(t);
  return j;
}

void print_text(const MemoryOptions& o, const LayerInput& in, const MemoryTable& t) {
  const auto parameters = in.parameters.value_or(0) * o.layers.bytes_per_element;
  fmt::print("{}: {} layers in {} phases, {} edges, {} byte{} per element", t.graph.name, t.layers, t.phases,
             t.graph.edges.size(), o.layers.bytes_per_element, o.layers.bytes_per_element == 1 ? "" : "s");
  if (in.parameters) fmt::print(", {} bytes of parameters", grouped(parameters));
  fmt::print("\n\n{:<22}{:>14}", "method", "bytes");
  if (in.parameters) fmt::print("{:>18}", "with parameters");
  fmt::print("\n");
  for (const auto& r : rows(t)) {
    fmt::print("{:<22}{:>14}", r.title, grouped(r.bytes));
    if (in.parameters) fmt::print("{:>18}", grouped(r.bytes + parameters));
    fmt::print("  {}\n", r.note);
  }
  const auto print_plan = [](const char* title, const SharedPlan& p) {
    fmt::print("\n{}\n", title);
    for (const auto& line : plan_in_words(p)) fmt::print("  {}\n", line);
  };
  print_plan("shared phases", t.shared.best);
  if (plan_in_words(t.shared.rings) != plan_in_words(t.shared.best)) print_plan("shared phases, rings", t.shared.rings);
}

const std::map<std::string, plan::shared::Input> kInputs{{"released", plan::shared::Input::released},
                                                         {"kept", plan::shared::Input::kept},
                                                         {"streamed", plan::shared::Input::streamed}};

int memory(MemoryOptions o) {
  // Without a device, the table tells what is possible; most devices have nowhere to stream from.
  if (o.input.empty()) o.input = o.device.empty() ? "streamed" : "released";
  Diagnostics d;
  const auto in = read_layers(o.layers, d);
  std::optional<explore::Case> on;
  if (in && !o.device.empty())
    on = device_case(o.layers.network, in->network, o.device, o.set, kInputs.at(o.input), d);
  else if (!o.device.empty())
    load_device(o.device, d, o.set);  // what is wrong with it is told, too
  const int exit = report(d);
  if (!in || (!o.device.empty() && !on)) return exit;
  const auto table = memory_table(in->graph, in->parts, o.layers.bytes_per_element, kInputs.at(o.input));
  std::optional<DeviceComparison> simulated;
  if (on) simulated = compare_on_device(*on);
  if (o.json) {
    auto j = as_json(o, *in, table);
    if (simulated) j["device"] = as_json(*simulated);
    print_json(j);
  } else {
    print_text(o, *in, table);
    if (simulated) print_text(*simulated);
  }
  if (!simulated) return exit;
  if (const auto wrong = first_mismatch(*simulated); !wrong.empty()) {
    fmt::print(stderr, "{}: error: {}\n", o.layers.network, wrong);
    return Exit::mismatch;
  }
  if (!simulated->plans.empty()) return exit;
  fmt::print(stderr, "{}: error: nothing fits {}, neither layer by layer nor by phases\n", o.layers.network,
             on->device_label);
  return Exit::no_feasible_plan;
}

}  // namespace

void add_memory(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<MemoryOptions>();
  auto* command = app.add_subcommand("memory", "Tell what a network's activations take, method by method");
  command->add_option("network", options->layers.network, "network file or name of a shipped one, or NAME.layers.yaml")
      ->required();
  add_layer_options(*command, options->layers);
  command
      ->add_option(
          "--input", options->input,
          "shared phases find the input there and release its rows once read, keep it, or get its rows as they "
          "ask for them: released, kept, streamed (default: streamed; with --device: released)")
      ->check(CLI::IsMember({"released", "kept", "streamed"}));
  auto* device =
      command->add_option("--device,-d", options->device,
                          "device file or name: simulate layer by layer and plans by phases there, with data");
  add_set_option(*command, options->set)->needs(device);
  command->add_flag("--json", options->json, "print JSON, with the plan behind each number");
  command->callback([options, &invocation] { invocation.exit = memory(*options); });
}

}  // namespace dse::cli
