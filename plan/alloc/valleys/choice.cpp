#include "plan/alloc/valleys/choice.h"

#include <algorithm>

namespace dse::plan::alloc {

Chooser::Chooser(const Skyline& skyline) : sky_(skyline), borders_(skyline) {
  const auto borders = sky_.line.size() + 1;
  for (auto* per_border : {&held_, &raised_, &before_, &after_}) per_border->assign(borders, 0);
  for (auto* per_border : {&firm_, &number_}) per_border->assign(borders, 0);
  weight_.assign(borders, kFirstWeight);
  from_left_.assign(borders, 0), from_right_.assign(borders, 0);
}

bool Chooser::choose(int first, int end, Choice& choice) {
  work_ = end - first, summed_ = borders_.work();
  section_ = -1;
  const auto& line = sky_.line;
  for (int from = first, to = first; from < end; from = to) {
    while (to < end && line[to] == line[from]) ++to;
    const auto left = from > first ? line[from - 1] : kNoSide, right = to < end ? line[to] : kNoSide;
    if (left < line[from] || right < line[from]) {
      if ((left > line[from] && from > first && !step_down(from, end)) ||
          (right > line[from] && to < end && !step_up(to, first)))
        return blame({reason_.first, reason_.end, 0, 0});
      continue;
    }
    const Valley v{from, to, line[from],
                   std::min(from > first ? borders_.across(from) : kNoSide, to < end ? borders_.across(to) : kNoSide)};
    reason_ = {std::max(first, from - 1), std::min(end, to + 1)};
    if (!survey(v) || !tile(v)) return blame(v);
    const int before = section_;
    count(v);
    if (section_ == before) continue;
    choice.section = section_;
    choice.reason = reason_;
    choice.buffers.clear();
    for (const int i : tiles_)
      if (sky_.first[i] <= section_ && section_ < sky_.end[i]) choice.buffers.push_back(i);
    choice.raised =
        raised_[section_] >= 0 && from_left_[section_] && from_right_[section_ + 1] ? raised_[section_] : -1;
  }
  return true;
}

/// Behind a step down something begins that lies on the line or, if all can be spared, nothing.
bool Chooser::step_down(int border, int end) {
  if (sky_.spare[border] != 0) return true;
  const auto at = sky_.line[border];
  int reach = border;
  while (reach < end && sky_.line[reach] <= at) ++reach;
  work_ += reach - border;
  for (const int i : sky_.begins[border])
    if (sky_.end[i] <= reach && sky_.may_lie(i, at)) return true;
  reason_ = {border - 1, std::min(end, reach + 1)};
  return false;
}

bool Chooser::step_up(int border, int first) {
  if (sky_.spare[border - 1] != 0) return true;
  const auto at = sky_.line[border - 1];
  int reach = border;
  while (reach > first && sky_.line[reach - 1] <= at) --reach;
  work_ += border - reach;
  for (const int i : borders_.ends(border))
    if (sky_.first[i] >= reach && sky_.may_lie(i, at)) return true;
  reason_ = {std::max(first, reach - 1), border + 1};
  return false;
}

/// The sections of a valley that could not be filled weigh more from now on, later failures more than earlier ones.
bool Chooser::blame(const Valley& v) {
  gain_ += gain_ / 64;
  for (int s = v.first; s < v.end; ++s) weight_[s] += gain_ / (v.end - v.first);
  if (gain_ < kMostGain) return false;
  gain_ = std::max(gain_ >> 20, kFirstGain);
  for (auto& w : weight_) w = std::max<std::int64_t>(w >> 20, 1);
  return false;
}

/// Who lies inside, and whether that is enough to fill the valley to its side.
bool Chooser::survey(const Valley& v) {
  inside_.clear();
  std::fill(held_.begin() + v.first, held_.begin() + v.end, 0);
  for (int s = v.first; s < v.end; ++s) {
    work_ += static_cast<std::int64_t>(sky_.begins[s].size());
    for (const int i : sky_.begins[s]) {
      if (!sky_.open[i] || sky_.end[i] > v.end) continue;
      inside_.push_back(i);
      held_[s] += sky_.size[i];
      if (sky_.end[i] < v.end) held_[sky_.end[i]] -= sky_.size[i];
    }
  }
  // Nothing lies on the ground of a section: then the lowest buffer there rests on one beside it, or on the side.
  before_[v.first] = after_[v.end] = kNoSide;
  for (int s = v.first; s < v.end; ++s) before_[s + 1] = after_[s] = kNoSide;
  for (const int i : inside_) {
    before_[sky_.end[i]] = std::min(before_[sky_.end[i]], sky_.size[i]);
    after_[sky_.first[i]] = std::min(after_[sky_.first[i]], sky_.size[i]);
  }
  for (int s = v.first; s < v.end; ++s) before_[s + 1] = std::min(before_[s + 1], before_[s]);
  for (int s = v.end; s-- > v.first;) after_[s] = std::min(after_[s], after_[s + 1]);
  std::int64_t held = 0;
  for (int s = v.first; s < v.end; ++s) {
    held += held_[s];
    if (v.side != kNoSide && held + sky_.spare[s] < v.side - v.ground) return false;
    const auto least = std::min({v.side - v.ground, before_[s], after_[s + 1]});
    raised_[s] = least <= sky_.spare[s] ? v.ground + least : -1;
  }
  return true;
}

/// Which buffers and empty places can be part of a row that covers the ground from side to side. False: there is none.
bool Chooser::tile(const Valley& v) {
  firm_[v.first] = 0;
  for (int s = v.first; s < v.end; ++s) firm_[s + 1] = firm_[s] + !sky_.hollow[s];
  tiles_.clear();
  for (const int i : inside_)
    if (firm_[sky_.end[i]] > firm_[sky_.first[i]] && sky_.may_lie(i, v.ground)) tiles_.push_back(i);
  std::fill(from_left_.begin() + v.first, from_left_.begin() + v.end + 1, char{0});
  std::fill(from_right_.begin() + v.first, from_right_.begin() + v.end + 1, char{0});
  from_left_[v.first] = from_right_[v.end] = 1;
  auto next = tiles_.begin();  // ascending by their begin
  for (int s = v.first; s < v.end; ++s) {
    for (; next != tiles_.end() && sky_.first[*next] == s; ++next)
      if (from_left_[s]) from_left_[sky_.end[*next]] = 1;
    if (from_left_[s] && raised_[s] >= 0) from_left_[s + 1] = 1;
  }
  if (!from_left_[v.end]) return false;
  auto last = tiles_.rbegin();
  for (int s = v.end; s-- > v.first;) {
    if (from_right_[s + 1] && raised_[s] >= 0) from_right_[s] = 1;
    for (; last != tiles_.rend() && sky_.first[*last] == s; ++last)
      if (from_right_[sky_.end[*last]]) from_right_[s] = 1;
  }
  std::erase_if(tiles_, [&](int i) { return !from_left_[sky_.first[i]] || !from_right_[sky_.end[i]]; });
  return true;
}

/// The section with the fewest possibilities.
void Chooser::count(const Valley& v) {
  std::fill(number_.begin() + v.first, number_.begin() + v.end + 1, 0);
  for (const int i : tiles_) ++number_[sky_.first[i]], --number_[sky_.end[i]];
  int buffers = 0;
  for (int s = v.first; s < v.end; ++s) {
    buffers += number_[s];
    const int possibilities = buffers + (raised_[s] >= 0 && from_left_[s] && from_right_[s + 1]);
    const auto all = possibilities <= 1 ? 0 : possibilities * kScale / weight_[s];
    const bool better = section_ < 0 || all < least_ || (all == least_ && v.ground < at_.ground);
    if (better) section_ = s, least_ = all, at_ = v;
  }
}

}  // namespace dse::plan::alloc
