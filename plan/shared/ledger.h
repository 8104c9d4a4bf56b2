// Which rows of which tensor are held, step by step, as layers are called.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/shared/schedule.h"
#include "plan/shared/tensors.h"

namespace dse::plan::shared {

/// What happens to one edge when its reader has been called: the reader does not read the rows below this one again,
/// until the tensor is made anew.
struct GivenUp {
  int edge = 0;
  std::int64_t below = 0;
};

class Ledger {
 public:
  /// Inputs that are not streamed are there from the start.
  Ledger(const phases::LayerGraph& g, const Tensors& t, Input input);

  /// A call makes rows [begin, end) of the layer: those after the ones that it has made.
  void call(int layer, std::int64_t begin, std::int64_t end, int segment, std::span<const GivenUp> reads);
  /// The tensor's rows are computed anew: nothing of it is there. Its readers are going to read from these rows on.
  void renew(int tensor, std::span<const GivenUp> readers);
  /// Rows of a layer that have been made, or of a source that have come in.
  std::int64_t made(int layer) const { return made_[static_cast<std::size_t>(layer)]; }
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
  Input input_;
  Schedule out_;
  std::vector<State> states_;               // by tensor
  std::vector<std::int64_t> below_, made_;  // by edge; by layer
};

}  // namespace dse::plan::shared
