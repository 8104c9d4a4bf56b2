#include "methods/dataflow/buffers.h"

#include <algorithm>
#include <set>

#include "base/diagnostics.h"

namespace dse::plan::phases {
namespace {

void hold(Buffers& most, const Progress& at, const Flow& f, int actor) {
  for (const int c : f.outs[static_cast<std::size_t>(actor)]) {
    auto& tokens = most.tokens[static_cast<std::size_t>(c)];
    tokens = std::max(tokens, at.held_by_next(f.channels[static_cast<std::size_t>(c)]));
  }
}

Buffers initial(const Flow& f) {
  Buffers b;
  for (const auto& c : f.channels) b.tokens.push_back(c.initial);
  return b;
}

/// Fires what `goal` lacks for one more firing, and then it. The chain of who waits for whom is a list, not recursion:
/// networks are thousands of layers deep.
void fire_on_demand(const Flow& f, int goal, Progress& at, Schedule& s) {
  std::vector<int> waiting{goal};
  while (!waiting.empty()) {
    const int a = waiting.back();
    int lacking = -1;
    for (const int c : f.ins[static_cast<std::size_t>(a)])
      if (const auto& channel = f.channels[static_cast<std::size_t>(c)]; !at.has_tokens(channel)) {
        lacking = channel.from;
        break;
      }
    if (lacking >= 0) {
      ensure(waiting.size() <= f.actors.size(), "a lazy schedule of a graph that deadlocks");
      waiting.push_back(lacking);
      continue;
    }
    hold(s.buffers, at, f, a);
    at.fire(a);
    s.firings.push_back({a, at.fired(a)});
    waiting.pop_back();
  }
}

}  // namespace

std::int64_t Buffers::bytes(const Flow& f) const {
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < tokens.size(); ++c) sum += tokens[c] * f.channels[c].token_bytes;
  return sum;
}

Buffers lower_bound(const Flow& f) {
  Buffers b = initial(f);
  for (std::size_t i = 0; i < f.channels.size(); ++i) {
    const Channel& c = f.channels[i];
    const auto writes = f.actors[static_cast<std::size_t>(c.from)].firings;
    const auto reads = f.actors[static_cast<std::size_t>(c.to)].firings;
    std::int64_t written = 0;
    for (std::int64_t n = 1; n <= reads; ++n) {
      if (c.from == c.to) written = n - 1;
      while (c.from != c.to && written < writes && c.initial + c.made_after(written) < c.needed_for(n)) ++written;
      b.tokens[i] = std::max(b.tokens[i], c.initial + c.made_after(written) - c.freed_after(n - 1));
    }
    // What is left to write after the last read, for the next iteration's first.
    b.tokens[i] = std::max(b.tokens[i], c.initial + c.made_after(writes) - c.freed_after(reads));
  }
  return b;
}

Schedule lazy_schedule(const Flow& f) {
  Schedule s{{}, initial(f)};
  Progress at(f);
  const auto complete = [&](int a) {
    while (!at.done(f, a)) fire_on_demand(f, a, at, s);
  };
  for (std::size_t a = 0; a < f.actors.size(); ++a) {
    const auto& outs = f.outs[a];
    if (std::all_of(outs.begin(), outs.end(),
                    [&](int c) { return f.channels[static_cast<std::size_t>(c)].to == static_cast<int>(a); }))
      complete(static_cast<int>(a));
  }
  for (std::size_t a = 0; a < f.actors.size(); ++a) complete(static_cast<int>(a));
  return s;
}

Schedule run_with(const Flow& f, const Buffers& capacity) {
  Schedule s{{}, initial(f)};
  Progress at(f);
  std::set<int> candidates;
  for (std::size_t a = 0; a < f.actors.size(); ++a) candidates.insert(static_cast<int>(a));
  const auto can_fire = [&](int a) {
    if (at.done(f, a)) return false;
    for (const int c : f.ins[static_cast<std::size_t>(a)])
      if (!at.has_tokens(f.channels[static_cast<std::size_t>(c)])) return false;
    for (const int c : f.outs[static_cast<std::size_t>(a)])
      if (at.held_by_next(f.channels[static_cast<std::size_t>(c)]) > capacity.tokens[static_cast<std::size_t>(c)])
        return false;
    return true;
  };
  while (!candidates.empty()) {
    const int a = *candidates.rbegin();
    if (!can_fire(a)) {
      candidates.erase(a);
      continue;
    }
    hold(s.buffers, at, f, a);
    at.fire(a);
    s.firings.push_back({a, at.fired(a)});
    for (const int c : f.outs[static_cast<std::size_t>(a)])
      candidates.insert(f.channels[static_cast<std::size_t>(c)].to);
    for (const int c : f.ins[static_cast<std::size_t>(a)])
      candidates.insert(f.channels[static_cast<std::size_t>(c)].from);
  }
  return s;
}

}  // namespace dse::plan::phases
