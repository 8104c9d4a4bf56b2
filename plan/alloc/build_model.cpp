// From buffers to the model that all planners work on.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/diagnostics.h"
#include "base/units.h"
#include "plan/alloc/distances.h"
#include "plan/alloc/model.h"
#include "plan/alloc/sections.h"

namespace dse::plan::alloc {
namespace {

void require(const Buffer& b) {
  const auto within = [](std::int64_t n) { return n >= 0 && n <= kLargest; };
  ensure(within(b.size) && within(b.lower) && within(b.upper) && b.lower <= b.upper,
         "alloc: a size or a life out of range");
  ensure(
      b.alignment >= 1 && b.alignment <= kLargest && (!b.offset || (within(*b.offset) && *b.offset % b.alignment == 0)),
      "alloc: an alignment or an offset out of range");
  std::int64_t at = b.lower;
  for (const Gap& g : b.gaps) {
    ensure(
        at <= g.lower && g.lower < g.upper && g.upper <= b.upper && 0 <= g.begin && g.begin <= g.end && g.end <= b.size,
        "alloc: a gap out of order or out of range");
    at = g.upper;
  }
}

/// The grain: what divides all sizes, windows and fixed offsets, and every alignment or is a multiple of it. Canonical
/// offsets are sums of distances between windows, rounded to alignments.
std::int64_t grain_of(std::span<const Buffer> buffers) {
  std::int64_t grain = 0;
  for (const Buffer& b : buffers) {
    grain = std::gcd(grain, b.size);
    for (const Gap& g : b.gaps) grain = std::gcd(std::gcd(grain, g.begin), g.end);
    if (b.offset) grain = std::gcd(grain, *b.offset);
  }
  if (grain == 0) return 1;
  for (const Buffer& b : buffers)
    if (!b.offset && grain % b.alignment != 0) grain = std::gcd(grain, b.alignment);
  return grain;
}

/// The largest divisor of all offsets: of the alignments and fixed offsets, or the grain. (When an alignment divides
/// the grain, so does the divisor of all; else all alignments and fixed offsets are multiples of the grain.) It divides
/// the begins of windows too, so that the next buffer above another one leaves a multiple of it.
std::int64_t unit_of(std::span<const Buffer> buffers, std::int64_t grain) {
  std::int64_t common = 0, begins = 0;
  for (const Buffer& b : buffers) {
    common = std::gcd(common, b.offset ? *b.offset : b.alignment);
    for (const Gap& g : b.gaps)
      if (g.begin < g.end) begins = std::gcd(begins, g.begin);
  }
  return std::gcd(std::max(common, grain), begins);
}

/// What the fixed buffers of a section take up between them, and where the highest of them ends, in bytes. Each of
/// their ends is rounded up to `unit`.
std::pair<std::int64_t, std::int64_t> taken_by_fixed(std::span<const Buffer> buffers, const Section& section,
                                                     std::int64_t unit) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::int64_t highest = 0;
  for (const auto& [i, from, to] : section)
    if (const auto at = buffers[i].offset) {
      ranges.push_back({*at + from, *at + round_up(to, unit)});
      highest = std::max(highest, *at + to);
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
  std::int64_t exact = 0, rounded = 0, spare = 0, lowest = kLargest;
  for (const auto& [i, begin, end] : section) {
    const auto whole = round_up(end, m.unit);
    spare = std::max(spare, whole - end);
    if (m.fixed[i] < 0) exact += end - begin, rounded += whole - begin;
    lowest = std::min(lowest, begin + std::max<std::int64_t>(0, m.fixed[i] * m.unit));
  }
  const auto [taken, highest] = taken_by_fixed(buffers, section, 1);
  m.load = std::max(m.load, exact + taken);
  m.spare.push_back(spare);
  // All offsets are multiples of the unit: only the uppermost buffer can do without its rounding. Below the lowest byte
  // that any of them can have there is nothing.
  const auto least = lowest + rounded + taken_by_fixed(buffers, section, m.unit).first - spare;
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
    for (const Need& w : needs[i]) most = std::max(most, w.end), life += w.upper - w.lower;
    m.bytes.push_back(most);
    m.size.push_back(ceil_div(most, m.unit));
    m.life.push_back(life);
    m.active.push_back(!needs[i].empty());
    m.alignment.push_back(m.unit % b.alignment == 0 ? 1 : b.alignment / m.unit);
    m.fixed.push_back(b.offset ? *b.offset / m.unit : -1);
    if (!needs[i].empty()) m.floor = std::max(m.floor, most + b.offset.value_or(0));
    total += most + (m.alignment.back() > 1 ? b.alignment : 0);
    ensure(total <= kLargest, "alloc: the sum of all sizes and alignments is out of range");
  }
  auto sections = sections_of(needs);
  m.sections = static_cast<int>(sections.size());
  m.runs.resize(n);
  for (int s = 0; s < m.sections; ++s) {
    weigh(m, buffers, sections[s]);
    for (Entry& e : sections[s]) {
      e.begin /= m.unit, e.end = ceil_div(e.end, m.unit);
      const auto& [i, low, high] = e;
      auto& runs = m.runs[i];
      if (!runs.empty() && runs.back().end == s && runs.back().low == low && runs.back().high == high)
        ++runs.back().end;
      else
        runs.push_back({s, s + 1, low, high});
    }
  }
  find_neighbours(m, sections);
  return m;
}

}  // namespace dse::plan::alloc
