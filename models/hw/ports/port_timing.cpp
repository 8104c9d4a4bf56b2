#include "models/hw/ports/port_timing.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/diagnostics.h"

namespace dse::hw {

namespace {
constexpr std::int64_t kLcm = 720720;  // lcm(1..16)
static_assert(kMaxFlows == 16);

}  // namespace

void PortTiming::configure(Ratio rate, int banks) {
  ensure(rate.num >= 0 && rate.den > 0 && banks >= 1, "port: rate and banks must be positive");
  const std::int64_t g = std::gcd(rate.num, rate.den);
  std::int64_t p = rate.num / g, q = rate.den / g;
  while (q * banks > 65536) p = p > 1 ? p / 2 : p, q = (q + 1) / 2;
  ensure(p <= 65536 * std::int64_t{4096}, "port: too wide");
  unit_ = Units{q} * kLcm * banks;
  per_tick_[0] = 0;
  for (int n = 1; n <= kMaxFlows; ++n)
    per_tick_[static_cast<std::size_t>(n)] = Units{p} * (kLcm / n) * (n >= 2 && banks > 1 ? banks - 1 : banks);
  reset();
}

void PortTiming::reset() {
  state_.time = 0, state_.active = state_.pending = 0;
  members_ = 0;
  levels_ = false;
  next_ = kNever;
}

inline __attribute__((always_inline)) PortTiming::Moving PortTiming::moving(const State& s) const {
  if (!levels_) return {0, s.active};
  Moving out{std::numeric_limits<int>::min(), 0};
  for (int i = 0; i < s.active; ++i) {
    const int level = s.a[static_cast<std::size_t>(i)].level;
    if (level > out.level) out = {level, 0};
    out.count += level == out.level;
  }
  return out;
}

inline __attribute__((always_inline)) Tick PortTiming::next_event(const State& s) const {
  Tick t = kNever;
  for (int i = 0; i < s.pending; ++i) t = std::min(t, s.p[static_cast<std::size_t>(i)].at);
  if (s.active > 0) {
    const Moving m = moving(s);
    Units left = std::numeric_limits<Units>::max();
    for (int i = 0; i < s.active; ++i)
      if (const Flow& f = s.a[static_cast<std::size_t>(i)]; f.level == m.level) left = std::min(left, f.left);
    const Units speed = per_tick_[static_cast<std::size_t>(m.count)];
    if (speed > 0) t = std::min(t, s.time + ceil_div(left, speed));
  }
  return t;
}

inline __attribute__((always_inline)) std::uint32_t PortTiming::step(State& s, Tick to) const {
  std::uint32_t ended = 0;
  const Moving m = moving(s);
  const Units moved = per_tick_[static_cast<std::size_t>(m.count)] * (to - s.time);
  s.time = to;
  int kept = 0;
  for (int i = 0; i < s.active; ++i) {
    Flow f = s.a[static_cast<std::size_t>(i)];
    if (f.level == m.level) f.left -= moved;
    if (f.left <= 0)
      ended |= 1u << f.id;
    else
      s.a[static_cast<std::size_t>(kept++)] = f;
  }
  s.active = kept;
  for (int i = 0; i < s.pending;)
    if (s.p[static_cast<std::size_t>(i)].at <= to) {
      s.a[static_cast<std::size_t>(s.active++)] = s.p[static_cast<std::size_t>(i)];
      s.p[static_cast<std::size_t>(i)] = s.p[static_cast<std::size_t>(--s.pending)];
    } else {
      ++i;
    }
  return ended;
}

void PortTiming::join(int id, Tick now, Tick at, std::int64_t bytes, int level) {
  for (; next_ <= now; next_ = next_event(state_)) members_ &= ~step(state_, next_);
  if (now > state_.time) step(state_, now);
  const std::uint32_t bit = 1u << id;
  ensure(!(members_ & bit) && bytes > 0, "port: flow joins twice or is empty");
  ensure(state_.active + state_.pending < kMaxFlows, "port: too many flows at a time");
  const bool alone = members_ == 0;
  levels_ |= level != 0;
  members_ |= bit;
  Units units;
  if (__builtin_mul_overflow(unit_, bytes, &units) || units > std::numeric_limits<Units>::max() / 4)
    throw InvariantError("port: flow is too large");
  if (alone) state_.time = now;
  if (at <= state_.time)
    state_.a[static_cast<std::size_t>(state_.active++)] = {id, level, units, at};
  else
    state_.p[static_cast<std::size_t>(state_.pending++)] = {id, level, units, at};
  if (alone) {  // nothing to simulate
    const Tick end = per_tick_[1] > 0 ? at + ceil_div(units, per_tick_[1]) : kNever;
    finish_[static_cast<std::size_t>(id)] = end;
    next_ = at > now ? at : end;
  } else {
    predict();
  }
}

/// Two flows, the usual crowd, in closed form: the one that begins first is alone until the other does, both share the
/// port until the shorter one ends, and the rest of the longer one is alone again.
void PortTiming::predict_two() {
  const bool waits = state_.active < 2;  // the second has not begun
  const Flow *a = state_.active > 0 ? &state_.a[0] : &state_.p[0],
             *b = waits ? &state_.p[state_.active > 0 ? 0 : 1] : &state_.a[1];
  if (state_.active == 0 && b->at < a->at) std::swap(a, b);
  const Units alone = per_tick_[1], both = per_tick_[2];
  const Tick from = state_.active > 0 ? state_.time : a->at, together = waits ? b->at : state_.time;
  Tick &end_a = finish_[static_cast<std::size_t>(a->id)], &end_b = finish_[static_cast<std::size_t>(b->id)];
  Units left = a->left;
  next_ = state_.active == 0 ? from : together;
  if (together > from) {
    end_a = from + ceil_div(left, alone);
    if (end_a <= together) {
      end_b = together + ceil_div(b->left, alone);
      if (state_.active > 0) next_ = end_a;
      return;
    }
    left -= alone * (together - from);
  }
  const Tick first = together + ceil_div(std::min(left, b->left), both);
  const Units rest = std::max(left, b->left) - both * (first - together);
  const Tick second = rest > 0 ? first + ceil_div(rest, alone) : first;
  end_a = left <= b->left ? first : second;
  end_b = left <= b->left ? second : first;
  if (!waits) next_ = first;
}

void PortTiming::predict() {
  if (state_.active + state_.pending == 2 && per_tick_[2] > 0 && !levels_) return predict_two();
  State s;
  s.time = state_.time, s.active = state_.active, s.pending = state_.pending;
  std::copy_n(state_.a.begin(), s.active, s.a.begin());
  std::copy_n(state_.p.begin(), s.pending, s.p.begin());
  next_ = next_event(s);
  for (Tick t = next_; s.active + s.pending > 0; t = next_event(s)) {
    if (t == kNever) {
      for (int i = 0; i < s.active; ++i)
        finish_[static_cast<std::size_t>(s.a[static_cast<std::size_t>(i)].id)] = kNever;
      return;
    }
    for (std::uint32_t ended = step(s, t); ended; ended &= ended - 1)
      finish_[static_cast<std::size_t>(__builtin_ctz(ended))] = t;
  }
}

}  // namespace dse::hw
