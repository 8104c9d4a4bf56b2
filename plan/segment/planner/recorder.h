// Who watches the calls of a segment: to write them down, or only to weigh them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dse::plan::shared {

/// What happens to one edge when its reader has been called: the reader does not read the rows below this one again,
/// until the tensor is made anew.
struct GivenUp {
  int edge = 0;
  std::int64_t below = 0;
};

class Recorder {
 public:
  explicit Recorder(std::size_t layers) : made_(layers) {}
  virtual ~Recorder() = default;
  /// A call makes rows [begin, end) of the layer: those after the ones that it has made. False = do not go on.
  virtual bool call(int layer, std::int64_t begin, std::int64_t end, int segment, std::span<const GivenUp> reads) = 0;
  /// The tensor's rows are computed anew: nothing of it is there. Its readers are going to read from these rows on.
  virtual void renew(int tensor, std::span<const GivenUp> readers) = 0;
  /// The layer makes its rows again from the first one on, of these `columns` (a number). inside: its tensor,
  /// which is renewed before, takes `widest` columns at most from now on; else what is there stays, to be completed.
  virtual void strip(int layer, int number, std::int64_t columns, bool inside, std::int64_t widest) = 0;
  /// Rows of a layer that have been made, or of a source that have come in.
  std::int64_t made(int layer) const { return made_[static_cast<std::size_t>(layer)]; }

 protected:
  std::vector<std::int64_t> made_;  // by layer
};

}  // namespace dse::plan::shared
