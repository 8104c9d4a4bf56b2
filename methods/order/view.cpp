#include "methods/order/view.h"

#include <algorithm>

#include "base/index.h"

namespace dse::plan::order {
std::vector<char> Forward::valley(const std::vector<int>& moves) const {
  return lowest_part(*graph_, executed_, moves, Part::largest);
}

Backward::Backward(const Graph& graph) : graph_(&graph), executed_(graph) {
  while (!executed_.all_ready().empty()) executed_.run(executed_.all_ready().back());
  waiting_.resize(graph.ops.size());
  place_.assign(graph.ops.size(), -1);
  for (std::size_t o = 0; o < graph.ops.size(); ++o) {
    waiting_[o] = static_cast<int>(graph.ops[o].next.size());
    if (waiting_[o] == 0) enter(static_cast<int>(o));
  }
}

void Backward::enter(int op) {
  place_[index(op)] = static_cast<int>(last_.size());
  last_.push_back(op);
}

void Backward::leave(int op) {
  const int place = place_[index(op)];
  last_[index(place)] = last_.back();
  place_[index(last_[index(place)])] = place;
  last_.pop_back();
  place_[index(op)] = -1;
}

std::int64_t Backward::change(int op) const {
  const auto& o = graph_->ops[index(op)];
  std::int64_t bytes = 0;
  for (const int b : o.makes) bytes -= graph_->buffers[index(b)].held();
  for (const int b : o.reads)
    if (executed_.left(b) == 0 && !graph_->buffers[index(b)].kept) bytes += graph_->buffers[index(b)].bytes;
  return bytes;
}

std::int64_t Backward::step(int op) const {
  const auto& o = graph_->ops[index(op)];
  std::int64_t bytes = live() + change(op) + o.made_bytes;
  if (o.overwrites >= 0 && executed_.left(o.overwrites) == 0) bytes -= graph_->buffers[index(o.overwrites)].bytes;
  return bytes;
}

void Backward::move(int op) {
  executed_.undo(op);
  leave(op);
  for (const int b : graph_->ops[index(op)].before)
    if (--waiting_[index(b)] == 0) enter(b);
}

void Backward::undo(int op) {
  for (const int b : graph_->ops[index(op)].before)
    if (waiting_[index(b)]++ == 0) leave(b);
  enter(op);
  executed_.run(op);
}

std::vector<char> Backward::valley(const std::vector<int>& moves) const {
  // Of what was taken back, in the order in which it ran: the part that is better left run.
  auto run = moves;
  std::reverse(run.begin(), run.end());
  auto part = lowest_part(*graph_, executed_, run, Part::smallest);
  std::reverse(part.begin(), part.end());
  for (char& p : part) p = !p;
  return part;
}

}  // namespace dse::plan::order
