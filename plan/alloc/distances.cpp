// How far apart two buffers must lie, over all sections that they share.
#include "plan/alloc/distances.h"

#include <algorithm>
#include <tuple>

namespace dse::plan::alloc {
namespace {

constexpr std::int64_t kMostWork = 50'000'000;

/// Units strictly between which the offset of a neighbour minus one's own must not lie.
struct Forbidden {
  int buffer = 0;
  std::int64_t from = 0, to = 0;
};

/// Per section, those whose run begins there: the others were seen before.
class Begins {
 public:
  Begins(const Model& m, const std::vector<Section>& sections) : at_(sections.size() + 1, 0) {
    std::vector<std::size_t> run(m.count(), 0);
    for (std::size_t s = 0; s < sections.size(); ++s) {
      for (const Entry& e : sections[s]) {
        const auto& runs = m.runs[e.buffer];
        auto& k = run[e.buffer];
        if (k == runs.size() || runs[k].first != static_cast<int>(s)) continue;
        entries_.push_back(e), ++k;
      }
      at_[s + 1] = entries_.size();
    }
  }
  std::span<const Entry> of(int section) const {
    return std::span(entries_).subspan(at_[section], at_[section + 1] - at_[section]);
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> at_;
};

/// What buffer i forbids the others, one range per neighbour; ranges that do not touch it go to `apart`.
class Ranges {
 public:
  explicit Ranges(int n) : at_(n, -1) {}

  void add(const Forbidden& f) {
    if (at_[f.buffer] < 0) {
      at_[f.buffer] = static_cast<int>(main.size());
      main.push_back(f);
      return;
    }
    Forbidden& known = main[at_[f.buffer]];
    if (f.from >= known.from && f.to <= known.to) return;
    if (f.from < known.to && known.from < f.to)
      known.from = std::min(known.from, f.from), known.to = std::max(known.to, f.to);
    else
      apart_.push_back(f);
  }
  /// Closes the ranges: each becomes the hull of all that was added. Whether there was room between any two.
  bool close() {
    std::sort(apart_.begin(), apart_.end(), [](const Forbidden& a, const Forbidden& b) {
      return std::tuple(a.buffer, a.from) < std::tuple(b.buffer, b.from);
    });
    bool room = false;
    for (std::size_t k = 0; k < apart_.size();) {
      std::vector<Forbidden> of{main[at_[apart_[k].buffer]]};
      for (; k < apart_.size() && apart_[k].buffer == of.front().buffer; ++k) of.push_back(apart_[k]);
      std::sort(of.begin(), of.end(), [](const Forbidden& a, const Forbidden& b) { return a.from < b.from; });
      auto to = of.front().to;
      for (const Forbidden& f : of) room |= f.from >= to, to = std::max(to, f.to);
      main[at_[of.front().buffer]] = {of.front().buffer, of.front().from, to};
    }
    return room;
  }
  void clear() {
    for (const Forbidden& f : main) at_[f.buffer] = -1;
    main.clear(), apart_.clear();
  }

  std::vector<Forbidden> main;

 private:
  std::vector<int> at_;  // per buffer: its place in main, -1 = none
  std::vector<Forbidden> apart_;
};

/// Points as Model::point says, by shortest paths over their differences (Bellman and Ford); empty = there are none.
std::vector<std::int64_t> points_of(const Model& m) {
  std::vector<std::int64_t> at(m.count(), 0);
  bool stable = false;
  std::int64_t work = 0;
  for (int round = 0; !stable; ++round) {
    if (round > m.count() || work > kMostWork) return {};
    stable = true;
    for (int i = 0; i < m.count(); ++i) {
      if (m.fixed[i] >= 0) continue;
      work += static_cast<std::int64_t>(m.neighbours[i].size());
      for (const Neighbour& nb : m.neighbours[i])
        if (m.fixed[nb.buffer] < 0 && at[nb.buffer] > at[i] + nb.below - 1)
          at[nb.buffer] = at[i] + nb.below - 1, stable = false;
    }
  }
  const auto least = at.empty() ? 0 : *std::min_element(at.begin(), at.end());
  for (auto& p : at) p -= least;
  return at;
}

}  // namespace

void find_neighbours(Model& m, const std::vector<Section>& sections) {
  const Begins begins(m, sections);
  Ranges ranges(m.count());
  m.neighbours.assign(m.count(), {});
  for (int i = 0; i < m.count(); ++i) {
    ranges.clear();
    for (const Run& r : m.runs[i])
      for (int s = r.first; s < r.end; ++s)
        for (const Entry& o : s == r.first ? std::span<const Entry>(sections[s]) : begins.of(s))
          if (o.buffer != i && (m.fixed[i] < 0 || m.fixed[o.buffer] < 0))
            ranges.add({o.buffer, r.low - o.end, r.high - o.begin});
    if (ranges.close()) m.complete = false;
    auto& list = m.neighbours[i];
    for (const Forbidden& f : ranges.main) list.push_back({f.buffer, f.to, -f.from});
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.buffer < b.buffer; });
  }
  m.point = points_of(m);
  if (m.point.empty()) m.complete = m.count() == 0, m.point.assign(m.count(), 0);
}

}  // namespace dse::plan::alloc
