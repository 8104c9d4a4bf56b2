// What a segment of layers holds at most and computes, without writing the calls down: what the planner tries by the
// hundred thousand.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "plan/segment/planner/recorder.h"
#include "plan/segment/planner/schedule.h"
#include "plan/segment/planner/tensors.h"

namespace dse::plan::shared {

/// Starts before the first layer; the graph and the tensors must outlive it.
class Meter : public Recorder {
 public:
  Meter(const phases::LayerGraph& g, const Tensors& t, Input input, std::int64_t bytes_per_element);

  /// From here on: the peak so far is what is held now, no calls were made, and a call that holds `cap` bytes or more
  /// ends the run.
  void restart(std::int64_t cap = std::numeric_limits<std::int64_t>::max());
  bool call(int layer, std::int64_t begin, std::int64_t end, int segment, std::span<const GivenUp> reads) override;
  void renew(int tensor, std::span<const GivenUp> readers) override;
  void strip(int layer, int number, std::int64_t columns, bool inside, std::int64_t widest) override;

  /// Of these tensors (made in what runs next, or coming in) each takes this many rows while it holds any, 0 = only
  /// what it holds. Empty: none.
  void set_rings(std::vector<std::int64_t> rings) { rings_ = std::move(rings); }
  /// The most rows that a tensor has held at once since restart().
  std::int64_t most(int tensor) const { return most_[static_cast<std::size_t>(tensor)]; }

  std::int64_t live() const { return live_; }  // bytes
  std::int64_t peak() const { return peak_; }  // bytes, since restart()
  std::int64_t steps() const { return steps_; }
  std::int64_t calls(int layer) const { return calls_[static_cast<std::size_t>(layer)]; }
  /// As Schedule::computed.
  std::int64_t computed(int layer) const { return computed_[static_cast<std::size_t>(layer)]; }

 private:
  struct State {
    std::int64_t hi = 0, held = 0;  // rows made; rows held
    bool pinned = false;
  };
  std::int64_t lowest(int tensor) const;
  void hold(int tensor, std::int64_t rows);

  const phases::LayerGraph* g_;
  const Tensors* t_;
  std::int64_t bytes_per_element_;
  std::vector<std::int64_t> row_bytes_;  // by tensor
  std::vector<State> states_;            // by tensor
  std::vector<std::int64_t> rings_, most_;
  std::vector<std::int64_t> below_;                       // by edge
  std::vector<std::int64_t> calls_, computed_, columns_;  // by layer; columns of its rows that it makes now
  std::int64_t live_ = 0, peak_ = 0, cap_ = std::numeric_limits<std::int64_t>::max(), steps_ = 0;
};

}  // namespace dse::plan::shared
