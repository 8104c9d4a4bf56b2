// Is there an order within a cap? Depth first over sets of executed operators; what is forced is never taken back.
//
// live(S) is submodular over closed sets: live(A u B) + live(A n B) <= live(A) + live(B), since a buffer is alive when
// its maker is in S, less when all its readers are. The bytes alive while x runs from S, call them while(x, S), are,
// but for a constant, the same function with one reader fewer: in place, the buffer that x overwrites counts as dead
// once all readers but x have run. So while(x, .) is submodular too, and for two sets that hold x it differs as live()
// does.
//
// Valleys. Let B be reached from S within the cap, and let no closed set between S and B leave fewer bytes alive than
// B. Then S can be completed within the cap if and only if B can. Proof: take a completion of S and run B \ S first,
// then the rest in the completion's order. An operator x that the completion runs from A now runs from A u B. As A n B
// lies between S and B, live(A n B) >= live(B), so live(A u B) <= live(A) + live(B) - live(A n B) <= live(A); and x
// adds no more bytes than from A, since no fewer readers of what it overwrites have run. It stays within the cap.
//
// So (1) a single operator that stays within the cap and does not raise the live bytes is run at once: between S and
// S u {x} there is nothing else; and (2) when a set is reached that leaves no more bytes alive than an earlier one on
// the way did, lowest_part() finds the valley V between the two, and what else could have been tried from the earlier
// one need not be. V is reached by the operators of the way that are in V, in their order. Such an x ran from P and now
// runs from P n V; V and P u V both hold x and lie between the two sets, so while(x, P u V) - while(x, V) = live(P u V)
// - live(V) >= 0, hence while(x, P n V) <= while(x, P): this way stays within the cap.
//
// All of this holds from the end as well: sets shrink, operators are taken back, and B is below S. Proof as above, for
// x that a completion takes back from A u {x} to A and now to A n B: while(x, A n B) <= while(x, A) + while(x, B) -
// while(x, A u B), and the last two, of sets that hold x between B and S, differ as live() does: not above 0. Where
// branches end with more than they began with, valleys are found from the end only, and the other way round. So both
// directions take turns with more and more steps, and each goes on from what the other has settled for good.
//
// Dominance: a set that was entered and left is dead whatever the order that leads to it.
#include <algorithm>
#include <limits>

#include "methods/order/state_set.h"
#include "methods/order/view.h"

namespace dse::plan::order {
namespace {

/// What is settled for good: operators that run first, and those that run last (the very last one first).
struct Ends {
  std::vector<int> head, tail;
};

template <class View>
class Search {
 public:
  /// From the state after `own` to that before `other`.
  Search(const Graph& g, std::int64_t cap, std::int64_t bytes, const std::vector<int>& own,
         const std::vector<int>& other)
      : cap_(cap), bytes_(bytes), goal_(g.ops.size() - own.size() - other.size()), now_(g), dead_(bytes) {
    for (const int op : own) now_.move(op);
    others_.assign(g.ops.size(), 0);
    for (const int op : other) others_[static_cast<std::size_t>(op)] = 1;
  }

  Decision::Answer run(std::int64_t steps) {
    steps_ = steps;
    bool alive = now_.live() <= cap_;
    if (!alive) next_possible_ = now_.live();
    while (alive && path_.size() < goal_) {
      if (steps_ <= 0 || full()) return Decision::Answer::gave_up;
      alive = enter() || back();
    }
    return alive ? Decision::Answer::found : Decision::Answer::impossible;
  }
  /// What has been run; all of it when an order was found.
  const std::vector<int>& path() const { return path_; }
  /// So many operators of the path are settled.
  std::size_t settled() const { return settled_; }
  std::int64_t steps_left() const { return steps_; }
  std::int64_t next_possible() const { return next_possible_; }

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

  /// Out of memory, even after forgetting what is before the settled set.
  bool full() {
    if (dead_.full() && frames_.empty()) dead_ = StateSet(bytes_), entered_.clear();
    return dead_.full();
  }

  void forward(int op) { now_.move(op), path_.push_back(op); }
  void rewind(std::size_t depth) {
    while (path_.size() > depth) now_.undo(path_.back()), path_.pop_back();
  }

  void run_free_operators() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < now_.moves().size(); ++i) {
        const int op = now_.moves()[i];
        --steps_;
        if (others_[static_cast<std::size_t>(op)] || now_.change(op) > 0 || now_.step(op) > cap_) continue;
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
      const auto part = now_.valley(run);
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
    if (frames_.empty()) settled_ = path_.size();
    if (path_.size() == goal_) return true;
    const auto entry = dead_.add(now_.bits());
    if (!entry.added) return false;
    entered_.push_back({path_.size(), entry.place});
    std::vector<std::pair<std::int64_t, int>> next;
    for (const int op : now_.moves()) {
      --steps_;
      if (others_[static_cast<std::size_t>(op)]) continue;
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

  std::int64_t cap_, bytes_, steps_ = 0;
  std::size_t goal_, settled_ = 0;
  View now_;
  StateSet dead_;
  std::vector<char> others_;  // settled at the other end: no moves from this one
  std::vector<int> path_, untried_;
  std::vector<Frame> frames_;
  std::vector<Entered> entered_;
  std::int64_t next_possible_ = std::numeric_limits<std::int64_t>::max();
};

/// One turn of a direction. `own` grows by what it settles.
template <class View>
Decision::Answer turn(const Graph& g, std::int64_t cap, std::int64_t bytes, std::int64_t budget, std::int64_t& steps,
                      std::vector<int>& own, const std::vector<int>& other, std::int64_t& next_possible) {
  Search<View> search(g, cap, bytes, own, other);
  const auto given = std::min(budget, steps);
  const auto answer = search.run(given);
  // Setting a search up costs as much as some steps.
  steps -= std::max<std::int64_t>(given - search.steps_left(), 1);
  const auto& path = search.path();
  const auto use = answer == Decision::Answer::found ? path.size() : search.settled();
  own.insert(own.end(), path.begin(), path.begin() + static_cast<std::ptrdiff_t>(use));
  next_possible = search.next_possible();
  return answer;
}

}  // namespace

Decision decide(const Graph& g, std::int64_t cap, std::int64_t bytes, std::int64_t& steps) {
  Decision d;
  Ends ends;
  for (std::int64_t budget = 4096; steps > 0; budget *= 4) {
    const auto before = ends.head.size() + ends.tail.size();
    const auto had = steps;
    d.answer = turn<Forward>(g, cap, bytes, budget, steps, ends.head, ends.tail, d.next_possible);
    if (d.answer == Decision::Answer::gave_up && steps > 0)
      d.answer = turn<Backward>(g, cap, bytes, budget, steps, ends.tail, ends.head, d.next_possible);
    if (d.answer != Decision::Answer::gave_up) break;
    const bool memory = steps > 0 && had - steps < budget;  // neither direction could use its steps
    if (memory && before == ends.head.size() + ends.tail.size()) break;
  }
  if (d.answer == Decision::Answer::found) {
    d.order = std::move(ends.head);
    d.order.insert(d.order.end(), ends.tail.rbegin(), ends.tail.rend());
  }
  return d;
}

}  // namespace dse::plan::order
