#include "reports/page/trace.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "reports/page/pack.h"

namespace dse::reports {

std::string pack_trace(const std::vector<sim::TaskRecord>& trace, std::size_t most) {
  std::vector<const sim::TaskRecord*> order;
  for (const auto& t : trace) order.push_back(&t);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->start, a->queue, a->issued) < std::tie(b->start, b->queue, b->issued);
  });
  order.resize(std::min(most, order.size()));
  std::vector<std::int64_t> values;
  values.reserve(order.size() * 8);
  const auto differences = [&](auto member) {
    std::int64_t last = 0;
    for (const auto* t : order) {
      values.push_back(t->*member - last);
      last = t->*member;
    }
  };
  differences(&sim::TaskRecord::row);
  differences(&sim::TaskRecord::tile);
  differences(&sim::TaskRecord::template_index);
  differences(&sim::TaskRecord::queue);
  differences(&sim::TaskRecord::issued);
  for (const auto* t : order) values.push_back(t->ready - t->issued);
  for (const auto* t : order) values.push_back(t->start - t->ready);
  for (const auto* t : order) values.push_back(t->end - t->start);
  return pack(values);
}

namespace {

/// As many tasks as fit in `budget` bytes.
void encode(TraceShare& share, std::int64_t budget) {
  share.kept = share.trace->size();
  share.data = pack_trace(*share.trace, share.kept);
  // Tasks cost nearly the same number of bytes each; the second round corrects what the first guess leaves.
  for (int round = 0; round < 4 && static_cast<std::int64_t>(share.data.size()) > budget; ++round) {
    const double fraction = std::max(0.0, 0.98 * static_cast<double>(budget) / static_cast<double>(share.data.size()));
    share.kept = static_cast<std::size_t>(static_cast<double>(share.kept) * fraction);
    share.data = pack_trace(*share.trace, share.kept);
  }
  if (static_cast<std::int64_t>(share.data.size()) > std::max<std::int64_t>(budget, 0)) {
    share.kept = 0;
    share.data.clear();
  }
}

}  // namespace

void share_traces(std::vector<TraceShare>& shares, std::int64_t budget) {
  // Shortest first relative to its weight, so that what it leaves is known when the longer ones are cut.
  std::vector<TraceShare*> order;
  for (auto& s : shares) order.push_back(&s);
  std::stable_sort(order.begin(), order.end(), [](const TraceShare* a, const TraceShare* b) {
    return static_cast<std::int64_t>(a->trace->size()) * b->weight <
           static_cast<std::int64_t>(b->trace->size()) * a->weight;
  });
  std::int64_t weights = 0;
  for (const auto& s : shares) weights += s.weight;
  for (auto* s : order) {
    encode(*s, weights > 0 ? budget / weights * s->weight : 0);
    budget -= static_cast<std::int64_t>(s->data.size());
    weights -= s->weight;
  }
}

}  // namespace dse::reports
