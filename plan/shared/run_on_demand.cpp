#include <algorithm>

#include "plan/phases/parts.h"
#include "plan/shared/runs.h"

namespace dse::plan::shared {
namespace {

/// Makes rows of `layer` up to `end`: of one in the segment, or of a source that is streamed.
void demand(const Group& s, Ledger& ledger, int layer, std::int64_t end) {
  const auto& l = s.layer(layer);
  if (l.source) {
    if (s.streamed && ledger.made(layer) < end)
      ledger.call(layer, ledger.made(layer), l.at_once ? l.rows : end, s.number, {});
    return;
  }
  const int place = s.place_of(layer);
  if (place < 0) return;  // of an earlier segment: it is there
  const bool drives = layer == s.layers.back();
  const auto grain = drives || s.segment.grain.empty() ? 0 : s.segment.grain[static_cast<std::size_t>(place)];
  const auto& ins = s.t.ins[static_cast<std::size_t>(layer)];
  while (ledger.made(layer) < end) {
    const auto begin = ledger.made(layer);
    const auto to = l.at_once ? l.rows : grain > 0 ? std::min(begin + grain, end) : end;
    std::vector<GivenUp> reads;
    for (const int e : ins) {
      demand(s, ledger, s.edge(e).from, s.needed(e, to));
      reads.push_back({e, s.passed(e, to)});
    }
    ledger.call(layer, begin, to, s.number, reads);
  }
}

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

void run_on_demand(const Group& s, Ledger& ledger) {
  const auto all = s.layer(s.layers.back()).rows;
  for (std::int64_t y = 0; y < all;) demand(s, ledger, s.layers.back(), y = std::min(y + s.rows(), all));
  for (const int l : s.layers) demand(s, ledger, l, s.layer(l).rows);
}

}  // namespace dse::plan::shared
