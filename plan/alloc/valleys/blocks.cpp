#include "plan/alloc/valleys/blocks.h"

#include <algorithm>

#include "plan/alloc/valleys/guess.h"

namespace dse::plan::alloc {

bool Sums::extend(std::int64_t size) {
  next_.clear();
  for (auto a = sums_.begin(), b = sums_.begin(); b != sums_.end();) {
    const auto raised = *b + size, next = a == sums_.end() ? raised : std::min(*a, raised);
    next_.push_back(next);
    if (a != sums_.end() && *a == next) ++a;
    if (raised == next) ++b;
  }
  sums_.swap(next_);
  work_ += static_cast<std::int64_t>(sums_.size());
  return sums_.size() <= kMost;
}

std::pair<std::size_t, std::int64_t> Sums::common(const Sums& one, const Sums& other) {
  std::pair<std::size_t, std::int64_t> out{0, -1};
  for (auto a = one.sums_.begin(), b = other.sums_.begin(); a != one.sums_.end() && b != other.sums_.end();) {
    if (*a == *b && out.first++ == 0) out.second = *a;
    *a < *b ? ++a : ++b;
  }
  return out;
}

namespace {

/// Whether the blocks have the same life and, where ends are not rounded, can lie on one another in any order.
bool alike(const Gluing& g, const Gluing::List& list) {
  const Block& first = g.block(list.front());
  return std::all_of(list.begin(), list.end(), [&](int k) {
    const Block& b = g.block(k);
    return b.first == first.first && b.end == first.end && b.highest + b.size == first.highest + first.size;
  });
}

/// Only all of the one have the same sum as some of the other, and these are all; but for none.
bool lie_together(const Gluing& g, int border) {
  Sums left, right;
  left.clear(0), right.clear(0);
  for (const int b : g.ends(border))
    if (!left.extend(g.block(b).size)) return false;
  for (const int b : g.begins(border))
    if (!right.extend(g.block(b).size)) return false;
  return Sums::common(left, right).first == 2;
}

/// Whether anything has been put together at the border.
bool glue(Gluing& g, int border) {
  if (!g.tight(border) || !lie_together(g, border)) return false;
  const auto ends = g.ends(border), begins = g.begins(border);
  if (alike(g, ends)) g.stack(ends);
  if (alike(g, begins)) g.stack(begins);
  const bool two = g.ends(border).size() == 1 && g.begins(border).size() == 1;
  const auto left = g.ends(border).size() + g.begins(border).size();
  if (two) g.join(ends.front(), begins.front());
  return two || left < ends.size() + begins.size();
}

}  // namespace

std::vector<Block> blocks_of(const Model& model, std::int64_t height, std::int64_t odds) {
  Gluing gluing(model, height);
  Guesses guesses(gluing, odds);
  do {
    for (bool changed = true; changed;) {
      changed = false;
      for (int border = 1; border + 1 < gluing.borders(); ++border) changed |= glue(gluing, border);
    }
  } while (odds > 0 && guesses.next());
  return gluing.result();
}

}  // namespace dse::plan::alloc
