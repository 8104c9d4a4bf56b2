// Decisions about the whole network.
#include <algorithm>

#include "plan/choices/choice.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"

namespace dse::plan {
namespace {

using Words = std::vector<std::string>;
using shared::Input;

/// A decision among a few words, of which `get` and `set` know the number.
template <class Domain, class Get, class Set>
NetworkDecision among(std::string name, std::string doc, Words words, Words needs, Domain domain, Get get, Set set) {
  const auto offered = [=](const nn::Network& n, const hw::Device& d, const NetworkChoice& c) {
    return Words(words.begin(), words.begin() + domain(n, d, c));
  };
  const auto text = [=](const nn::Network&, const NetworkChoice& c) {
    return words.at(static_cast<std::size_t>(get(c)));
  };
  const auto take = [=](const nn::Network&, NetworkChoice& c, const std::string& word) {
    set(c, static_cast<int>(std::find(words.begin(), words.end(), word) - words.begin()));
    return std::string();
  };
  return {std::move(name), std::move(doc), words, std::move(needs), offered, text, take};
}

bool reshapes(const nn::Network& n) {
  return std::any_of(n.operators.begin(), n.operators.end(), [&](const auto& op) { return renames(n, op); });
}

NetworkDecision order() {
  const auto offered = [](const nn::Network& n, const hw::Device&, const NetworkChoice& c) {
    Words out = {"file"};
    if (has_orders(n, c.alias_reshapes)) out.push_back(order_text(n, latest_first(n, c.alias_reshapes)));
    return out;
  };
  const auto text = [](const nn::Network& n, const NetworkChoice& c) { return order_text(n, c.order); };
  const auto take = [](const nn::Network& n, NetworkChoice& c, const std::string& word) {
    auto read = parse_order(n, word);
    if (const auto* why = std::get_if<std::string>(&read)) return *why;
    auto& list = std::get<0>(read);
    if (auto why = why_not_in(n, c.alias_reshapes, list); !why.empty()) return why;
    if (list == layers_of(n, c.alias_reshapes)) list.clear();
    c.order = std::move(list);
    return std::string();
  };
  return {"order",
          "file: layers run as the file lists their operators; else the names of all layers in the order in which they "
          "run, with commas between them",
          {"file"},
          {"reshapes"},
          offered,
          text,
          take};
}

}  // namespace

const std::vector<NetworkDecision>& ChoiceRegistry::of_network() {
  static const std::vector<NetworkDecision> decisions = {
      among(
          "reshapes", "alias: a reshape shares the bytes of its input; copy: it is a layer that copies them",
          {"alias", "copy"}, {},
          [](const nn::Network& n, const hw::Device&, const NetworkChoice&) { return reshapes(n) ? 2 : 1; },
          [](const NetworkChoice& c) { return c.alias_reshapes ? 0 : 1; },
          [](NetworkChoice& c, int v) { c.alias_reshapes = v == 0; }),
      among(
          "offsets",
          "searched: tensors get addresses by search; greedy: those of the planner of TensorFlow Lite for "
          "Microcontrollers",
          {"searched", "greedy"}, {"reshapes"},
          [](const nn::Network& n, const hw::Device&, const NetworkChoice& c) {  // that planner knows no aliases
            return !c.alias_reshapes || !reshapes(n) ? 2 : 1;
          },
          [](const NetworkChoice& c) { return c.greedy_offsets ? 1 : 0; },
          [](NetworkChoice& c, int v) { c.greedy_offsets = v == 1; }),
      among(
          "input",
          "released: inputs lie in the io memory, their bytes are free once read; kept: the caller still has them "
          "after the run; streamed: they come in from the memory that the device names in input_from",
          {name_of(Input::released), name_of(Input::kept), name_of(Input::streamed)}, {},
          [](const nn::Network&, const hw::Device& d, const NetworkChoice&) { return d.input_from < 0 ? 2 : 3; },
          [](const NetworkChoice& c) { return static_cast<int>(c.input); },
          [](NetworkChoice& c, int v) { c.input = static_cast<Input>(v); }),
      order()};
  return decisions;
}

}  // namespace dse::plan
