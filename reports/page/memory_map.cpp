#include "reports/page/memory_map.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "base/units.h"

namespace dse::reports {
namespace {

Box around(const Box& a, const Box& b) {
  return {a.of, std::min(a.from, b.from), std::max(a.to, b.to), std::min(a.begin, b.begin), std::max(a.end, b.end)};
}
std::int64_t area(const Box& b) { return (b.to - b.from) * (b.end - b.begin); }

/// Two neighbours, as they were when this was thought of.
struct Merge {
  std::int64_t cost;
  std::size_t left, right;
  int left_version, right_version;
  bool operator>(const Merge& o) const { return cost != o.cost ? cost > o.cost : left > o.left; }
};

}  // namespace

std::vector<Box> thin(const std::vector<Box>& boxes, std::size_t most) {
  if (boxes.size() <= most) return boxes;
  auto kept = boxes;
  const std::size_t n = kept.size();
  std::vector<std::size_t> next(n), before(n);
  std::vector<int> version(n, 0);
  for (std::size_t i = 0; i < n; ++i) next[i] = i + 1, before[i] = i - 1;
  std::priority_queue<Merge, std::vector<Merge>, std::greater<>> merges;
  const auto consider = [&](std::size_t left, std::size_t right) {
    if (left >= n || right >= n || kept[left].of != kept[right].of) return;
    merges.push({area(around(kept[left], kept[right])) - area(kept[left]) - area(kept[right]), left, right,
                 version[left], version[right]});
  };
  for (std::size_t i = 0; i + 1 < n; ++i) consider(i, i + 1);
  std::size_t count = n;
  while (count > most && !merges.empty()) {
    const Merge m = merges.top();
    merges.pop();
    if (version[m.left] != m.left_version || version[m.right] != m.right_version) continue;
    kept[m.left] = around(kept[m.left], kept[m.right]);
    ++version[m.left], version[m.right] = -1, --count;
    next[m.left] = next[m.right];
    if (next[m.left] < n) before[next[m.left]] = m.left;
    consider(before[m.left], m.left);
    consider(m.left, next[m.left]);
  }
  std::vector<Box> out;
  for (std::size_t i = 0; i < n; i = next[i]) out.push_back(kept[i]);
  return out;
}

std::vector<Box> boxes_of(const explore::Point& p, const std::string& memory) {
  std::vector<Box> out;
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const auto& b = p.buffers[i];
    if (b.memory != memory) continue;
    if (b.windows.empty()) out.push_back({i, b.from_tick, b.to_tick, 0, b.size});
    for (const auto& w : b.windows) out.push_back({i, w.from_tick, w.to_tick, w.begin, w.end});
  }
  return out;
}

std::vector<Box> load_curve(const explore::Point& p, const std::string& memory, std::int64_t constants) {
  std::vector<Box> parts;
  for (const auto& box : boxes_of(p, memory)) {
    const auto& b = p.buffers[box.of];
    const auto begin = b.offset - constants + box.begin, end = b.offset - constants + box.end;
    if (box.to > box.from && end > begin)
      parts.push_back({box.of, box.from, box.to, begin / b.unit * b.unit, ceil_div(end, b.unit) * b.unit});
  }
  std::map<std::int64_t, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> events;  // begin, end
  for (std::size_t i = 0; i < parts.size(); ++i) {
    events[parts[i].from].first.push_back(i);
    events[parts[i].to].second.push_back(i);
  }
  std::set<std::pair<std::int64_t, std::size_t>> alive;  // by first byte
  std::vector<Box> out;
  for (auto it = events.begin(); it != events.end() && std::next(it) != events.end(); ++it) {
    for (const auto i : it->second.first) alive.insert({parts[i].begin, i});
    for (const auto i : it->second.second) alive.erase({parts[i].begin, i});
    std::int64_t bytes = constants, reached = std::numeric_limits<std::int64_t>::min();
    for (const auto& [begin, i] : alive) {  // bytes that one buffer hands to another in place count once
      bytes += std::max<std::int64_t>(0, parts[i].end - std::max(begin, reached));
      reached = std::max(reached, parts[i].end);
    }
    if (!out.empty() && out.back().end == bytes)
      out.back().to = std::next(it)->first;
    else
      out.push_back({0, it->first, std::next(it)->first, 0, bytes});
  }
  return out;
}

}  // namespace dse::reports
