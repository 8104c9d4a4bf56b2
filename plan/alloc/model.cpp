#include "plan/alloc/model.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/diagnostics.h"
#include "base/units.h"

namespace dse::plan::alloc {
namespace {

/// Bytes that a buffer needs in [lower, upper).
struct Need {
  std::int64_t lower = 0, upper = 0, size = 0;
};

void require(const Buffer& b) {
  const auto within = [](std::int64_t n) { return n >= 0 && n <= kLargest; };
  ensure(within(b.size) && within(b.lower) && within(b.upper) && b.lower <= b.upper,
         "alloc: a size or a life out of range");
  ensure(
      b.alignment >= 1 && b.alignment <= kLargest && (!b.offset || (within(*b.offset) && *b.offset % b.alignment == 0)),
      "alloc: an alignment or an offset out of range");
  std::int64_t at = b.lower;
  for (const Gap& g : b.gaps) {
    ensure(at <= g.lower && g.lower < g.upper && g.upper <= b.upper && g.kept >= 0 && g.kept <= b.size,
           "alloc: a gap out of order or out of range");
    at = g.upper;
  }
}

std::vector<Need> needs_of(const Buffer& b) {
  std::vector<Need> out;
  const auto add = [&](std::int64_t lower, std::int64_t upper, std::int64_t size) {
    if (lower < upper && size > 0) out.push_back({lower, upper, size});
  };
  std::int64_t at = b.lower;
  for (const Gap& g : b.gaps) {
    add(at, g.lower, b.size);
    add(g.lower, g.upper, g.kept);
    at = g.upper;
  }
  add(at, b.upper, b.size);
  return out;
}

/// The grain: what divides all sizes and fixed offsets, and every alignment or is a multiple of it. Canonical offsets
/// are sums of sizes rounded to alignments.
std::int64_t grain_of(std::span<const Buffer> buffers) {
  std::int64_t grain = 0;
  for (const Buffer& b : buffers) {
    grain = std::gcd(grain, b.size);
    for (const Gap& g : b.gaps) grain = std::gcd(grain, g.kept);
    if (b.offset) grain = std::gcd(grain, *b.offset);
  }
  if (grain == 0) return 1;
  for (const Buffer& b : buffers)
    if (!b.offset && grain % b.alignment != 0) grain = std::gcd(grain, b.alignment);
  return grain;
}

/// The largest divisor of all offsets: of the alignments and fixed offsets, or the grain. (When an alignment divides
/// the grain, so does the divisor of all; else all alignments and fixed offsets are multiples of the grain.)
std::int64_t unit_of(std::span<const Buffer> buffers, std::int64_t grain) {
  std::int64_t common = 0;
  for (const Buffer& b : buffers) common = std::gcd(common, b.offset ? *b.offset : b.alignment);
  return std::max(common, grain);
}

/// Who needs how much, section by section.
using Section = std::vector<std::pair<int, std::int64_t>>;  // buffer (ascending), bytes

/// Whether b needs everything that a needs.
bool covers(const Section& b, const Section& a) {
  auto at = b.begin();
  for (const auto& [buffer, size] : a) {
    while (at != b.end() && at->first < buffer) ++at;
    if (at == b.end() || at->first != buffer || at->second < size) return false;
  }
  return true;
}

std::vector<Section> sections_of(const std::vector<std::vector<Need>>& needs) {
  struct Change {
    std::int64_t step;
    int buffer;
    std::int64_t size;  // 0 = ends
  };
  std::vector<Change> changes;
  for (int i = 0; i < static_cast<int>(needs.size()); ++i)
    for (const Need& n : needs[i]) changes.push_back({n.lower, i, n.size}), changes.push_back({n.upper, i, 0});
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.step, a.size != 0) < std::tuple(b.step, b.size != 0);  // ends first
  });
  std::vector<Section> out;
  Section live;
  for (std::size_t k = 0; k < changes.size();) {
    const auto step = changes[k].step;
    for (; k < changes.size() && changes[k].step == step; ++k) {
      const auto& c = changes[k];
      const auto at = std::lower_bound(live.begin(), live.end(), std::pair(c.buffer, std::int64_t{0}));
      if (c.size > 0)
        live.insert(at, {c.buffer, c.size});
      else
        live.erase(at);
    }
    if (live.empty()) continue;
    while (!out.empty() && covers(live, out.back())) out.pop_back();
    if (out.empty() || !covers(out.back(), live)) out.push_back(live);
  }
  return out;
}

/// What the fixed buffers of a section take up between them, and where the highest of them ends, in bytes. Each of
/// their sizes is rounded up to `unit`.
std::pair<std::int64_t, std::int64_t> taken_by_fixed(std::span<const Buffer> buffers, const Section& section,
                                                     std::int64_t unit) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::int64_t highest = 0;
  for (const auto& [i, size] : section)
    if (const auto at = buffers[i].offset) {
      ranges.push_back({*at, *at + round_up(size, unit)});
      highest = std::max(highest, *at + size);
    }
  std::sort(ranges.begin(), ranges.end());
  std::int64_t sum = 0, end = 0;
  for (const auto& [from, to] : ranges) {
    sum += std::max<std::int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return {sum, highest};
}

/// Loads and bounds of a section.
void weigh(Model& m, std::span<const Buffer> buffers, const Section& section) {
  std::int64_t exact = 0, rounded = 0, spare = 0;
  for (const auto& [i, size] : section) {
    const auto whole = round_up(size, m.unit);
    spare = std::max(spare, whole - size);
    if (m.fixed[i] < 0) exact += size, rounded += whole;
  }
  const auto [taken, highest] = taken_by_fixed(buffers, section, 1);
  m.load = std::max(m.load, exact + taken);
  m.spare.push_back(spare);
  // All offsets are multiples of the unit: only the uppermost buffer can do without its rounding.
  const auto least = rounded + taken_by_fixed(buffers, section, m.unit).first - spare;
  m.floor = std::max({m.floor, m.load, round_up(least, m.grain), highest});
}

}  // namespace

Model model_of(std::span<const Buffer> buffers) {
  Model m;
  const auto n = buffers.size();
  for (const Buffer& b : buffers) require(b);
  m.grain = grain_of(buffers);
  m.unit = unit_of(buffers, m.grain);
  std::vector<std::vector<Need>> needs(n);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Buffer& b = buffers[i];
    needs[i] = needs_of(b);
    std::int64_t most = 0, life = 0;
    for (const Need& w : needs[i]) most = std::max(most, w.size), life += w.upper - w.lower;
    m.bytes.push_back(most);
    m.size.push_back(ceil_div(most, m.unit));
    m.life.push_back(life);
    m.active.push_back(!needs[i].empty());
    m.alignment.push_back(m.unit % b.alignment == 0 ? 1 : b.alignment / m.unit);
    m.fixed.push_back(b.offset ? *b.offset / m.unit : -1);
    total += most + (m.alignment.back() > 1 ? b.alignment : 0);
    ensure(total <= kLargest, "alloc: the sum of all sizes and alignments is out of range");
  }
  const auto sections = sections_of(needs);
  m.sections = static_cast<int>(sections.size());
  m.runs.resize(n);
  for (int s = 0; s < m.sections; ++s) {
    for (const auto& [i, size] : sections[s]) {
      auto& runs = m.runs[i];
      const auto units = ceil_div(size, m.unit);
      if (!runs.empty() && runs.back().end == s && runs.back().size == units)
        ++runs.back().end;
      else
        runs.push_back({s, s + 1, units});
    }
    weigh(m, buffers, sections[s]);
  }
  m.neighbours.resize(n);
  // Of each pair the widest distance that any common section asks for.
  std::vector<Neighbour> of(n);
  std::vector<int> seen(n, -1);
  for (int i = 0; i < static_cast<int>(n); ++i) {
    auto& list = m.neighbours[i];
    for (const Run& r : m.runs[i])
      for (int s = r.first; s < r.end; ++s)
        for (const auto& [j, size] : sections[s]) {
          if (j == i || (m.fixed[i] >= 0 && m.fixed[j] >= 0)) continue;
          if (seen[j] != i) seen[j] = i, of[j] = {j, 0, 0}, list.push_back(of[j]);
          of[j].above = std::max(of[j].above, r.size);
          of[j].below = std::max(of[j].below, ceil_div(size, m.unit));
        }
    for (auto& nb : list) nb = of[nb.buffer];
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.buffer < b.buffer; });
  }
  return m;
}

}  // namespace dse::plan::alloc
