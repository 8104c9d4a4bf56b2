#include "methods/tflm/head.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/index.h"
#include "base/units.h"
#include "plan/place/greedy.h"

namespace dse::plan {
namespace {

/// Operators that may keep something from one call to the next; all of them stay in the file's order.
bool may_have_state(const nn::Operator& op) { return op.kind == nn::OperatorKind::other; }

/// As many elements of as many bytes: what is stretched over the output is read again after it was overwritten.
bool same_elements(const nn::Tensor& a, const nn::Tensor& b) {
  return a.elements() == b.elements() && nn::size_of(a.type) == nn::size_of(b.type);
}

/// The runtime's kernels that only rename (reshape, squeeze, expand_dims) copy nothing onto itself.
OrderProblem problem_of(const nn::Network& n) {
  OrderProblem p = order_problem(n);
  for (auto& t : p.tensors) t.bytes = round_up(t.bytes, kTflmAlignment);
  int last = -1;
  for (std::size_t i = 0; i < n.operators.size(); ++i) {
    auto& o = p.operators[i];
    if (o.elementwise && o.outputs.size() == 1) {
      // The rule looks at the first input of equal size, which is rounded here.
      const auto& out = p.tensors[index(o.outputs[0])];
      const auto in =
          std::find_if(o.inputs.begin(), o.inputs.end(), [&](int t) { return p.tensors[index(t)].bytes == out.bytes; });
      o.elementwise = in != o.inputs.end() && same_elements(n.tensors[index(p.tensors[index(*in)].of_network)],
                                                            n.tensors[index(out.of_network)]);
    }
    if (!may_have_state(n.operators[i])) continue;
    if (last >= 0) p.operators[i].after.push_back(last);
    last = static_cast<int>(i);
  }
  return p;
}

/// What shares bytes, and when it lives: inputs from 0, what operator k of the order makes from k + 1, half open.
struct Lives {
  std::vector<int> group;  // by tensor of the problem: its representative
  std::vector<std::int64_t> first, last;
  int shared = 0;
};

Lives lives_of(const OrderProblem& p, OrderRule rule, const std::vector<int>& order) {
  const std::size_t count = p.tensors.size();
  const auto steps = static_cast<std::int64_t>(order.size());
  Lives out;
  out.group.resize(count);
  std::iota(out.group.begin(), out.group.end(), 0);
  out.first.assign(count, -1), out.last.assign(count, -1);
  // Of a group: reads still to come, whether one of its tensors is kept.
  std::vector<std::int64_t> left(count, 0);
  for (const auto& o : p.operators)
    for (const int t : o.inputs) ++left[index(t)];
  std::vector<bool> kept(count, false);
  for (std::size_t t = 0; t < count; ++t) {
    kept[t] = p.tensors[t].kept;
    if (p.tensors[t].given) out.first[t] = 0, out.last[t] = 0;
  }
  const auto join = [&](int made, int with) {
    const int g = out.group[index(with)];
    out.group[index(made)] = g;
    left[index(g)] += left[index(made)];
    kept[index(g)] = kept[index(g)] || kept[index(made)];
    ++out.shared;
  };
  for (std::int64_t k = 0; k < steps; ++k) {
    const auto& o = p.operators[index(order[index(k)])];
    for (const int t : o.inputs) out.last[index(out.group[index(t)])] = k + 1;
    std::map<int, std::int64_t> here;  // reads of this operator, by group
    for (const int t : o.inputs) ++here[out.group[index(t)]];
    for (const int t : o.outputs) {
      const OrderTensor& x = p.tensors[index(t)];
      if (x.alias >= 0) {
        join(t, x.alias);
      } else if (rule == OrderRule::inplace_ew && o.elementwise && o.outputs.size() == 1) {
        for (const int in : o.inputs) {
          if (p.tensors[index(in)].bytes != x.bytes) continue;
          const int g = out.group[index(in)];
          if (left[index(g)] == here[g] && !kept[index(g)]) join(t, in);
          break;  // the first of equal size alone is looked at
        }
      }
      const int g = out.group[index(t)];
      if (out.first[index(g)] < 0) out.first[index(g)] = k + 1;
      out.last[index(g)] = std::max(out.last[index(g)], k + 1);
    }
    for (const auto& [g, reads] : here) left[index(g)] -= reads;
  }
  for (std::size_t t = 0; t < count; ++t)
    if (out.group[t] == static_cast<int>(t) && kept[t]) out.last[t] = std::max(out.last[t], steps);
  return out;
}

struct Placed {
  alloc::Layout layout;
  Lives lives;
  std::vector<int> buffer;  // by tensor of the problem: its group's
};

Placed place(const OrderProblem& p, OrderRule rule, const std::vector<int>& order, const alloc::Effort& effort) {
  Placed out{.layout = {}, .lives = lives_of(p, rule, order), .buffer = std::vector<int>(p.tensors.size(), -1)};
  std::vector<alloc::Buffer> buffers;
  for (std::size_t t = 0; t < p.tensors.size(); ++t) {
    if (out.lives.group[t] != static_cast<int>(t)) continue;
    out.buffer[t] = static_cast<int>(buffers.size());
    alloc::Buffer b;
    b.id = std::to_string(t), b.lower = out.lives.first[t], b.upper = out.lives.last[t] + 1;
    b.size = p.tensors[t].bytes, b.alignment = kTflmAlignment;
    buffers.push_back(std::move(b));
  }
  out.layout = alloc::allocate(buffers, {}, effort);
  for (std::size_t t = 0; t < p.tensors.size(); ++t) out.buffer[t] = out.buffer[index(out.lives.group[t])];
  return out;
}

}  // namespace

TflmHead tflm_head(const nn::Network& network, OrderRule rule, const OrderEffort& order, const alloc::Effort& offsets) {
  const OrderProblem p = problem_of(network);
  const OrderResult best = find_order(p, rule, order);
  std::vector<int> in_file(p.operators.size());
  std::iota(in_file.begin(), in_file.end(), 0);
  TflmHead out;
  const GreedyPlan greedy = greedy_plan(network);
  out.today = greedy.head;
  out.lower_bound = best.lower_bound_bytes;
  out.offsets.assign(network.tensors.size(), -1);
  // The file's order where it needs no more: an order that need not change is one thing less to explain.
  Placed placed = place(p, rule, in_file, offsets);
  out.order = in_file;
  if (best.order != in_file && placed.layout.height > best.peak_bytes) {
    Placed other = place(p, rule, best.order, offsets);
    if (other.layout.height < placed.layout.height) placed = std::move(other), out.order = best.order;
  }
  out.bytes = placed.layout.height, out.shared = placed.lives.shared;
  for (std::size_t t = 0; t < p.tensors.size(); ++t)
    out.offsets[index(p.tensors[t].of_network)] = placed.layout.offsets[index(placed.buffer[t])];
  if (out.bytes > out.today) out.order = in_file, out.offsets = greedy.offsets, out.bytes = out.today, out.shared = 0;
  return out;
}

}  // namespace dse::plan
