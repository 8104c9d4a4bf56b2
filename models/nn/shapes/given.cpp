#include "models/nn/shapes/given.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "models/nn/graph/price.h"
#include "models/nn/shape.h"

namespace dse::nn {
namespace {

std::vector<std::string> input_names(const Network& n) {
  std::vector<std::string> names;
  for (const int t : n.inputs)
    if (t >= 0 && static_cast<std::size_t>(t) < n.tensors.size())
      names.push_back(n.tensors[static_cast<std::size_t>(t)].name);
  return names;
}

}  // namespace

void no_input_of_shape(const std::string& name, const std::vector<std::string>& inputs, const std::string& file,
                       Diagnostics& diags) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> shown(inputs.begin(), inputs.begin() + std::min(most, inputs.size()));
  diags.error({file, 0, 0}, fmt::format("there is no input {} to give a shape", quote(name)),
              inputs.empty()
                  ? "it has no inputs"
                  : fmt::format("the inputs are {}{}", fmt::join(shown, ", "),
                                inputs.size() > most ? fmt::format(" and {} more", inputs.size() - most) : ""));
}

bool check_shapes(const Network& n, const LoadOptions& options, const std::string& file, Diagnostics& diags) {
  if (options.several) return true;
  bool ok = true;
  const auto names = input_names(n);
  for (const auto& [name, given] : options.shapes) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      no_input_of_shape(name, names, file, diags), ok = false;
      continue;
    }
    const auto& shape =
        n.tensors[static_cast<std::size_t>(n.inputs[static_cast<std::size_t>(at - names.begin())])].shape;
    if (shape == given) continue;
    diags.error({file, 0, 0},
                fmt::format("input {} has shape {}, --shape says {}", quote(name), text_of(shape), text_of(given)),
                "only ONNX files leave shapes open");
    ok = false;
  }
  return ok;
}

bool check_named(const std::vector<NetworkPtr>& networks, const LoadOptions& options, const std::string& file,
                 Diagnostics& diags) {
  const auto any = [&](const auto& of) { return std::any_of(networks.begin(), networks.end(), of); };
  if (!options.several || any([](const NetworkPtr& n) { return n == nullptr; })) return true;
  bool ok = true;
  for (const auto& cost : options.costs) {
    if (any([&](const NetworkPtr& n) { return applies(cost.first, *n); })) continue;
    diags.error({file, 0, 0},
                fmt::format("--cost: no network has an operator {} that cannot be run", quote(cost.first)),
                "dse inspect lists names and types");
    ok = false;
  }
  if (any([](const NetworkPtr& n) { return !n->host.empty(); })) return ok;
  std::vector<std::string> names;
  for (const auto& n : networks)
    for (const auto& name : input_names(*n))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const auto& [name, shape] : options.shapes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      no_input_of_shape(name, names, file, diags), ok = false;
  return ok;
}

}  // namespace dse::nn
