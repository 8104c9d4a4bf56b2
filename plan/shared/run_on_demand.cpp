#include <algorithm>

#include "plan/phases/parts.h"
#include "plan/shared/runs.h"

namespace dse::plan::shared {
namespace {

class OnDemand {
 public:
  OnDemand(const Group& s, Recorder& recorder) : s_(s), recorder_(recorder) {}

  /// Makes rows of `layer` up to `end`: of one in the segment, or of a source that is streamed.
  bool demand(int layer, std::int64_t end) {
    if (recorder_.made(layer) >= end) return true;
    const auto& l = s_.layer(layer);
    if (l.source)
      return !s_.streamed || recorder_.call(layer, recorder_.made(layer), l.at_once ? l.rows : end, s_.number, {});
    const int place = s_.place_of(layer);
    if (place < 0) return true;  // of an earlier segment: it is there
    const bool drives = layer == s_.layers.back();
    const auto grain = drives || s_.segment.grain.empty() ? 0 : s_.segment.grain[static_cast<std::size_t>(place)];
    const auto& ins = s_.t.ins[static_cast<std::size_t>(layer)];
    while (recorder_.made(layer) < end) {
      const auto begin = recorder_.made(layer);
      const auto to = l.at_once ? l.rows : grain > 0 ? std::min(begin + grain, end) : end;
      for (const int e : ins)
        if (!demand(s_.edge(e).from, s_.needed(e, to))) return false;
      reads_.clear();
      for (const int e : ins) reads_.push_back({e, s_.passed(e, to)});
      if (!recorder_.call(layer, begin, to, s_.number, reads_)) return false;
    }
    return true;
  }

 private:
  const Group& s_;
  Recorder& recorder_;
  std::vector<GivenUp> reads_;
};

}  // namespace

std::int64_t Group::rows() const {
  const auto all = layer(layers.back()).rows;
  return segment.rows > 0 ? std::min(segment.rows, all) : all;
}

std::int64_t Group::needed(int e, std::int64_t end) const {
  const auto& maker = layer(edge(e).from);
  return rows_to_make(edge(e).rows, phases::rows_needed(edge(e), end, layer(edge(e).to).rows), maker.rows);
}

std::int64_t Group::passed(int e, std::int64_t begin) const {
  return phases::rows_released(edge(e), begin, layer(edge(e).to).rows);
}

bool run_on_demand(const Group& s, Recorder& recorder) {
  OnDemand run(s, recorder);
  const auto all = s.layer(s.layers.back()).rows;
  for (std::int64_t y = 0; y < all;)
    if (!run.demand(s.layers.back(), y = std::min(y + s.rows(), all))) return false;
  return std::all_of(s.layers.begin(), s.layers.end(), [&](int l) { return run.demand(l, s.layer(l).rows); });
}

}  // namespace dse::plan::shared
