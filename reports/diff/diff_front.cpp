#include "reports/diff/diff_front.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace dse::reports {
namespace {

/// Marks of the front's points, then origins of the marked ones; several of one origin are numbered.
std::map<std::string, explore::Point> named_points(const explore::Front& front, std::vector<std::string>& order) {
  std::map<std::string, explore::Point> out;
  const auto add = [&](const std::string& name, const explore::Point& p) {
    if (!out.emplace(name, p).second) return false;
    if (std::count(order.begin(), order.end(), name) == 0) order.push_back(name);
    return true;
  };
  for (const char* mark : {"smallest", "knee", "fastest"})
    for (const auto& p : front.points)
      for (const auto& m : p.marks)
        if (m == mark) add(mark, p);
  for (const auto& p : front.marked)
    for (int n = 1; !add(n == 1 ? p.origin : fmt::format("{} ({})", p.origin, n), p); ++n) {
    }
  return out;
}

/// (x, y) by rising x and falling y: at x or more, y can be had.
using Stairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

Stairs stairs_of(Stairs points) {
  std::sort(points.begin(), points.end());
  Stairs out;
  for (const auto& p : points)
    if (out.empty() || p.second < out.back().second) {
      if (!out.empty() && out.back().first == p.first) out.pop_back();
      out.push_back(p);
    }
  return out;
}

std::int64_t height(const Stairs& s, std::int64_t x) {
  std::int64_t y = s.front().second;
  for (const auto& [at, value] : s)
    if (at <= x) y = value;
  return y;
}

std::optional<FrontDiff::Along> along(const Stairs& a, const Stairs& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  FrontDiff::Along out;
  out.from = std::max(a.front().first, b.front().first);
  out.to = std::max(a.back().first, b.back().first);
  std::set<std::int64_t> steps = {out.from, out.to};
  for (const auto* s : {&a, &b})
    for (const auto& [x, y] : *s)
      if (x > out.from) steps.insert(x);
  long double area_a = 0, area_b = 0;
  out.least = std::numeric_limits<double>::infinity(), out.most = -out.least;
  for (auto it = steps.begin(); it != steps.end(); ++it) {
    const auto next = std::next(it);
    const auto ya = static_cast<long double>(height(a, *it)), yb = static_cast<long double>(height(b, *it));
    const auto width = static_cast<long double>(next == steps.end() ? (steps.size() == 1 ? 1 : 0) : *next - *it);
    area_a += width * ya, area_b += width * yb;
    const auto ratio = ya > 0 ? static_cast<double>((yb - ya) / ya) : 0;
    if (ratio < out.least) out.least = ratio, out.least_at = *it;
    if (ratio > out.most) out.most = ratio, out.most_at = *it;
  }
  out.mean = area_a > 0 ? static_cast<double>((area_b - area_a) / area_a) : 0;
  return out;
}

/// Memory against time, or time against memory, in common units.
Stairs stairs(const std::vector<explore::Point>& points, std::int64_t per_tick, bool by_memory) {
  Stairs out;
  for (const auto& p : points)
    if (p.latency_ticks > 0)
      out.emplace_back(by_memory ? p.memory_bytes : p.latency_ticks * per_tick,
                       by_memory ? p.latency_ticks * per_tick : p.memory_bytes);
  return stairs_of(std::move(out));
}

}  // namespace

FrontDiff diff_fronts(const explore::Front& a, const explore::Front& b) {
  FrontDiff out;
  out.a = a, out.b = b;
  std::vector<std::string> order;
  const auto named_a = named_points(a, order), named_b = named_points(b, order);
  for (const auto& name : order) {
    FrontDiff::Named row{name, {}, {}};
    if (const auto it = named_a.find(name); it != named_a.end()) row.a = it->second;
    if (const auto it = named_b.find(name); it != named_b.end()) row.b = it->second;
    out.named.push_back(std::move(row));
  }
  const auto &points_a = a.points, &points_b = b.points;
  Pair slowest;
  for (const auto& p : points_a) slowest.a = std::max(slowest.a, p.latency_ticks);
  for (const auto& p : points_b) slowest.b = std::max(slowest.b, p.latency_ticks);
  out.time = common_time(a.tick_hz, b.tick_hz, slowest);
  const bool by_id = a.network_hash == b.network_hash && a.device_hash == b.device_hash;
  std::set<std::size_t> met;
  for (const auto& p : points_a) {
    const auto same = [&](const explore::Point& q) {
      return by_id ? q.id == p.id
                   : q.memory_bytes == p.memory_bytes &&
                         p.latency_ticks * out.time.per_tick.a == q.latency_ticks * out.time.per_tick.b;
    };
    const auto it = std::find_if(points_b.begin(), points_b.end(), same);
    if (it == points_b.end())
      out.only_a.push_back(p);
    else
      met.insert(static_cast<std::size_t>(it - points_b.begin())), ++out.in_both;
  }
  for (std::size_t i = 0; i < points_b.size(); ++i)
    if (met.count(i) == 0) out.only_b.push_back(points_b[i]);
  if (out.time.per_second == 0) return out;
  const auto &ta = out.time.per_tick.a, &tb = out.time.per_tick.b;
  out.latency_at_equal_memory = along(stairs(points_a, ta, true), stairs(points_b, tb, true));
  out.memory_at_equal_latency = along(stairs(points_a, ta, false), stairs(points_b, tb, false));
  return out;
}

bool FrontDiff::equal() const {
  const auto same = [&](const Named& n) {
    return n.a && n.b && n.a->memory_bytes == n.b->memory_bytes && n.a->latency_ticks == n.b->latency_ticks &&
           n.a->latency_us == n.b->latency_us && n.a->id == n.b->id;
  };
  return only_a.empty() && only_b.empty() && a.area_mm2 == b.area_mm2 && a.network == b.network &&
         a.device == b.device && a.infeasible_reason == b.infeasible_reason &&
         std::all_of(named.begin(), named.end(), same);
}

FrontPairs pair_fronts(const std::vector<RecordedFront>& fronts_a, const std::vector<RecordedFront>& fronts_b) {
  FrontPairs out;
  for (std::size_t i = 0; i < fronts_a.size(); ++i) out.only_a.push_back(i);
  for (std::size_t i = 0; i < fronts_b.size(); ++i) out.only_b.push_back(i);
  using Label = std::string explore::Front::*;
  /// Pairs what agrees in these labels and is the only one that does so on its side.
  const auto pair_by = [&](const std::vector<Label>& labels) {
    const auto agree = [&](const RecordedFront& x, const RecordedFront& y) {
      return std::all_of(labels.begin(), labels.end(), [&](Label l) { return x.front.*l == y.front.*l; });
    };
    const auto alone = [&](const std::vector<RecordedFront>& fronts, const std::vector<std::size_t>& rest,
                           const RecordedFront& like) {
      return std::count_if(rest.begin(), rest.end(), [&](std::size_t i) { return agree(fronts[i], like); }) == 1;
    };
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const auto i : out.only_a)
      for (const auto j : out.only_b)
        if (agree(fronts_a[i], fronts_b[j]) && alone(fronts_a, out.only_a, fronts_a[i]) &&
            alone(fronts_b, out.only_b, fronts_a[i]))
          found.emplace_back(i, j);
    for (const auto& [i, j] : found) {
      out.pairs.emplace_back(i, j);
      out.only_a.erase(std::find(out.only_a.begin(), out.only_a.end(), i));
      out.only_b.erase(std::find(out.only_b.begin(), out.only_b.end(), j));
    }
  };
  pair_by({&explore::Front::network, &explore::Front::device});
  pair_by({&explore::Front::network});
  pair_by({&explore::Front::device});
  pair_by({});
  std::sort(out.pairs.begin(), out.pairs.end());
  return out;
}

std::vector<WordPair> diff_provenance(const explore::Provenance& a, const explore::Provenance& b) {
  std::vector<WordPair> out;
  const auto compare = [&](const std::string& name, const std::string& in_a, const std::string& in_b) {
    if (in_a != in_b) out.push_back({name, in_a, in_b});
  };
  compare("version", a.version, b.version);
  compare("command_line", a.command_line, b.command_line);
  std::set<std::string> files;
  for (const auto* side : {&a, &b})
    for (const auto& [file, hash] : side->inputs) files.insert(file);
  const auto hash_in = [](const explore::Provenance& p, const std::string& file) {
    const auto it = p.inputs.find(file);
    return it == p.inputs.end() ? std::string() : it->second.substr(0, 16);
  };
  for (const auto& file : files) compare(file, hash_in(a, file), hash_in(b, file));
  return out;
}

}  // namespace dse::reports
