#include "plan/alloc/sections.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/fnv.h"

namespace dse::plan::alloc {
namespace {

/// Whether b needs everything that a needs.
bool covers(const Section& b, const Section& a) {
  if (a.size() > b.size()) return false;
  auto at = b.begin();
  for (const Entry& e : a) {
    while (at != b.end() && at->buffer < e.buffer) ++at;
    if (at == b.end() || at->buffer != e.buffer || at->begin > e.begin || at->end < e.end) return false;
  }
  return true;
}

/// Where phases repeat, so do the sections: the first of equal ones stays.
void drop_repeated(std::vector<Section>& sections) {
  std::unordered_multimap<std::uint64_t, std::size_t> seen;
  std::size_t kept = 0;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    Fnv hash;
    for (const Entry& e : sections[s]) hash.word(e.buffer).word(e.begin).word(e.end);
    const auto [from, to] = seen.equal_range(hash.value());
    if (std::any_of(from, to, [&](const auto& other) { return sections[other.second] == sections[s]; })) continue;
    if (kept != s) sections[kept] = std::move(sections[s]);
    seen.emplace(hash.value(), kept++);
  }
  sections.resize(kept);
}

}  // namespace

std::vector<Need> needs_of(const Buffer& b) {
  std::vector<Need> out;
  const auto add = [&](const Need& n) {
    if (n.lower < n.upper && n.begin < n.end) out.push_back(n);
  };
  std::int64_t at = b.lower;
  for (const Gap& g : b.gaps) {
    add({at, g.lower, 0, b.size});
    add({g.lower, g.upper, g.begin, g.end});
    at = g.upper;
  }
  add({at, b.upper, 0, b.size});
  return out;
}

std::vector<Section> sections_of(const std::vector<std::vector<Need>>& needs) {
  struct Change {
    std::int64_t step;
    bool begins;
    Entry entry;
  };
  std::vector<Change> changes;
  for (int i = 0; i < static_cast<int>(needs.size()); ++i)
    for (const Need& n : needs[i])
      changes.push_back({n.lower, true, {i, n.begin, n.end}}), changes.push_back({n.upper, false, {i, 0, 0}});
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.step, a.begins, a.entry.buffer) < std::tuple(b.step, b.begins, b.entry.buffer);  // ends first
  });
  std::vector<Section> out;
  Section live;
  for (std::size_t k = 0; k < changes.size();) {
    const auto step = changes[k].step;
    for (; k < changes.size() && changes[k].step == step; ++k) {
      const auto& c = changes[k];
      const auto at = std::lower_bound(live.begin(), live.end(), c.entry.buffer,
                                       [](const Entry& e, int buffer) { return e.buffer < buffer; });
      if (c.begins)
        live.insert(at, c.entry);
      else
        live.erase(at);
    }
    if (live.empty()) continue;
    while (!out.empty() && covers(live, out.back())) out.pop_back();
    if (out.empty() || !covers(out.back(), live)) out.push_back(live);
  }
  // Without gaps nothing comes back.
  if (std::any_of(needs.begin(), needs.end(), [](const auto& of) { return of.size() > 1; })) drop_repeated(out);
  return out;
}

}  // namespace dse::plan::alloc
