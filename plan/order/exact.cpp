// Is there an order within a cap? Depth first over sets of executed operators; what is forced is never taken back.
//
// live(S) is submodular over closed sets: live(A u B) + live(A n B) <= live(A) + live(B), since a buffer is alive when
// its maker is in S, less when all its readers are. The bytes alive while x runs from S, call them while(x, S), are, but
// for a constant, the same function with one reader fewer: in place, the buffer that x overwrites counts as dead once
// all readers but x have run. So while(x, .) is submodular too, and for two sets that hold x it differs as live() does.
//
// Valleys. Let B be reached from S within the cap, and let no closed set between S and B leave fewer bytes alive than B.
// Then S can be completed within the cap if and only if B can. Proof: take a completion of S and run B \ S first, then
// the rest in the completion's order. An operator x that the completion runs from A now runs from A u B. As A n B lies
// between S and B, live(A n B) >= live(B), so live(A u B) <= live(A) + live(B) - live(A n B) <= live(A); and x adds no
// more bytes than from A, since no fewer readers of what it overwrites have run. It stays within the cap.
//
// So (1) a single operator that stays within the cap and does not raise the live bytes is run at once: between S and
// S u {x} there is nothing else; and (2) when a set is reached that leaves no more bytes alive than an earlier one on the
// way did, lowest_part() finds the valley V between the two, and what else could have been tried from the earlier one
// need not be. V is reached by the operators of the way that are in V, in their order. Such an x ran from P and now runs
// from P n V; V and P u V both hold x and lie between the two sets, so while(x, P u V) - while(x, V) = live(P u V) -
// live(V) >= 0, hence while(x, P n V) <= while(x, P): this way stays within the cap.
//
// Dominance: a set that was entered and left is dead whatever the order that leads to it.
#include <algorithm>
#include <limits>

#include "plan/order/search.h"
#include "plan/order/state_set.h"

namespace dse::plan::order {
namespace {


class Search {
 public:
  Search(const Graph& g, std::int64_t cap, std::int64_t bytes, std::int64_t& steps)
      : g_(g), cap_(cap), steps_(steps), now_(g), dead_(bytes) {}

  Decision run() {
    Decision d;
    next_possible_ = std::numeric_limits<std::int64_t>::max();
    if (now_.live() > cap_) next_possible_ = now_.live();
    bool alive = now_.live() <= cap_;
    while (alive && now_.count() < g_.size()) {
      if (steps_ <= 0 || dead_.full()) return d;
      alive = enter() || back();
    }
    d.answer = alive ? Decision::Answer::found : Decision::Answer::impossible;
    if (alive) d.order = path_;
    d.next_possible = next_possible_;
    return d;
  }

 private:
  /// A set on the way with operators that were not tried from it yet.
  struct Frame {
    std::size_t depth;  // operators before it
    std::int64_t live;
    std::size_t untried;  // its end in untried_; the begin is the end of the frame below
  };
  /// A set on the way, in dead_ already.
  struct Entered {
    std::size_t depth;
    std::uint32_t place;
  };

  void forward(int op) { now_.run(op), path_.push_back(op); }
  void rewind(std::size_t depth) {
    while (path_.size() > depth) now_.undo(path_.back()), path_.pop_back();
  }

  void run_free_operators() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < now_.all_ready().size(); ++i) {
        const int op = now_.all_ready()[i];
        --steps_;
        if (now_.change(op) > 0 || now_.step(op) > cap_) continue;
        forward(op);
        again = true;
        break;
      }
    }
  }

  void drop_top() {
    frames_.pop_back();
    untried_.resize(frames_.empty() ? 0 : frames_.back().untried);
  }

  /// Takes back what was run after `depth` but for the valley there.
  void cut_to(std::size_t depth, const std::vector<int>& run, const std::vector<char>& part) {
    rewind(depth);
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (!part[i]) continue;
      ensure(now_.step(run[i]) <= cap_, "order: the way into a valley leaves the cap");
      forward(run[i]);
    }
    // What was entered beyond is not on the way any more, and not known to be dead.
    while (!entered_.empty() && entered_.back().depth > depth) dead_.forget(entered_.back().place), entered_.pop_back();
  }

  /// Valleys between sets on the way and here: gives up what is left to try there. True: operators were taken back, so
  /// that others may be free now.
  bool settle() {
    while (!frames_.empty() && now_.live() <= frames_.back().live) {
      const auto depth = frames_.back().depth;
      const std::vector<int> run(path_.begin() + static_cast<std::ptrdiff_t>(depth), path_.end());
      const auto part = lowest_part(g_, now_, run);
      steps_ -= static_cast<std::int64_t>(run.size());
      const bool cut = std::count(part.begin(), part.end(), 0) > 0;
      if (cut) cut_to(depth, run, part);
      drop_top();
      if (cut) return true;
    }
    return false;
  }

  /// False: this set is dead.
  bool enter() {
    do run_free_operators();
    while (settle());
    if (now_.count() == g_.size()) return true;
    const auto entry = dead_.add(now_.bits());
    if (!entry.added) return false;
    entered_.push_back({path_.size(), entry.place});
    std::vector<std::pair<std::int64_t, int>> next;
    for (const int op : now_.all_ready()) {
      --steps_;
      const auto step = now_.step(op);
      if (step > cap_)
        next_possible_ = std::min(next_possible_, step);
      else
        next.emplace_back(now_.change(op), op);
    }
    if (next.empty()) return false;
    std::sort(next.rbegin(), next.rend());  // the last one is tried first
    for (const auto& n : next) untried_.push_back(n.second);
    frames_.push_back({path_.size(), now_.live(), untried_.size()});
    take();
    return true;
  }

  /// Tries the next operator of the top frame.
  void take() {
    const int op = untried_.back();
    untried_.pop_back();
    --frames_.back().untried;
    forward(op);
  }

  /// To the nearest set with something left to try. False: there is none.
  bool back() {
    while (!frames_.empty()) {
      const auto& top = frames_.back();
      rewind(top.depth);
      while (!entered_.empty() && entered_.back().depth > top.depth) entered_.pop_back();
      const std::size_t begin = frames_.size() > 1 ? frames_[frames_.size() - 2].untried : 0;
      if (top.untried > begin) return take(), true;
      frames_.pop_back();
    }
    return false;
  }

  const Graph& g_;
  std::int64_t cap_;
  std::int64_t& steps_;
  Executed now_;
  StateSet dead_;
  std::vector<int> path_, untried_;
  std::vector<Frame> frames_;
  std::vector<Entered> entered_;
  std::int64_t next_possible_ = 0;
};

}  // namespace

Decision decide(const Graph& g, std::int64_t cap, std::int64_t bytes, std::int64_t& steps) {
  return Search(g, cap, bytes, steps).run();
}

}  // namespace dse::plan::order
