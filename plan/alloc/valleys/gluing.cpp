#include "plan/alloc/valleys/gluing.h"

#include <algorithm>

namespace dse::plan::alloc {

Gluing::Gluing(const Model& m, std::int64_t height) : ends_(m.sections + 1), begins_(m.sections + 1) {
  for (const auto bytes : m.spare) spare_.push_back((height + bytes) / m.unit);
  for (int i = 0; i < m.count(); ++i) {
    if (!m.active[i]) continue;
    const Run& r = m.runs[i].front();
    const auto highest = height >= m.bytes[i] ? (height - m.bytes[i]) / m.unit : -1;
    const int b = static_cast<int>(blocks_.size());
    blocks_.push_back({r.first, r.end, m.size[i], highest, {{i, 0}}});
    begins_[r.first].push_back(b), ends_[r.end].push_back(b);
    for (int s = r.first; s < r.end; ++s) spare_[s] -= m.size[i];
  }
}

std::int64_t Gluing::sum(const List& list) const {
  std::int64_t s = 0;
  for (const int b : list) s += blocks_[b].size;
  return s;
}

void Gluing::stack(const List& list) {
  const int bottom = list.front();
  for (const int b : list) {
    if (b == bottom) continue;
    const auto size = blocks_[b].size;
    absorb(bottom, b, blocks_[bottom].size);
    blocks_[bottom].size += size;
  }
}

void Gluing::join(int a, int b) {
  const int end = blocks_[b].end;
  absorb(a, b, 0);
  std::erase(ends_[blocks_[a].end], a);
  blocks_[a].end = end;
  ends_[end].push_back(a);
}

void Gluing::wind(int left, int below, int centre, int above, int right) {
  const auto low = blocks_[below].size, high = low + blocks_[centre].size, size = low + blocks_[left].size;
  const int end = blocks_[right].end;
  absorb(below, left, low);
  absorb(below, centre, low);
  absorb(below, right, 0);
  absorb(below, above, high);
  std::erase(ends_[blocks_[below].end], below);
  blocks_[below].end = end, blocks_[below].size = size;
  ends_[end].push_back(below);
}

std::vector<Block> Gluing::result() const {
  std::vector<Block> out;
  for (const Block& b : blocks_)
    if (!b.parts.empty()) out.push_back(b);
  return out;
}

void Gluing::remove(int b) {
  std::erase(begins_[blocks_[b].first], b);
  std::erase(ends_[blocks_[b].end], b);
}

/// The parts of the other become parts of b, so far above its bottom.
void Gluing::absorb(int b, int other, std::int64_t above) {
  remove(other);
  Block &to = blocks_[b], &from = blocks_[other];
  for (const auto& [buffer, at] : from.parts) to.parts.push_back({buffer, above + at});
  to.highest = std::min(to.highest, from.highest - above);
  from.parts.clear();
}

}  // namespace dse::plan::alloc
