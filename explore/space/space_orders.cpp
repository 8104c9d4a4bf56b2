// What of a space depends on the order of the layers: lives of tensors, and when inputs come in.
#include <algorithm>

#include "explore/space/space.h"
#include "plan/network/run_order.h"

namespace dse::explore {

bool Space::streams(int tensor) const {
  const auto& inputs = network->inputs;
  return whole.input == plan::shared::Input::streamed && device->input_from >= 0 &&
         std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
}

std::vector<int> Space::streamed_for(int op, const std::vector<char>& executed) const {
  std::vector<int> out;
  const auto has_run = [&](int other) { return executed[other] != 0; };
  for (const int t : network->inputs) {
    if (!streams(t) || homes[t].empty()) continue;
    // What nobody reads, but is an output, is there from the first layer on.
    const auto& before = readers[t].empty() ? layers : readers[t];
    const bool reads = readers[t].empty() || std::find(before.begin(), before.end(), op) != before.end();
    if (reads && std::none_of(before.begin(), before.end(), has_run)) out.push_back(t);
  }
  return out;
}

std::vector<std::vector<int>> Space::streamed_sets(int op) const {
  if (whole.input != plan::shared::Input::streamed) return {{}};
  if (!orders.any && orders.listed.size() <= 1) {
    std::vector<char> executed(network->operators.size(), 0);
    for (const int earlier : orders.listed.empty() ? layers : orders.listed.front()) {
      if (earlier == op) break;
      executed[earlier] = 1;
    }
    return {streamed_for(op, executed)};
  }
  const auto before = plan::run_before(*network, true);
  const auto needed = [&](int of) {  // at any distance
    std::vector<char> out(network->operators.size(), 0);
    for (std::vector<int> open = before[of]; !open.empty();) {
      const int next = open.back();
      open.pop_back();
      if (out[next]) continue;
      out[next] = 1;
      open.insert(open.end(), before[next].begin(), before[next].end());
    }
    return out;
  };
  std::vector<std::vector<int>> out = {{}};
  for (const int t : streamed_for(op, needed(op))) {  // it may be the first to read these
    const auto without = out;
    const bool must = !readers[t].empty() && std::all_of(readers[t].begin(), readers[t].end(),
                                                         [&](int other) { return other == op || needed(other)[op]; });
    if (must) out.clear();
    for (auto with : without) with.push_back(t), out.push_back(std::move(with));
  }
  return out;
}

Space::Lives Space::lives(const std::vector<int>& order) const {
  Lives out{std::vector<int>(homes.size(), -1), std::vector<int>(homes.size(), -1)};
  std::vector<int> section(network->operators.size(), -1);
  for (std::size_t s = 0; s < order.size(); ++s) section[order[s]] = static_cast<int>(s);
  for (std::size_t t = 0; t < homes.size(); ++t) {
    if (homes[t].empty()) continue;
    const int producer = network->producer(static_cast<int>(t));
    int first = producer < 0 ? 0 : section[producer];
    if (streams(static_cast<int>(t)) && !readers[t].empty()) {
      first = static_cast<int>(order.size());
      for (const int op : readers[t]) first = std::min(first, section[op]);
    }
    out.first[t] = out.last[t] = first;
    for (const int op : readers[t]) out.last[t] = std::max(out.last[t], section[op]);
    if (stays[t]) out.last[t] = static_cast<int>(order.size()) - 1;
  }
  return out;
}

}  // namespace dse::explore
