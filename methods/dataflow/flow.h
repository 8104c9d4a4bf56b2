// Actors that fire phase after phase and channels between them, as the buffer analysis sees them: how much must be
// there before a firing, and how much is free after it. A CSDF graph is the case in which both are the same; windows
// keep what overlaps inside the buffer.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dse::plan::phases {

struct Actor {
  std::string name;
  std::int64_t firings = 1;  // in one iteration of the graph
};

/// All sequences are sums from the first phase on, without the 0 before it; tokens per phase cycle of the actor.
struct Channel {
  std::string name;
  int from = 0, to = 0;
  std::vector<std::int64_t> made;    // by `from`, after each phase
  std::vector<std::int64_t> needed;  // by `to`, in all, before each phase can run
  std::vector<std::int64_t> freed;   // by `to`, in all, after each phase: at most `needed`
  std::int64_t initial = 0;          // tokens that are there before the first firing
  std::int64_t token_bytes = 1;

  /// Tokens made after `n` firings of `from`, 0 <= n.
  std::int64_t made_after(std::int64_t n) const { return at(made, n); }
  std::int64_t needed_for(std::int64_t n) const {  // the n-th firing of `to`, 1 <= n
    const auto p = static_cast<std::int64_t>(needed.size());
    return (n - 1) / p * needed.back() + needed[static_cast<std::size_t>((n - 1) % p)];
  }
  std::int64_t freed_after(std::int64_t n) const { return at(freed, n); }

 private:
  static std::int64_t at(const std::vector<std::int64_t>& sums, std::int64_t n) {
    const auto p = static_cast<std::int64_t>(sums.size());
    const auto rest = n % p;
    return n / p * sums.back() + (rest == 0 ? 0 : sums[static_cast<std::size_t>(rest - 1)]);
  }
};

/// Channels by the actors that they touch, made by index().
struct Flow {
  std::vector<Actor> actors;
  std::vector<Channel> channels;
  std::vector<std::vector<int>> ins, outs;  // by actor; a self-loop is in both

  void index();
};

/// A firing: the actor, and which of its firings this is (from 1).
struct Firing {
  int actor = 0;
  std::int64_t number = 1;
  bool operator==(const Firing& o) const { return actor == o.actor && number == o.number; }
};

/// How far one iteration has come.
class Progress {
 public:
  explicit Progress(const Flow& flow) : fired_(flow.actors.size(), 0) {}

  std::int64_t fired(int actor) const { return fired_[static_cast<std::size_t>(actor)]; }
  bool done(const Flow& f, int actor) const {
    return fired(actor) >= f.actors[static_cast<std::size_t>(actor)].firings;
  }
  bool all_done(const Flow& f) const;
  /// Whether the next firing of the channel's reader finds its tokens.
  bool has_tokens(const Channel& c) const {
    return c.initial + c.made_after(fired(c.from)) >= c.needed_for(fired(c.to) + 1);
  }
  /// Tokens in the channel while its writer fires next, that firing's included. A self-loop's own firing frees first.
  std::int64_t held_by_next(const Channel& c) const {
    return c.initial + c.made_after(fired(c.from) + 1) - c.freed_after(fired(c.to) + (c.from == c.to ? 1 : 0));
  }
  void fire(int actor) { ++fired_[static_cast<std::size_t>(actor)]; }

 private:
  std::vector<std::int64_t> fired_;
};

}  // namespace dse::plan::phases
