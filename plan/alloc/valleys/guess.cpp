#include "plan/alloc/valleys/guess.h"

#include <algorithm>
#include <map>

namespace dse::plan::alloc {

bool Guesses::next() {
  for (int border = 1; border + 1 < g_.borders(); ++border) refresh(border);
  wheels_.clear();
  for (int border = 1; border + 1 < g_.borders(); ++border)
    if (g_.tight(border)) wheels(border);
  const Match* match = best();
  if (!match) return false;
  const auto stacks = match->stacks;
  for (const auto& list : stacks) g_.stack(list);
  const auto at = [&](std::size_t k) { return stacks[k].front(); };
  if (stacks.size() == 2)
    g_.join(at(0), at(1));
  else
    g_.wind(at(0), at(1), at(2), at(3), at(4));
  return true;
}

/// Of those that are least likely to match by chance the smallest.
const Guesses::Match* Guesses::best() const {
  for (auto odds = least_odds_ * 10'000; odds >= least_odds_; odds /= 10) {
    const Match* best = nullptr;
    const auto see = [&](const Match& m) {
      if (m.odds * static_cast<double>(odds) >= 1) return;
      if (!best || m.count < best->count || (m.count == best->count && m.odds < best->odds)) best = &m;
    };
    for (const Sides& s : sides_) std::for_each(s.matches.begin(), s.matches.end(), see);
    std::for_each(wheels_.begin(), wheels_.end(), see);
    if (best) return best;
  }
  return nullptr;
}

void Guesses::add_stack(const Gluing::List& list, Stacks& out) const {
  out[std::min(list.size(), kCounts - 1)].push_back({list, g_.sum(list)});
}

/// Those that are worth trying, of the blocks of one life.
void Guesses::add_stacks(const Gluing::List& all, Stacks& out) const {
  const auto n = all.size();
  if (n <= kAllSubsets) {
    for (std::uint32_t mask = 1; mask < std::uint32_t{1} << n; ++mask) {
      Gluing::List list;
      for (std::size_t k = 0; k < n; ++k)
        if (mask >> k & 1) list.push_back(all[k]);
      add_stack(list, out);
    }
    return;
  }
  add_stack(all, out);
  for (std::size_t a = 0; a < n; ++a) {
    add_stack({all[a]}, out);
    for (std::size_t b = a + 1; b < n && n <= kSomeSubsets; ++b) {
      add_stack({all[a], all[b]}, out);
      for (std::size_t c = b + 1; c < n; ++c) add_stack({all[a], all[b], all[c]}, out);
    }
  }
}

Guesses::Stacks Guesses::stacks_of(const Gluing::List& list) const {
  std::map<std::pair<int, int>, Gluing::List> lives;
  for (const int b : list) lives[{g_.block(b).first, g_.block(b).end}].push_back(b);
  Stacks out;
  for (const auto& [life, all] : lives) add_stacks(all, out);
  for (auto& stacks : out)
    std::stable_sort(stacks.begin(), stacks.end(), [](const Stack& a, const Stack& b) { return a.size < b.size; });
  return out;
}

void Guesses::refresh(int border) {
  Sides& s = sides_[border];
  std::vector<std::pair<int, std::int64_t>> shapes;
  for (const int b : g_.ends(border)) shapes.push_back({g_.block(b).first, g_.block(b).size});
  for (const int b : g_.begins(border)) shapes.push_back({g_.block(b).end, g_.block(b).size});
  if (s.ends == g_.ends(border) && s.begins == g_.begins(border) && s.shapes == shapes) return;
  s = {g_.ends(border), g_.begins(border), std::move(shapes), {}, {}, {}};
  if (!g_.tight(border)) return;
  s.left = stacks_of(s.ends), s.right = stacks_of(s.begins);
  for (std::size_t l = 1; l < kCounts; ++l)
    for (std::size_t r = 1; r < kCounts; ++r) {
      const auto all = static_cast<double>(s.left[l].size()) * static_cast<double>(s.right[r].size());
      auto b = s.right[r].begin();
      for (const Stack& a : s.left[l]) {
        while (b != s.right[r].end() && b->size < a.size) ++b;
        if (b == s.right[r].end()) break;
        if (b->size == a.size) keep(s.matches, {all / static_cast<double>(a.size), l + r, {a.blocks, b->blocks}});
      }
    }
}
void Guesses::keep(std::vector<Match>& to, Match m) const {
  if (m.odds * static_cast<double>(least_odds_) < 1) to.push_back(std::move(m));
}

/// The block in the middle begins at the border.
void Guesses::wheels(int border) {
  const Sides& here = sides_[border];
  for (const int centre : here.begins) {
    const int end = g_.block(centre).end;
    if (!g_.tight(end)) continue;
    const Sides& there = sides_[end];
    const auto chances = static_cast<double>(here.ends.size() * here.begins.size()) *
                         static_cast<double>(there.ends.size() * there.begins.size());
    for (const int left : here.ends)
      for (const int above : here.begins) {
        if (above == centre || size(above) + size(centre) != size(left)) continue;
        for (const int below : there.ends)
          for (const int right : there.begins) {
            if (size(below) + size(centre) != size(right) || !around(left, below, above, right)) continue;
            const auto odds = chances / static_cast<double>(size(left)) / static_cast<double>(size(right));
            keep(wheels_, {odds, 3, {{left}, {below}, {centre}, {above}, {right}}});
          }
      }
  }
}
bool Guesses::around(int left, int below, int above, int right) const {
  return g_.block(left).first == g_.block(below).first && g_.block(above).end == g_.block(right).end &&
         g_.block(above).end > g_.block(below).end;
}

}  // namespace dse::plan::alloc
