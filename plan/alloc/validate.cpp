#include "plan/alloc/validate.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::plan::alloc {
namespace {

constexpr std::size_t kMostFaults = 100;

/// What a buffer needs during [lower, upper): its bytes [begin, end).
struct Stretch {
  std::int64_t lower, upper, begin, end;
};

/// Ascending; stretches without bytes are left out.
std::vector<Stretch> stretches_of(const Buffer& b) {
  std::vector<Stretch> out;
  const auto add = [&](std::int64_t lower, std::int64_t upper, std::int64_t begin, std::int64_t end) {
    if (lower < upper && begin < end) out.push_back({lower, upper, begin, end});
  };
  std::int64_t at = b.lower;
  for (const Gap& g : b.gaps) {
    add(at, g.lower, 0, b.size);
    add(g.lower, g.upper, g.begin, g.end);
    at = g.upper;
  }
  add(at, b.upper, 0, b.size);
  return out;
}

/// The first step at which two buffers have a byte in common; -1 = never.
std::int64_t meeting(const std::vector<Stretch>& a, std::int64_t at_a, const std::vector<Stretch>& b,
                     std::int64_t at_b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const auto step = std::max(x->lower, y->lower);
    if (step < std::min(x->upper, y->upper) && at_a + x->begin < at_b + y->end && at_b + y->begin < at_a + x->end)
      return step;
    if (x->upper < y->upper)
      ++x;
    else
      ++y;
  }
  return -1;
}

std::int64_t load_of(const std::vector<std::vector<Stretch>>& all) {
  struct Change {
    std::int64_t step, bytes;
  };
  std::vector<Change> changes;
  for (const auto& stretches : all)
    for (const Stretch& s : stretches)
      changes.push_back({s.lower, s.end - s.begin}), changes.push_back({s.upper, s.begin - s.end});
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.step < b.step; });
  std::int64_t live = 0, load = 0;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    live += changes[k].bytes;
    if (k + 1 == changes.size() || changes[k + 1].step != changes[k].step) load = std::max(load, live);
  }
  return load;
}

}  // namespace

Verdict validate(std::span<const Buffer> buffers, std::span<const std::int64_t> offsets,
                 std::optional<std::int64_t> capacity) {
  Verdict v;
  const auto fault = [&](std::string text) {
    if (v.faults.size() < kMostFaults) v.faults.push_back(std::move(text));
  };
  std::vector<std::vector<Stretch>> needed;
  for (const Buffer& b : buffers) needed.push_back(stretches_of(b));
  v.load = load_of(needed);
  if (offsets.size() != buffers.size()) {
    fault(fmt::format("{} offsets for {} buffers", offsets.size(), buffers.size()));
    return v;
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    const auto at = offsets[i];
    if (at < 0) fault(fmt::format("buffer '{}' lies at {}", b.id, at));
    if (b.offset && at != *b.offset) fault(fmt::format("buffer '{}' lies at {}, not at {}", b.id, at, *b.offset));
    if (at % b.alignment != 0) fault(fmt::format("buffer '{}' lies at {}: no multiple of {}", b.id, at, b.alignment));
    std::int64_t most = 0;
    for (const Stretch& s : needed[i]) most = std::max(most, s.end);
    if (most == 0) continue;
    v.height = std::max(v.height, at + most);
    if (capacity && at + most > *capacity)
      fault(fmt::format("buffer '{}' ends at {}, beyond {}", b.id, at + most, *capacity));
  }
  std::vector<std::size_t> by_begin(buffers.size());
  for (std::size_t i = 0; i < by_begin.size(); ++i) by_begin[i] = i;
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [&](std::size_t a, std::size_t b) { return buffers[a].lower < buffers[b].lower; });
  for (auto one = by_begin.begin(); one != by_begin.end(); ++one)
    for (auto other = one + 1; other != by_begin.end() && buffers[*other].lower < buffers[*one].upper; ++other) {
      const Buffer &a = buffers[*one], &b = buffers[*other];
      const auto step = meeting(needed[*one], offsets[*one], needed[*other], offsets[*other]);
      if (step >= 0) fault(fmt::format("buffers '{}' and '{}' share bytes at step {}", a.id, b.id, step));
    }
  return v;
}

}  // namespace dse::plan::alloc
