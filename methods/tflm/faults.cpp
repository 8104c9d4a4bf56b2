// Whether a plan is one, apart from how it was made.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/index.h"
#include "base/units.h"
#include "methods/tflm/head.h"

namespace dse::plan {
namespace {

struct Life {
  std::int64_t first = -1, last = -1;
  int maker = -1;  // operator
};

std::vector<Life> lives_of(const nn::Network& n, const std::vector<int>& order, std::vector<std::string>& faults) {
  std::vector<Life> out(n.tensors.size());
  for (const int t : n.inputs) out[index(t)].first = out[index(t)].last = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto& op = n.operators[index(order[k])];
    const auto time = static_cast<std::int64_t>(k) + 1;
    for (const int t : op.inputs) {
      const auto kind = n.tensors[index(t)].kind;
      if (kind == nn::TensorKind::constant || kind == nn::TensorKind::variable) continue;
      if (out[index(t)].first < 0)
        faults.push_back(fmt::format("{} runs before what makes {}", op.name, n.tensors[index(t)].name));
      out[index(t)].last = time;
    }
    for (const int t : op.outputs) {
      auto& life = out[index(t)];
      if (life.first < 0) life.first = time, life.maker = order[k];
      life.last = std::max(life.last, time);
    }
  }
  for (const int t : n.outputs) out[index(t)].last = static_cast<std::int64_t>(order.size());
  return out;
}

/// Tensors that are the same values under other names.
std::vector<int> renamed(const nn::Network& n) {
  std::vector<int> root(n.tensors.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int t) {
    while (root[index(t)] != t) t = root[index(t)];
    return t;
  };
  for (const auto& op : n.operators)
    if (nn::is_view(op.kind) && !op.inputs.empty() && op.outputs.size() == 1)
      root[index(find(op.outputs[0]))] = find(op.inputs[0]);
  for (std::size_t t = 0; t < root.size(); ++t) root[t] = find(static_cast<int>(t));
  return root;
}

}  // namespace

std::vector<std::string> tflm_faults(const nn::Network& n, const std::vector<int>& order,
                                     const std::vector<std::int64_t>& offsets) {
  std::vector<std::string> faults;
  const auto lives = lives_of(n, order, faults);
  const auto root = renamed(n);
  const auto bytes = [&](std::size_t t) { return round_up(n.tensors[t].bytes(), kTflmAlignment); };
  const auto over = [&](std::size_t a, std::size_t b) {  // b is written over a, element by element
    const Life &of_a = lives[a], &of_b = lives[b];
    if (of_b.maker < 0 || of_a.last != of_b.first) return false;
    const auto& op = n.operators[index(of_b.maker)];
    const auto &x = n.tensors[a], &y = n.tensors[b];
    if (x.elements() != y.elements() || nn::size_of(x.type) != nn::size_of(y.type)) return false;
    return nn::is_elementwise(op.kind) && op.outputs.size() == 1 &&
           std::any_of(op.inputs.begin(), op.inputs.end(), [&](int t) { return root[index(t)] == root[a]; });
  };
  for (std::size_t a = 0; a < offsets.size(); ++a) {
    if (offsets[a] < 0) continue;
    if (offsets[a] % kTflmAlignment != 0) faults.push_back(n.tensors[a].name + " lies at no multiple of 16");
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      if (a == b || offsets[b] < 0 || lives[a].first > lives[b].first || (lives[a].first == lives[b].first && a > b))
        continue;
      const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
      const bool meet = offsets[a] < offsets[b] + bytes(b) && offsets[b] < offsets[a] + bytes(a);
      if (!together || !meet) continue;
      const bool same = offsets[a] == offsets[b] && bytes(a) == bytes(b);
      if (same && (root[a] == root[b] || over(a, b))) continue;
      faults.push_back(
          fmt::format("{} and {} share bytes while both are needed", n.tensors[a].name, n.tensors[b].name));
    }
  }
  return faults;
}

}  // namespace dse::plan
