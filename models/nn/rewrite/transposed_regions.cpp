// Element-wise operators between a transposition and what undoes it.
#include <algorithm>
#include <set>

#include "models/nn/rewrite/rewrites.h"

namespace dse::nn::rewrite {
namespace {

using Permutation = std::vector<std::int64_t>;

bool one_operand(OperatorKind k) { return facts_of(k).family == OperatorFamily::unary || k == OperatorKind::quantize; }
bool two_operands(OperatorKind k) { return facts_of(k).family == OperatorFamily::binary; }

Permutation inverse(const Permutation& p) {
  Permutation out(p.size());
  for (std::size_t d = 0; d < p.size(); ++d) out[static_cast<std::size_t>(p[d])] = static_cast<std::int64_t>(d);
  return out;
}

/// All that lies between transpositions by one permutation and those that undo them.
class Region {
 public:
  Region(const Network& n, const Uses& uses, const Permutation& order)
      : n_(n), uses_(uses), order_(order), back_(inverse(order)) {}

  /// @returns whether the region that `seed`, a transposition, opens can do without.
  bool grow(int seed) {
    if (!source(seed)) return false;
    while (!pending_.empty()) {
      const int t = *pending_.begin();
      pending_.erase(pending_.begin());
      if (!visit(t)) return false;
    }
    return !sinks.empty() && !operators.empty();
  }

  std::set<int> sources, operators, sinks;  // operators of the network
  std::set<int> tensors;                    // transposed ones

 private:
  const Operator& op(int o) const { return n_.operators[static_cast<std::size_t>(o)]; }
  bool transposes(int o, const Permutation& by) const {
    const Operator& t = op(o);
    return t.kind == OperatorKind::transpose && runs(t) && flows(n_, t.inputs[0]) && t.options.permutation == by &&
           same_values(at(n_, t.inputs[0]), at(n_, t.outputs[0]));
  }
  bool source(int o) {
    if (!transposes(o, order_)) return false;
    sources.insert(o);
    add(op(o).outputs[0]);
    return true;
  }
  void add(int t) {
    if (tensors.insert(t).second) pending_.insert(t);
  }

  /// Everybody who reads or makes a tensor of the region belongs to it.
  bool visit(int t) {
    const auto i = static_cast<std::size_t>(t);
    const int maker = uses_.maker[i];
    if (uses_.is_output[i] || maker < 0 || uses_.readers[i].empty()) return false;
    if (!sources.count(maker) && !operators.count(maker) && !source(maker) && !inside(maker)) return false;
    for (const int r : uses_.readers[i]) {
      if (operators.count(r) || sinks.count(r)) continue;
      if (transposes(r, back_))
        sinks.insert(r);
      else if (!inside(r))
        return false;
    }
    return true;
  }

  /// An element-wise operator whose operands can all be had in the other order.
  bool inside(int o) {
    const Operator& e = op(o);
    const bool two = two_operands(e.kind);
    if (!runs(e) || (!two && !one_operand(e.kind)) || e.outputs.size() != 1) return false;
    if (e.inputs.size() != (two ? 2u : 1u)) return false;
    const auto& shape = at(n_, e.outputs[0]).shape;
    for (const int t : e.inputs) {
      const Tensor& x = at(n_, t);
      if (x.kind == TensorKind::constant) {
        if (x.shape.size() > shape.size() || x.fill || x.quantization.scale.size() > 1) return false;
      } else if (!flows(n_, t) || x.shape != shape) {
        return false;
      } else {
        add(t);
      }
    }
    operators.insert(o);
    add(e.outputs[0]);
    return true;
  }

  const Network& n_;
  const Uses& uses_;
  Permutation order_, back_;
  std::set<int> pending_;
};

void apply(Network& n, const Region& region, const Permutation& back) {
  std::vector<bool> dead(n.operators.size());
  for (const int o : region.operators) {
    Operator& e = n.operators[static_cast<std::size_t>(o)];
    for (int& t : e.inputs) {
      if (at(n, t).kind != TensorKind::constant) continue;
      Tensor constant = at(n, t);
      if (constant.elements() == 1) continue;
      constant.shape.insert(constant.shape.begin(), back.size() - constant.shape.size(), 1);
      constant = permuted(constant, back);
      t = add_tensor(n, constant, "_turned");
    }
  }
  for (const int t : region.tensors) at(n, t).shape = permuted(Tensor{at(n, t)}, back).shape;
  // What was transposed is read as it was before.
  for (const int o : region.sources) {
    const Operator& s = n.operators[static_cast<std::size_t>(o)];
    const int from = s.inputs[0], to = s.outputs[0];
    note(n, "transpose", s, "gone with what undoes it behind element-wise operators");
    replace_reads(n, to, from);
    dead[static_cast<std::size_t>(o)] = true;
  }
  for (const int o : region.sinks) {
    const Operator& s = n.operators[static_cast<std::size_t>(o)];
    const int from = s.inputs[0], to = s.outputs[0];
    note(n, "transpose", s, "undoes what is gone");
    dead[static_cast<std::size_t>(o)] = true;
    if (std::find(n.outputs.begin(), n.outputs.end(), to) == n.outputs.end()) {
      replace_reads(n, to, from);
      continue;
    }
    // The network's output keeps its tensor: whoever makes what was transposed makes it.
    for (auto& op : n.operators) std::replace(op.inputs.begin(), op.inputs.end(), from, to);
    for (const int e : region.operators) {
      auto& outputs = n.operators[static_cast<std::size_t>(e)].outputs;
      std::replace(outputs.begin(), outputs.end(), from, to);
    }
  }
  drop_operators(n, dead);
}

/// A sink whose result leaves the network must take it from an operator of the region, and be the only such one there.
bool outputs_can_stay(const Network& n, const Uses& uses, const Region& region) {
  std::set<int> taken;
  for (const int o : region.sinks) {
    const Operator& s = n.operators[static_cast<std::size_t>(o)];
    if (!uses.is_output[static_cast<std::size_t>(s.outputs[0])]) continue;
    const int maker = uses.maker[static_cast<std::size_t>(s.inputs[0])];
    if (!region.operators.count(maker) || !taken.insert(s.inputs[0]).second) return false;
  }
  return true;
}

}  // namespace

namespace {

bool drop_one(Network& n) {
  const Uses uses(n);
  std::set<int> tried;
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const Operator& op = n.operators[o];
    if (op.kind != OperatorKind::transpose || !runs(op) || tried.count(static_cast<int>(o))) continue;
    const Permutation order = op.options.permutation;
    Region region(n, uses, order);
    const bool whole = region.grow(static_cast<int>(o));
    // Other transpositions of the same region would fail as this one did.
    tried.insert(region.sources.begin(), region.sources.end());
    if (!whole || !outputs_can_stay(n, uses, region)) continue;
    apply(n, region, inverse(order));
    return true;
  }
  return false;
}

}  // namespace

bool drop_transposes_around(Network& n) {
  int dropped = 0;
  while (dropped < most_at_once && drop_one(n)) ++dropped;
  return dropped > 0;
}

}  // namespace dse::nn::rewrite
