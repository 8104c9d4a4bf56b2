#include "methods/order/graph.h"

#include <algorithm>

#include "base/index.h"

namespace dse::plan::order {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 60;

void tidy(std::vector<int>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

bool within(const std::vector<int>& indices, std::size_t size) {
  return std::all_of(indices.begin(), indices.end(), [&](int i) { return i >= 0 && index(i) < size; });
}

/// The tensor whose bytes a tensor is.
int root(const OrderProblem& p, int tensor) {
  std::size_t seen = 0;
  while (p.tensors[index(tensor)].alias >= 0) {
    tensor = p.tensors[index(tensor)].alias;
    ensure(++seen <= p.tensors.size(), "order: aliases in a circle");
  }
  return tensor;
}

void check_indices(const OrderProblem& p) {
  std::int64_t sum = 0;
  for (const auto& t : p.tensors) {
    ensure(t.bytes >= 0 && t.bytes <= kMost - sum, "order: bytes out of range");
    ensure(t.alias < static_cast<int>(p.tensors.size()), "order: alias out of range");
    sum += t.bytes;
  }
  for (const auto& op : p.operators)
    ensure(within(op.inputs, p.tensors.size()) && within(op.outputs, p.tensors.size()) &&
               within(op.after, p.operators.size()),
           "order: index out of range");
}

/// The operator that makes each tensor, -1 for given ones.
std::vector<int> makers_of(const OrderProblem& p) {
  std::vector<int> makers(p.tensors.size(), -1);
  for (std::size_t o = 0; o < p.operators.size(); ++o)
    for (const int t : p.operators[o].outputs) {
      ensure(makers[index(t)] < 0 && !p.tensors[index(t)].given, "order: a tensor is made twice");
      makers[index(t)] = static_cast<int>(o);
    }
  for (std::size_t t = 0; t < makers.size(); ++t) {
    ensure(makers[t] >= 0 || p.tensors[t].given, "order: a tensor is neither given nor made");
    if (p.tensors[t].alias < 0) continue;
    ensure(makers[t] >= 0, "order: an alias is given");
    const auto& read = p.operators[index(makers[t])].inputs;
    ensure(std::find(read.begin(), read.end(), p.tensors[t].alias) != read.end(),
           "order: an alias of what is not read");
  }
  return makers;
}

/// The first input of equal size, if it may be overwritten at all.
int overwritten(const OrderProblem& p, const Graph& g, const OrderOperator& op, const std::vector<int>& roots) {
  if (!op.elementwise || op.outputs.size() != 1) return -1;
  const int out = roots[index(op.outputs[0])];
  if (p.tensors[index(op.outputs[0])].alias >= 0) return -1;  // it is that place already
  for (const int t : op.inputs)
    if (const auto& b = g.buffers[index(roots[index(t)])]; b.bytes == g.buffers[index(out)].bytes)
      return b.kept ? -1 : roots[index(t)];
  return -1;
}

}  // namespace

Graph compile(const OrderProblem& p, OrderRule rule) {
  check_indices(p);
  const auto makers = makers_of(p);
  std::vector<int> roots(p.tensors.size());
  Graph g;
  g.ops.resize(p.operators.size());
  g.buffers.resize(p.tensors.size());
  for (std::size_t t = 0; t < roots.size(); ++t) {
    roots[t] = root(p, static_cast<int>(t));
    auto& b = g.buffers[index(roots[t])];
    b.kept = b.kept || p.tensors[t].kept;
    if (p.tensors[t].alias < 0) b.bytes = p.tensors[t].bytes, b.maker = makers[t];
  }
  for (std::size_t o = 0; o < g.ops.size(); ++o) {
    auto& op = g.ops[o];
    op.before = p.operators[o].after;
    for (const int t : p.operators[o].inputs) {
      op.reads.push_back(roots[index(t)]);
      if (makers[index(t)] >= 0) op.before.push_back(makers[index(t)]);
    }
    for (const int t : p.operators[o].outputs)
      if (p.tensors[index(t)].alias < 0) op.makes.push_back(t), op.made_bytes += p.tensors[index(t)].bytes;
    tidy(op.reads), tidy(op.before);
    for (const int b : op.reads) g.buffers[index(b)].readers.push_back(static_cast<int>(o));
    for (const int before : op.before) g.ops[index(before)].next.push_back(static_cast<int>(o));
    if (rule == OrderRule::inplace_ew) op.overwrites = overwritten(p, g, p.operators[o], roots);
  }
  Executed all(g);
  while (!all.all_ready().empty()) all.run(all.all_ready().back());
  ensure(all.count() == g.size(), "order: the graph has a cycle");
  return g;
}

Executed::Executed(const Graph& graph) : graph_(&graph) {
  const auto n = graph.ops.size();
  done_.assign(n, 0), missing_.resize(n), place_.assign(n, -1), bits_.assign((n + 63) / 64, 0);
  left_.resize(graph.buffers.size());
  for (std::size_t b = 0; b < left_.size(); ++b) {
    left_[b] = static_cast<int>(graph.buffers[b].readers.size());
    if (graph.buffers[b].maker < 0) live_ += graph.buffers[b].held();
  }
  for (std::size_t o = 0; o < n; ++o) {
    missing_[o] = static_cast<int>(graph.ops[o].before.size());
    if (missing_[o] == 0) enter_ready(static_cast<int>(o));
  }
}

void Executed::enter_ready(int op) {
  place_[index(op)] = static_cast<int>(ready_.size());
  ready_.push_back(op);
}

void Executed::leave_ready(int op) {
  const int place = place_[index(op)];
  ready_[index(place)] = ready_.back();
  place_[index(ready_[index(place)])] = place;
  ready_.pop_back();
  place_[index(op)] = -1;
}

std::int64_t Executed::step(int op) const {
  const auto& o = graph_->ops[index(op)];
  std::int64_t bytes = live_ + o.made_bytes;
  if (o.overwrites >= 0 && left_[index(o.overwrites)] == 1) bytes -= graph_->buffers[index(o.overwrites)].bytes;
  return bytes;
}

std::int64_t Executed::change(int op) const {
  const auto& o = graph_->ops[index(op)];
  std::int64_t bytes = 0;
  for (const int b : o.makes) bytes += graph_->buffers[index(b)].held();
  for (const int b : o.reads)
    if (left_[index(b)] == 1 && !graph_->buffers[index(b)].kept) bytes -= graph_->buffers[index(b)].bytes;
  return bytes;
}

void Executed::run(int op) {
  live_ += change(op);
  leave_ready(op);
  done_[index(op)] = 1, ++count_;
  bits_[index(op) / 64] |= std::uint64_t{1} << (op % 64);
  const auto& o = graph_->ops[index(op)];
  for (const int b : o.reads) --left_[index(b)];
  for (const int n : o.next)
    if (--missing_[index(n)] == 0) enter_ready(n);
}

void Executed::undo(int op) {
  const auto& o = graph_->ops[index(op)];
  for (const int n : o.next)
    if (missing_[index(n)]++ == 0) leave_ready(n);
  for (const int b : o.reads) ++left_[index(b)];
  bits_[index(op) / 64] &= ~(std::uint64_t{1} << (op % 64));
  done_[index(op)] = 0, --count_;
  enter_ready(op);
  live_ -= change(op);
}

}  // namespace dse::plan::order
