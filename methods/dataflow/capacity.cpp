// The least total of buffer sizes with which one iteration completes.
//
// Which firings happen before a deadlock depends on the capacities alone, not on the order of firings, and larger
// capacities never undo one. So the search continues from where it stood stuck, and a circular wait proves that one of
// the full channels in it is too small in every completion.
#include <algorithm>
#include <memory>
#include <queue>

#include "base/diagnostics.h"
#include "methods/dataflow/buffers.h"

namespace dse::plan::phases {
namespace {

struct State {
  Buffers capacity;
  Progress at;
  std::int64_t bytes = 0;
};

class Search {
 public:
  explicit Search(const Flow& f) : f_(f) {}

  /// Fires until nothing can.
  void advance(State& s) const {
    std::vector<int> open;
    for (std::size_t a = f_.actors.size(); a-- > 0;) open.push_back(static_cast<int>(a));
    std::vector<bool> queued(f_.actors.size(), true);
    while (!open.empty()) {
      const int a = open.back();
      open.pop_back();
      queued[static_cast<std::size_t>(a)] = false;
      bool any = false;
      while (!s.at.done(f_, a) && blocker(s, a) < 0) s.at.fire(a), any = true;
      if (!any) continue;
      const auto wake = [&](int other) {
        if (!queued[static_cast<std::size_t>(other)])
          queued[static_cast<std::size_t>(other)] = true, open.push_back(other);
      };
      for (const int c : f_.outs[static_cast<std::size_t>(a)]) wake(channel(c).to);
      for (const int c : f_.ins[static_cast<std::size_t>(a)]) wake(channel(c).from);
    }
  }

  /// The full channels of one circular wait of a state that is stuck, each once; empty when it lacks tokens only.
  std::vector<int> circular_wait(const State& s) const {
    int a = 0;
    while (s.at.done(f_, a)) ++a;
    std::vector<int> seen(f_.actors.size(), -1), path;
    std::vector<int> waits;  // the channel that each actor of the path waits for
    while (seen[static_cast<std::size_t>(a)] < 0) {
      seen[static_cast<std::size_t>(a)] = static_cast<int>(path.size());
      path.push_back(a);
      const int c = blocker(s, a);
      if (c < 0) return {};
      waits.push_back(c);
      a = lacks_tokens(s, a, c) ? channel(c).from : channel(c).to;
    }
    std::vector<int> full;
    for (std::size_t i = static_cast<std::size_t>(seen[static_cast<std::size_t>(a)]); i < path.size(); ++i)
      if (!lacks_tokens(s, path[i], waits[i])) full.push_back(waits[i]);
    return full;
  }

  /// Gives channel `c` room for its writer's next firing: anything less leaves the state as stuck as it is.
  void raise(State& s, int c) const {
    s.bytes += price(s, c);
    s.capacity.tokens[static_cast<std::size_t>(c)] = s.at.held_by_next(channel(c));
  }
  /// Bytes that raise() adds.
  std::int64_t price(const State& s, int c) const {
    return (s.at.held_by_next(channel(c)) - s.capacity.tokens[static_cast<std::size_t>(c)]) * channel(c).token_bytes;
  }

 private:
  const Channel& channel(int c) const { return f_.channels[static_cast<std::size_t>(c)]; }
  bool lacks_tokens(const State& s, int a, int c) const { return channel(c).to == a && !s.at.has_tokens(channel(c)); }
  /// The channel that holds up the next firing of `a`: one without tokens, else one without room, else -1.
  int blocker(const State& s, int a) const {
    for (const int c : f_.ins[static_cast<std::size_t>(a)])
      if (!s.at.has_tokens(channel(c))) return c;
    for (const int c : f_.outs[static_cast<std::size_t>(a)])
      if (s.at.held_by_next(channel(c)) > s.capacity.tokens[static_cast<std::size_t>(c)]) return c;
    return -1;
  }

  const Flow& f_;
};

using Node = std::shared_ptr<State>;
struct Dearer {
  bool operator()(const Node& a, const Node& b) const { return a->bytes > b->bytes; }
};

}  // namespace

CapacityResult least_capacity(const Flow& f, const CapacityOptions& options) {
  const Search search(f);
  const auto size = static_cast<std::int64_t>(f.actors.size() + f.channels.size());
  const auto max_branches =
      std::min(options.max_branches, options.max_state_bytes / (8 * std::max<std::int64_t>(1, size)));
  auto first = std::make_shared<State>(State{lower_bound(f), Progress(f), 0});
  first->bytes = first->capacity.bytes(f);
  std::priority_queue<Node, std::vector<Node>, Dearer> open;
  open.push(first);
  std::int64_t branches = 0, work = 0;
  bool complete = false, exhaustive = true;  // exhaustive: whatever is still possible is in `open`
  CapacityResult result;
  while (!open.empty() && work <= options.max_work) {
    const Node s = open.top();
    open.pop();
    if (exhaustive) result.lower_bound_bytes = s->bytes;
    search.advance(*s);
    if (s->at.all_done(f)) {
      result.buffers = s->capacity, result.bytes = s->bytes, result.optimal = exhaustive;
      complete = true;
      break;
    }
    const auto full = search.circular_wait(*s);
    ensure(!full.empty(), "a capacity search of a graph that deadlocks");
    work += size * static_cast<std::int64_t>(full.size());
    branches += static_cast<std::int64_t>(full.size()) - 1;
    if (branches > max_branches && exhaustive) exhaustive = false, open = {};  // from here on straight ahead
    if (exhaustive) {
      for (std::size_t i = 0; i < full.size(); ++i) {
        const Node next = i + 1 < full.size() ? std::make_shared<State>(*s) : s;
        search.raise(*next, full[i]);
        open.push(next);
      }
    } else {
      const auto price = [&](int c) { return search.price(*s, c); };
      search.raise(*s, *std::min_element(full.begin(), full.end(), [&](int a, int b) { return price(a) < price(b); }));
      open.push(s);
    }
  }
  if (!result.optimal)
    if (auto lazy = lazy_schedule(f); !complete || lazy.buffers.bytes(f) < result.bytes)
      result.bytes = lazy.buffers.bytes(f), result.buffers = std::move(lazy.buffers);
  if (result.bytes == result.lower_bound_bytes) result.optimal = true;
  return result;
}

}  // namespace dse::plan::phases
