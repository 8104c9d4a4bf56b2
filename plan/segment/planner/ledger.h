// Which rows of which tensor are held, step by step, as layers are called.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/segment/planner/recorder.h"
#include "plan/segment/planner/schedule.h"
#include "plan/segment/planner/tensors.h"

namespace dse::plan::shared {

class Ledger : public Recorder {
 public:
  /// Inputs that are not streamed are there from the start.
  Ledger(const phases::LayerGraph& g, const Tensors& t, Input input);

  bool call(int layer, std::int64_t begin, std::int64_t end, int segment, std::span<const GivenUp> reads) override;
  void renew(int tensor, std::span<const GivenUp> readers) override;
  void strip(int layer, int number, std::int64_t columns, bool inside, std::int64_t widest) override;
  /// Everything is done.
  Schedule close() &&;

 private:
  struct State {
    Held now;             // open: since `from`; empty where lo == hi
    std::int64_t hi = 0;  // rows made
    bool pinned = false;  // stays, whoever has read it
  };
  std::int64_t lowest(int tensor) const;
  /// From this step on.
  void hold(int tensor, int step, std::int64_t lo, std::int64_t hi);

  const phases::LayerGraph& g_;
  const Tensors& t_;
  Schedule out_;
  std::vector<State> states_;          // by tensor
  std::vector<std::int64_t> below_;    // by edge
  std::vector<std::int64_t> columns_;  // by layer: columns of its rows that it makes now
  std::vector<int> strips_;            // by layer: the strip that they are
};

}  // namespace dse::plan::shared
