#include "plan/alloc/valleys/skyline.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dse::plan::alloc {

bool Skyline::suits(const Model& m) {
  for (int i = 0; i < m.count(); ++i) {
    if (!m.active[i]) continue;
    if (m.fixed[i] >= 0 || m.alignment[i] != 1 || m.runs[i].size() != 1 || m.runs[i].front().low != 0) return false;
  }
  return true;
}

Skyline::Skyline(const Model& m, const std::vector<Block>& blocks, std::int64_t height)
    : offset(blocks.size(), 0),
      open(blocks.size(), 1),
      begins(m.sections),
      alive(m.sections, 0),
      line(m.sections, 0),
      hollow(m.sections, 0),
      crossing(m.sections + 1, 0),
      equal_before_(blocks.size(), -1) {
  std::map<std::tuple<int, int, std::int64_t, std::int64_t>, int> equals;
  for (const auto bytes : m.spare) spare.push_back((height + bytes) / m.unit);
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const Block& b = blocks[i];
    first.push_back(b.first), end.push_back(b.end), size.push_back(b.size), highest_.push_back(b.highest);
    const auto [known, added] = equals.try_emplace({b.first, b.end, b.size, b.highest}, i);
    if (!added) equal_before_[i] = std::exchange(known->second, i);
    begins[b.first].push_back(i);
    for (int s = b.first; s < b.end; ++s) ++alive[s], spare[s] -= b.size;
    for (int s = b.first + 1; s < b.end; ++s) ++crossing[s];
  }
}

void Skyline::put(int i) {
  offset[i] = line[first[i]], open[i] = 0;
  for (int s = first[i]; s < end[i]; ++s) {
    trail_.push_back({s, line[s], spare[s], hollow[s]});
    line[s] += size[i], hollow[s] = 0, --alive[s];
  }
  for (int s = first[i] + 1; s < end[i]; ++s) --crossing[s];
  trail_.push_back({-1 - i, 0, 0, 0});
}

void Skyline::raise(int s, std::int64_t to) {
  trail_.push_back({s, line[s], spare[s], hollow[s]});
  spare[s] -= to - line[s], line[s] = to, hollow[s] = 1;
}

void Skyline::take_back(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const Change& c = trail_.back();
    if (c.section >= 0) {
      line[c.section] = c.line, spare[c.section] = c.spare, hollow[c.section] = c.hollow;
      continue;
    }
    const int i = -1 - c.section;
    open[i] = 1;
    for (int s = first[i]; s < end[i]; ++s) ++alive[s];
    for (int s = first[i] + 1; s < end[i]; ++s) ++crossing[s];
  }
}

}  // namespace dse::plan::alloc
