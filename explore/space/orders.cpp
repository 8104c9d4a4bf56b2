#include "explore/space/orders.h"

#include <algorithm>
#include <variant>

#include "base/suggest.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"

namespace dse::explore {

namespace {

/// The layers in the order that the text lists, or what is wrong with it.
std::variant<std::vector<int>, std::string> listed_order(const nn::Network& network, const std::string& text,
                                                         std::size_t* at = nullptr) {
  auto read = plan::parse_order(network, text, at);
  if (std::holds_alternative<std::string>(read)) return read;
  auto order = plan::layers_in(network, true, std::get<0>(read));
  if (auto why = plan::why_not_in(network, true, order, at); !why.empty()) return why;
  return order;
}

}  // namespace

std::string Orders::check(const nn::Network& network, const std::string& text, std::size_t* at) {
  if (text == kSearchedOrder) return {};
  const auto read = listed_order(network, text, at);
  const auto* why = std::get_if<std::string>(&read);
  if (!why) return {};
  const auto word = nearest(text, {kSearchedOrder, kFileOrder});
  return *why + (word.empty() ? "" : "; did you mean " + word + "?");
}

Orders Orders::of(const nn::Network& network, const std::map<std::string, std::vector<std::string>>& choices) {
  Orders out;
  const auto it = choices.find("network.order");
  const bool several = plan::has_orders(network, true);
  if (it == choices.end() || !several) {
    out.any = several;
    if (!several) out.listed.push_back(plan::layers_of(network, true));
    return out;
  }
  for (const auto& text : it->second) {
    out.any |= text == kSearchedOrder;
    if (text == kSearchedOrder) continue;
    auto read = listed_order(network, text);
    if (const auto* wrong = std::get_if<std::string>(&read)) {
      if (out.problem.empty()) out.problem = *wrong;
    } else if (auto& order = std::get<0>(read);
               std::find(out.listed.begin(), out.listed.end(), order) == out.listed.end()) {
      out.listed.push_back(std::move(order));
    }
  }
  if (out.any) out.listed.clear();
  if (out.any || !out.listed.empty()) out.problem.clear();
  return out;
}

}  // namespace dse::explore
