// dse inspect: what a network consists of.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lookup.h"

namespace dse::cli {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

struct Layer {
  const nn::Operator* op;
  std::vector<const nn::Tensor*> inputs, outputs, constants;
  std::int64_t parameters = 0;  // elements of its constants
};

std::vector<Layer> layers_of(const nn::Network& n) {
  std::vector<Layer> out;
  for (const auto& op : n.operators) {
    Layer l{&op, {}, {}, {}, 0};
    for (int t : op.inputs) {
      if (t < 0) continue;
      const auto& tensor = n.tensors[static_cast<std::size_t>(t)];
      const bool constant = tensor.kind == nn::TensorKind::constant;
      (constant ? l.constants : l.inputs).push_back(&tensor);
      if (constant) l.parameters += tensor.elements();
    }
    for (int t : op.outputs) l.outputs.push_back(&n.tensors[static_cast<std::size_t>(t)]);
    out.push_back(std::move(l));
  }
  return out;
}

nlohmann::json tensors_json(const nn::Network& n, const std::vector<int>& indices) {
  auto list = nlohmann::json::array();
  for (int t : indices) {
    const auto& tensor = n.tensors[static_cast<std::size_t>(t)];
    list.push_back({{"name", tensor.name},
                    {"shape", tensor.shape},
                    {"dtype", nn::name_of(tensor.type)},
                    {"bytes", tensor.bytes()}});
  }
  return list;
}

nlohmann::json shapes(const std::vector<const nn::Tensor*>& tensors) {
  auto list = nlohmann::json::array();
  for (const auto* t : tensors) list.push_back(t->shape);
  return list;
}

void print_json(const nn::Network& n) {
  nlohmann::ordered_json j = {{"format", 1},
                              {"name", n.name},
                              {"structure", n.structure_hash()},
                              {"operators", n.operators.size()},
                              {"macs", n.macs()},
                              {"parameters", n.parameters()},
                              {"inputs", tensors_json(n, n.inputs)},
                              {"outputs", tensors_json(n, n.outputs)}};
  j["layers"] = nlohmann::ordered_json::array();
  for (const auto& l : layers_of(n))
    j["layers"].push_back({{"name", l.op->name},
                           {"kind", nn::key_of(l.op->kind)},
                           {"inputs", shapes(l.inputs)},
                           {"outputs", shapes(l.outputs)},
                           {"constants", shapes(l.constants)},
                           {"macs", l.op->macs},
                           {"parameters", l.parameters}});
  fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const nn::Network& n) {
  fmt::print("{}: {} operators, {} multiply-accumulates, {} parameters, structure {}\n", n.name, n.operators.size(),
             n.macs(), n.parameters(), n.structure_hash());
  std::size_t width = 5;
  for (const auto& op : n.operators) width = std::max(width, op.name.size());
  fmt::print("{:<{}}  {:<16} {:>16} {:>16} {:>12} {:>11}\n", "layer", width, "kind", "input", "output", "macs",
             "parameters");
  for (const auto& l : layers_of(n))
    fmt::print("{:<{}}  {:<16} {:>16} {:>16} {:>12} {:>11}\n", l.op->name, width, nn::key_of(l.op->kind),
               l.inputs.empty() ? "" : shape_text(l.inputs[0]->shape),
               l.outputs.empty() ? "" : shape_text(l.outputs[0]->shape), l.op->macs, l.parameters);
}

}  // namespace

void add_inspect(CLI::App& app, Invocation& invocation) {
  struct Options {
    std::string network;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("inspect", "Show what a network consists of");
  command->add_option("network", options->network, "network file (.tflite, .yaml) or name of a shipped one")
      ->required();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &invocation] {
    Diagnostics d;
    const auto network = load_network(options->network, d);
    invocation.exit = report(d);
    if (!network) return;
    options->json ? print_json(*network) : print_text(*network);
  });
}

}  // namespace dse::cli
