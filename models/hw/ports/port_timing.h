// A memory port under processor sharing: its width is divided equally among the flows that are active, the limit of
// round robin in small bursts. Membership is recomputed only when a flow joins or ends.
//
// Exact integers. Let the port move P/Q bytes per tick and N <= kMaxFlows flows be active. Each flow then advances P/(Q
// N) bytes per tick. Work is counted in units of 1/(Q L B) byte with L = lcm(1..kMaxFlows) and B = banks, so that every
// flow moves a whole number of units in every tick, for every N. A flow ends at the first whole tick at or after its
// last unit; until then it keeps its share. 64 bits hold a flow of 100 MB as long as Q B <= 65,536; a rate with larger
// terms (odd pairs of clocks) is rounded down by less than one part in 2^16 / B.
//
// Banks: with N >= 2 flows on B > 1 word-interleaved banks a request meets the other flow's bank once in B times and
// loses that cycle, so the port moves (B-1)/B of its width. B = 1 means that the width already says what the port can
// move.
//
// Priorities: where flows have unequal levels, those of the highest level that is active share the port as above, and
// the others do not move.
//
// Flows may join in the future: an initiator that knows when its transfer will begin says so, and ends are predicted
// exactly without an event in between.
#pragma once
#include <array>
#include <cstdint>

#include "models/hw/clocking.h"

namespace dse::hw {

constexpr int kMaxFlows = 16;    // of a port at a time
constexpr int kMaxFlowIds = 24;  // one per initiator

class PortTiming {
 public:
  /// `rate` bytes per tick (zero: nothing ever moves). Forgets all flows.
  void configure(Ratio rate, int banks = 1);
  void reset();
  /// The flow `id` (0..kMaxFlowIds-1, not a member) of `bytes` > 0 joins at tick `at` >= now. `now` never decreases
  /// between calls.
  void join(int id, Tick now, Tick at, std::int64_t bytes, int level = 0);
  /// Tick at which a member's flow ends if nothing else joins; kNever on a port without width.
  Tick finish(int id) const { return finish_[static_cast<std::size_t>(id)]; }
  /// Ids of the flows that have not ended at the `now` of the last join(), as a bit mask.
  std::uint32_t members() const { return members_; }

 private:
  using Units = std::int64_t;
  struct Flow {
    int id, level;
    Units left;
    Tick at;  // of those that have not begun
  };
  struct State {
    Tick time = 0;
    int active = 0, pending = 0;
    std::array<Flow, kMaxFlows> a, p;
  };
  /// The active flows that move: those of the highest level, and how many they are.
  struct Moving {
    int level, count;
  };
  Moving moving(const State& s) const;
  Tick next_event(const State& s) const;
  /// Moves to `to`, not beyond the next event. @returns the flows that end there.
  std::uint32_t step(State& s, Tick to) const;
  void predict();
  void predict_two();

  Units unit_ = 0;                               // units per byte
  std::array<Units, kMaxFlows + 1> per_tick_{};  // units per tick of each flow when n move
  bool levels_ = false;                          // since reset() a flow had another level than 0
  State state_;
  Tick next_ = kNever;  // next_event(state_)
  std::uint32_t members_ = 0;
  std::array<Tick, kMaxFlowIds> finish_{};
};

}  // namespace dse::hw
