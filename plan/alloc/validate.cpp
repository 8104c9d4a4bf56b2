#include "plan/alloc/validate.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::plan::alloc {
namespace {

constexpr std::size_t kMostFaults = 100;

/// Bytes that a buffer needs at a step.
std::int64_t needed(const Buffer& b, std::int64_t step) {
  if (step < b.lower || step >= b.upper) return 0;
  for (const Gap& g : b.gaps)
    if (step >= g.lower && step < g.upper) return g.kept;
  return b.size;
}

/// The steps at which a buffer begins to need more or less than before.
std::vector<std::int64_t> turns(const Buffer& b) {
  std::vector<std::int64_t> out{b.lower};
  for (const Gap& g : b.gaps) out.push_back(g.lower), out.push_back(g.upper);
  return out;
}

/// The first step at which two buffers have a byte in common; -1 = never.
std::int64_t meeting(const Buffer& a, std::int64_t at_a, const Buffer& b, std::int64_t at_b) {
  if (at_a >= at_b + b.size || at_b >= at_a + a.size) return -1;
  auto steps = turns(a);
  const auto more = turns(b);
  steps.insert(steps.end(), more.begin(), more.end());
  std::sort(steps.begin(), steps.end());
  for (const auto s : steps) {
    const auto bytes_a = needed(a, s), bytes_b = needed(b, s);
    if (bytes_a > 0 && bytes_b > 0 && at_a < at_b + bytes_b && at_b < at_a + bytes_a) return s;
  }
  return -1;
}

std::int64_t most_needed(const Buffer& b) {
  std::int64_t most = 0;
  for (const auto s : turns(b)) most = std::max(most, needed(b, s));
  return most;
}

std::int64_t load_of(std::span<const Buffer> buffers) {
  struct Change {
    std::int64_t step, bytes;
  };
  std::vector<Change> changes;
  for (const Buffer& b : buffers) {
    std::int64_t before = 0;
    auto steps = turns(b);
    steps.push_back(b.upper);
    for (const auto s : steps) {
      const auto now = needed(b, s);
      changes.push_back({s, now - before});
      before = now;
    }
  }
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
  v.load = load_of(buffers);
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
    const auto most = most_needed(b);
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
      const auto step = meeting(a, offsets[*one], b, offsets[*other]);
      if (step >= 0) fault(fmt::format("buffers '{}' and '{}' share bytes at step {}", a.id, b.id, step));
    }
  return v;
}

}  // namespace dse::plan::alloc
