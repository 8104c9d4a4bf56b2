#include "methods/dataflow/notation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dse::plan::phases {
namespace {

constexpr std::size_t longest_pattern = 256;

/// How often the `length` firings at `first` repeat, each with the next phase of its actor.
std::size_t repetitions(const std::vector<Firing>& f, std::size_t first, std::size_t length) {
  std::size_t n = 1;
  for (; first + (n + 1) * length <= f.size(); ++n)
    for (std::size_t i = 0; i < length; ++i) {
      const Firing &before = f[first + (n - 1) * length + i], &now = f[first + n * length + i];
      if (now.actor != before.actor || now.number != before.number + 1) return n;
    }
  return n;
}

std::string range(const Firing& f, std::size_t count) {
  if (count == 1) return fmt::format("l{}({})", f.actor + 1, f.number);
  return fmt::format("l{}({}-{})", f.actor + 1, f.number, f.number + static_cast<std::int64_t>(count) - 1);
}

}  // namespace

std::vector<std::string> notation_terms(const std::vector<Firing>& f) {
  std::vector<std::string> terms;
  for (std::size_t at = 0; at < f.size();) {
    std::size_t length = 1, times = repetitions(f, at, 1);
    // Brackets hold layers in their order, as the thesis writes them.
    for (std::size_t n = 2; n <= longest_pattern && at + n <= f.size() && f[at + n - 1].actor > f[at + n - 2].actor;
         ++n)
      if (const auto r = repetitions(f, at, n); r >= 3 && r * n > length * times) length = n, times = r;
    if (length == 1) {
      terms.push_back(range(f[at], times));
    } else {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < length; ++i) parts.push_back(range(f[at + i], times));
      terms.push_back(fmt::format("[{}]", fmt::join(parts, ", ")));
    }
    at += length * times;
  }
  return terms;
}

std::string in_notation(const std::vector<Firing>& firings) {
  return fmt::format("{}", fmt::join(notation_terms(firings), ", "));
}

}  // namespace dse::plan::phases
