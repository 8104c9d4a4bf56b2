// Writes plans: choices and buffers by name, so that a person can read them and a later version can still read them.
#include <fmt/format.h>

#include <algorithm>

#include "plan/document/document.h"
#include "plan/document/plan_io.h"
#include "plan/network/layers.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

/// In quotes unless it is a plain word.
std::string word(const std::string& text) {
  const bool plain = !text.empty() &&
                     text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./()+ ") ==
                         std::string::npos &&
                     text.front() != ' ' && text.back() != ' ' && text.front() != '-' && text != "null" &&
                     text != "true" && text != "false";
  if (plain) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

bool is_layer(const nn::Network& network, bool alias_reshapes, std::size_t op) {
  return !alias_reshapes || !renames(network, network.operators[op]);
}

/// Choices of the layers, by name.
std::string layers_text(const Plan& plan, const nn::Network& network, const hw::Device& device) {
  static const auto registry = ChoiceRegistry::standard();
  std::string out = fmt::format("alias_reshapes: {}\n", plan.alias_reshapes);
  if (plan.input != shared::Input::released) out += fmt::format("input: {}\n", name_of(plan.input));
  if (!plan.order.empty()) {
    std::string names;
    for (const int op : plan.order) names += (names.empty() ? "" : ", ") + word(network.operators[op].name);
    out += fmt::format("order: [{}]\n", names);
  }
  out += "layers:";
  const auto outputs = makes_output(network, plan.alias_reshapes);
  std::string layers;
  for (std::size_t op = 0; op < plan.choices.size(); ++op) {
    const auto context = context_of(network, device, plan.choices, static_cast<int>(op), plan.alias_reshapes);
    const bool layer = is_layer(network, plan.alias_reshapes, op);
    const auto named = io::named_choices(registry, context, plan.choices[op], layer, outputs[op]);
    if (!layer && named.empty()) continue;
    std::string choices;
    for (const auto& [name, value] : named)
      choices += fmt::format("{}{}: {}", choices.empty() ? "" : ", ", name, word(value));
    layers += fmt::format("  {}: {{{}}}\n", word(network.operators[op].name), choices);
  }
  return out + (layers.empty() ? " {}\n" : "\n" + layers);
}

std::string npu_text(const npu::Compiled& c) {
  std::string rule, operations;
  std::vector<std::pair<std::string, std::string>> by_operation;
  for (const auto& [name, value] : npu::named(c)) {
    const auto dot = name.rfind('.');
    const std::string of = name.substr(0, dot), what = name.substr(dot + 1);
    if (of == "npu")
      rule += fmt::format("  {}: {}\n", what, word(value));
    else if (const auto at =
                 std::find_if(by_operation.begin(), by_operation.end(), [&](const auto& o) { return o.first == of; });
             at != by_operation.end())
      at->second += fmt::format(", {}: {}", what, word(value));
    else
      by_operation.emplace_back(of, fmt::format("{}: {}", what, word(value)));
  }
  for (const auto& [of, choices] : by_operation) operations += fmt::format("    {}: {{{}}}\n", word(of), choices);
  return "npu:\n" + rule + (operations.empty() ? "" : "  operations:\n" + operations);
}

}  // namespace

std::string write_plan(const Plan& plan, const nn::Network& network, const hw::Device& device) {
  ensure(plan.choices.size() == network.operators.size(), "write_plan: the plan is not of this network");
  std::string out = fmt::format(
      "format: 1\nnetwork: {{name: {}, structure: \"{}\"}}\ndevice: {{name: {}, hash: \"{}\"}}\norigin: {}\n",
      word(plan.network), plan.network_hash, word(plan.device), plan.device_hash, word(plan.origin));
  if (plan.npu)
    out += npu_text(*plan.npu);
  else
    out += layers_text(plan, network, device);
  std::string buffers;
  for (const auto& b : plan.buffers) {
    if (b.role == program::BufferRole::constants) continue;  // their places follow from the layers alone
    const auto layer = [&](int section) {
      return word(network
                      .operators[static_cast<std::size_t>(
                          plan.segments.at(static_cast<std::size_t>(section)).operators.front())]
                      .name);
    };
    // On an NPU several operators are one section, which says little of a life.
    const auto life = plan.npu ? "" : fmt::format(", lifetime: [{}, {}]", layer(b.first), layer(b.last));
    buffers += fmt::format("  - {{name: {}, memory: {}, offset: {}, size: {}{}}}\n", word(b.name),
                           word(device.memories.at(static_cast<std::size_t>(b.memory)).name), b.offset, b.size, life);
  }
  return out + "buffers:" + (buffers.empty() ? " []\n" : "\n" + buffers);
}

}  // namespace dse::plan
