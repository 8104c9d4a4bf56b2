#include "plan/network/run_order.h"

#include <algorithm>
#include <map>
#include <queue>

#include "base/suggest.h"
#include "plan/network/layers.h"

namespace dse::plan {

std::vector<std::vector<int>> run_before(const nn::Network& network, bool alias_reshapes) {
  std::vector<std::vector<int>> out(network.operators.size());
  const auto root = alias_roots(network, alias_reshapes);
  std::map<int, std::vector<int>> users;  // of variables
  for (const int op : layers_of(network, alias_reshapes)) {
    auto& before = out[op];
    for (const int t : activations(network, network.operators[op]))  // a variable has the value of the run before
      if (const int maker = network.producer(root[t]); maker >= 0) before.push_back(maker);
    for (const int v : variables(network, network.operators[op])) {
      auto& of = users[v];
      before.insert(before.end(), of.begin(), of.end());
      of.push_back(op);
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
  return out;
}

std::vector<int> layers_in(const nn::Network& network, bool alias_reshapes, const std::vector<int>& order) {
  return order.empty() ? layers_of(network, alias_reshapes) : order;
}

std::string why_not_in(const nn::Network& network, bool alias_reshapes, const std::vector<int>& order,
                       std::size_t* at) {
  const auto name = [&](int op) { return "layer " + network.operators[op].name; };
  const auto layers = layers_of(network, alias_reshapes);
  const auto before = run_before(network, alias_reshapes);
  std::vector<char> run(network.operators.size(), 0);
  std::size_t unused = 0;
  auto& place = at ? *at : unused;
  for (place = 0; place < order.size(); ++place) {
    const int op = order[place];
    if (!std::binary_search(layers.begin(), layers.end(), op))
      return name(op) + " only renames its input: it has no place in the order";
    if (run[op]) return name(op) + " is in the order twice";
    for (const int needed : before[op])
      if (!run[needed]) return name(op) + " cannot run before " + name(needed) + ", which it needs";
    run[op] = 1;
  }
  for (const int op : layers)
    if (!run[op] && !order.empty()) return name(op) + " is missing in the order";
  return {};
}

bool has_orders(const nn::Network& network, bool alias_reshapes) {
  const auto layers = layers_of(network, alias_reshapes);
  const auto before = run_before(network, alias_reshapes);
  for (std::size_t i = 1; i < layers.size(); ++i)
    if (!std::binary_search(before[layers[i]].begin(), before[layers[i]].end(), layers[i - 1])) return true;
  return false;
}

std::vector<int> latest_first(const nn::Network& network, bool alias_reshapes) {
  const auto before = run_before(network, alias_reshapes);
  std::vector<std::vector<int>> next(before.size());
  std::vector<std::size_t> missing(before.size());
  std::priority_queue<int> ready;  // the latest in the file first
  for (const int op : layers_of(network, alias_reshapes)) {
    for (const int needed : before[op]) next[needed].push_back(op);
    missing[op] = before[op].size();
    if (missing[op] == 0) ready.push(op);
  }
  std::vector<int> out;
  for (; !ready.empty();) {
    out.push_back(ready.top());
    ready.pop();
    for (const int op : next[out.back()])
      if (--missing[op] == 0) ready.push(op);
  }
  return out;
}

std::string order_text(const nn::Network& network, const std::vector<int>& order) {
  if (order.empty()) return "file";
  std::string out;
  for (const int op : order) {
    if (!out.empty()) out += ',';
    for (const char c : network.operators[op].name)
      if (c == ',' || c == '%')
        out += c == ',' ? "%2C" : "%25";
      else
        out += c;
  }
  return out;
}

std::variant<std::vector<int>, std::string> parse_order(const nn::Network& network, const std::string& text,
                                                        std::size_t* place) {
  std::vector<int> out;
  if (text == "file") return out;
  std::map<std::string, int> index;
  std::vector<std::string> names;
  for (std::size_t op = 0; op < network.operators.size(); ++op) {
    names.push_back(network.operators[op].name);
    index.emplace(names.back(), static_cast<int>(op));
  }
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    std::string name;
    for (auto i = at; i < end; ++i) {
      const auto code = text.substr(i, 3);
      if (code == "%2C" || code == "%25")
        name += code == "%2C" ? ',' : '%', i += 2;
      else
        name += text[i];
    }
    const auto it = index.find(name);
    if (it == index.end()) {
      if (place) *place = out.size();
      const auto guess = nearest(name, names);
      return "network " + network.name + " has no layer " + quote(name) +
             (guess.empty() ? "" : "; did you mean " + guess + "?");
    }
    out.push_back(it->second);
    at = end + 1;
  }
  return out;
}

}  // namespace dse::plan
