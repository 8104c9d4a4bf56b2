#include "plan/alloc/valleys/borders.h"

#include <algorithm>

namespace dse::plan::alloc {

Borders::Borders(const Skyline& skyline) : sky_(skyline), ends_(skyline.line.size() + 1), known_(kKnown) {
  for (const auto& begins : sky_.begins)
    for (const int i : begins) ends_[sky_.end[i]].push_back(i);
}

std::int64_t Borders::across(int border) {
  const auto left = sky_.line[border - 1], right = sky_.line[border], highest = std::max(left, right);
  if (left == right || sky_.spare[border - 1] != 0 || sky_.spare[border] != 0) return highest;
  std::uint64_t key =
      static_cast<std::uint64_t>(left - right) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(border);
  const auto add = [&](const std::vector<int>& buffers) {
    for (const int i : buffers)
      if (sky_.open[i]) key = (key ^ (key >> 29) ^ static_cast<std::uint64_t>(i + 1)) * 0xBF58476D1CE4E5B9u;
  };
  add(ends_[border]);
  add(sky_.begins[border]);
  key ^= key >> 31;
  Known& known = known_[key % kKnown];
  if (known.key != key || key == 0) known = {key, meeting(border) - left};
  return left + known.height;
}

std::int64_t Borders::meeting(int border) {
  const auto left = sky_.line[border - 1], right = sky_.line[border], highest = std::max(left, right);
  left_.clear(left), right_.clear(right);
  const auto too_many = [&] {
    work_ += left_.work() + right_.work();
    return highest;
  };
  for (const int i : ends_[border])
    if (sky_.open[i] && !left_.extend(sky_.size[i])) return too_many();
  for (const int i : sky_.begins[border])
    if (sky_.open[i] && !right_.extend(sky_.size[i])) return too_many();
  work_ += left_.work() + right_.work();
  return std::max(highest, Sums::common(left_, right_).second);
}

}  // namespace dse::plan::alloc
