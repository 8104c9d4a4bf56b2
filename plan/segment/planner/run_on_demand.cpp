#include <algorithm>

#include "plan/network/parts.h"
#include "plan/segment/planner/runs.h"

namespace dse::plan::shared {
namespace {

class OnDemand {
 public:
  /// last: what the segment reads is given up as it is read; else it is read again.
  OnDemand(const Group& s, Recorder& recorder, bool last) : s_(s), recorder_(recorder), last_(last) {}

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
      for (const int e : ins)
        if (last_ || s_.place_of(s_.edge(e).from) >= 0) reads_.push_back({e, s_.passed(e, to)});
      if (!recorder_.call(layer, begin, to, s_.number, reads_)) return false;
    }
    return true;
  }

 private:
  const Group& s_;
  Recorder& recorder_;
  bool last_;
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
  const auto all = s.layer(s.layers.back()).rows;
  const auto count = static_cast<int>(std::max<std::int64_t>(1, s.segment.strips));
  for (int strip = 0; strip < count; ++strip) {
    for (std::size_t p = 0; count > 1 && p < s.layers.size(); ++p) {
      const bool inside = p + 1 < s.layers.size();
      for (const int t : s.t.of_layer[static_cast<std::size_t>(s.layers[p])]) {
        std::vector<GivenUp> readers;
        for (const int e : s.t.all[static_cast<std::size_t>(t)].edges) readers.push_back({e, s.passed(e, 0)});
        if (inside) recorder.renew(t, readers);
      }
      recorder.strip(s.layers[p], strip, s.strips.columns[static_cast<std::size_t>(strip)][p].count(), inside,
                     s.strips.widest[p]);
    }
    OnDemand run(s, recorder, strip + 1 == count);
    for (std::int64_t y = 0; y < all;)
      if (!run.demand(s.layers.back(), y = std::min(y + s.rows(), all))) return false;
    if (!std::all_of(s.layers.begin(), s.layers.end(), [&](int l) { return run.demand(l, s.layer(l).rows); }))
      return false;
  }
  return true;
}

}  // namespace dse::plan::shared
