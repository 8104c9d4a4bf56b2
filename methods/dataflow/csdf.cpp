#include "methods/dataflow/csdf.h"

#include <fmt/format.h>

#include <numeric>
#include <queue>

namespace dse::plan::phases {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); }

__extension__ typedef __int128 Wide;  // products of two 63-bit numbers

/// A positive rational, reduced. Numbers that leave 62 bits become invalid instead of wrong.
struct Ratio {
  std::int64_t over = 0, under = 1;
  bool valid() const { return over > 0; }
};

Ratio scaled(const Ratio& r, std::int64_t by, std::int64_t per) {
  constexpr auto limit = std::int64_t{1} << 62;
  Wide over = static_cast<Wide>(r.over) * by, under = static_cast<Wide>(r.under) * per;
  Wide a = over, b = under;
  while (b != 0) std::swap(a %= b, b);
  over /= a, under /= a;
  if (over > limit || under > limit) return {};
  return {static_cast<std::int64_t>(over), static_cast<std::int64_t>(under)};
}

struct Unbalanced {
  const CsdfGraph& g;
  std::string operator()(const CsdfChannel& c, const Ratio& from, const Ratio& to) const {
    return fmt::format("channel '{}' does not balance: '{}' makes {} tokens in {}/{} cycles, '{}' takes {} in {}/{}",
                       c.name, g.actors[static_cast<std::size_t>(c.from)].name, sum(c.production), from.over,
                       from.under, g.actors[static_cast<std::size_t>(c.to)].name, sum(c.consumption), to.over,
                       to.under);
  }
};

/// Cycles of every actor relative to the first of its component; `at`: the channel looked at last. @returns what does
/// not fit, empty when all does.
std::string relative_cycles(const CsdfGraph& g, std::vector<Ratio>& cycles, int& at) {
  std::vector<std::vector<int>> touching(g.actors.size());
  for (std::size_t i = 0; i < g.channels.size(); ++i) {
    touching[static_cast<std::size_t>(g.channels[i].from)].push_back(static_cast<int>(i));
    touching[static_cast<std::size_t>(g.channels[i].to)].push_back(static_cast<int>(i));
  }
  cycles.assign(g.actors.size(), {});
  for (std::size_t first = 0; first < g.actors.size(); ++first) {
    if (cycles[first].valid()) continue;
    cycles[first] = {1, 1};
    std::queue<std::size_t> open({first});
    for (; !open.empty(); open.pop())
      for (const int i : touching[open.front()]) {
        const auto& c = g.channels[static_cast<std::size_t>(at = i)];
        const auto from = static_cast<std::size_t>(c.from), to = static_cast<std::size_t>(c.to);
        const auto made = sum(c.production), taken = sum(c.consumption);
        if (made == 0 && taken == 0) continue;
        if (made == 0 || taken == 0) return Unbalanced{g}(c, {1, 1}, {1, 1});
        const bool forward = open.front() == from;
        const auto other = forward ? to : from;
        const Ratio want = forward ? scaled(cycles[from], made, taken) : scaled(cycles[to], taken, made);
        if (!want.valid())
          return fmt::format("the rates of channel '{}' need more than {} cycles", c.name, max_firings);
        if (!cycles[other].valid()) {
          cycles[other] = want, open.push(other);
        } else if (cycles[other].over != want.over || cycles[other].under != want.under) {
          return Unbalanced{g}(c, cycles[from], cycles[to]);
        }
      }
  }
  return {};
}

}  // namespace

Repetition repetition_vector(const CsdfGraph& g) {
  std::vector<Ratio> cycles;
  int at = -1;
  if (auto why = relative_cycles(g, cycles, at); !why.empty()) return {{}, std::move(why), at};
  const auto beyond = fmt::format("one iteration has more than {} firings", max_firings);
  Wide common = 1;
  for (const auto& r : cycles) {
    common = common / std::gcd(static_cast<std::int64_t>(common), r.under) * r.under;
    if (common > (std::int64_t{1} << 62)) return {{}, beyond, -1};
  }
  std::vector<std::int64_t> q;
  std::int64_t divisor = 0;
  for (const auto& r : cycles) {
    const Wide n = common / r.under * r.over;
    if (n > (std::int64_t{1} << 62)) return {{}, beyond, -1};
    q.push_back(static_cast<std::int64_t>(n));
    divisor = std::gcd(divisor, q.back());
  }
  std::int64_t firings = 0;
  for (std::size_t a = 0; a < q.size(); ++a) {
    q[a] /= divisor;
    if (q[a] > max_firings / g.actors[a].phases) return {{}, beyond, -1};
    if ((firings += q[a] * g.actors[a].phases) > max_firings) return {{}, beyond, -1};
  }
  Wide bytes = 0;
  for (const auto& c : g.channels) {
    const auto made = sum(c.production), runs = q[static_cast<std::size_t>(c.from)];
    if (made > 0 && runs > max_tokens / made)
      return {{}, fmt::format("channel '{}' carries more than {} tokens in an iteration", c.name, max_tokens), -1};
    bytes += static_cast<Wide>(c.initial_tokens + made * runs) * c.token_bytes;
  }
  if (bytes > max_bytes)
    return {{}, fmt::format("the channels carry more than {} bytes in an iteration", max_bytes), -1};
  return {std::move(q), {}, -1};
}

Flow literal_flow(const CsdfGraph& g, const Repetition& r) {
  const auto sums = [](std::vector<std::int64_t> v) {
    std::partial_sum(v.begin(), v.end(), v.begin());
    return v;
  };
  Flow f;
  for (std::size_t a = 0; a < g.actors.size(); ++a)
    f.actors.push_back({g.actors[a].name, r.cycles[a] * g.actors[a].phases});
  for (const auto& c : g.channels) {
    const auto taken = sums(c.consumption);
    f.channels.push_back({c.name, c.from, c.to, sums(c.production), taken, taken, c.initial_tokens, c.token_bytes});
  }
  f.index();
  return f;
}

std::vector<Firing> deadlock(const Flow& f) {
  Progress at(f);
  std::vector<int> ready;
  for (std::size_t a = f.actors.size(); a-- > 0;) ready.push_back(static_cast<int>(a));
  const auto can_fire = [&](int a) {
    if (at.done(f, a)) return false;
    for (const int c : f.ins[static_cast<std::size_t>(a)])
      if (!at.has_tokens(f.channels[static_cast<std::size_t>(c)])) return false;
    return true;
  };
  while (!ready.empty()) {
    const int a = ready.back();
    ready.pop_back();
    bool any = false;
    while (can_fire(a)) at.fire(a), any = true;
    if (any)
      for (const int c : f.outs[static_cast<std::size_t>(a)])
        ready.push_back(f.channels[static_cast<std::size_t>(c)].to);
  }
  std::vector<Firing> stuck;
  for (std::size_t a = 0; a < f.actors.size(); ++a)
    if (!at.done(f, static_cast<int>(a))) stuck.push_back({static_cast<int>(a), at.fired(static_cast<int>(a)) + 1});
  return stuck;
}

}  // namespace dse::plan::phases
