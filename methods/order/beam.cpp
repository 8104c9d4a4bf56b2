// The fallback, and the first upper bound: sets of executed operators, level by level.
#include <algorithm>
#include <unordered_set>

#include "base/index.h"
#include "methods/order/search.h"

namespace dse::plan::order {
namespace {

/// How an operator was reached; -1: the start.
struct Link {
  int parent, op;
};

struct Member {
  Executed executed;
  std::int64_t peak;
  std::uint64_t hash;
  int link;
};

struct Move {
  std::int64_t peak, live;
  std::uint64_t hash;
  int member, op;
  bool operator<(const Move& o) const {
    if (peak != o.peak) return peak < o.peak;
    if (live != o.live) return live < o.live;
    return member != o.member ? member < o.member : op < o.op;
  }
};

/// One pseudo-random word per operator (splitmix64): the exclusive or over a set tells sets apart. A collision costs
/// the beam a member and nothing else.
std::uint64_t word_of(int op) {
  std::uint64_t z = (static_cast<std::uint64_t>(op) + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// Moves from one member. One that raises neither the peak nor the live bytes is the only one needed.
void add_moves(const Member& m, int index, std::vector<Move>& moves) {
  const auto first = moves.size();
  for (const int op : m.executed.all_ready()) {
    const Move move{std::max(m.peak, m.executed.step(op)), m.executed.live() + m.executed.change(op),
                    m.hash ^ word_of(op), index, op};
    if (move.peak == m.peak && move.live <= m.executed.live()) {
      moves.resize(first);
      moves.push_back(move);
      return;
    }
    moves.push_back(move);
  }
}

}  // namespace

std::vector<int> beam_search(const Graph& g, int width) {
  std::vector<Link> links;
  std::vector<Member> beam;
  {
    Executed start(g);
    const auto live = start.live();
    beam.push_back({std::move(start), live, 0, -1});
  }
  std::vector<Move> moves;
  std::unordered_set<std::uint64_t> seen;
  for (int count = 0; count < g.size(); ++count) {
    moves.clear(), seen.clear();
    for (std::size_t m = 0; m < beam.size(); ++m) add_moves(beam[m], static_cast<int>(m), moves);
    std::sort(moves.begin(), moves.end());
    std::vector<Move> chosen;
    std::vector<int> uses(beam.size(), 0);
    for (const auto& move : moves) {
      if (static_cast<int>(chosen.size()) >= width) break;
      if (!seen.insert(move.hash).second) continue;
      chosen.push_back(move);
      ++uses[index(move.member)];
    }
    std::vector<Member> next;
    for (const auto& move : chosen) {
      auto& from = beam[index(move.member)];
      links.push_back({from.link, move.op});
      const int link = static_cast<int>(links.size()) - 1;
      if (--uses[index(move.member)] == 0)  // a copy is as large as the graph: only where two need it
        next.push_back({std::move(from.executed), move.peak, move.hash, link});
      else
        next.push_back({from.executed, move.peak, move.hash, link});
      next.back().executed.run(move.op);
    }
    beam = std::move(next);
  }
  std::vector<int> order;
  for (int l = beam.front().link; l >= 0; l = links[index(l)].parent) order.push_back(links[index(l)].op);
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace dse::plan::order
