#include "tests/support/packings.h"

#include <algorithm>
#include <array>
#include <random>

namespace dse::test {
namespace {

/// Steps [left, right) and units [low, high).
struct Piece {
  std::int64_t left = 0, right = 0, low = 0, high = 0;
  std::int64_t steps() const { return right - left; }
  std::int64_t units() const { return high - low; }
};

class Knife {
 public:
  explicit Knife(const Cut& cut) : cut_(cut), random_(cut.seed * 2 + 1) {
    pieces_.push_back({0, cut.steps, 0, cut.units});
    for (int idle = 0; static_cast<int>(pieces_.size()) < cut.pieces && idle < kMostIdle; ++idle) {
      const auto k = chosen();
      if (percent(cut.pinwheels) ? pinwheel(k) : straight(k)) idle = 0;
    }
    for (auto k = pieces_.size(); k > 1; --k) std::swap(pieces_[k - 1], pieces_[below(k)]);
  }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  static constexpr int kMostIdle = 10'000;

  std::size_t below(std::size_t n) { return random_() % n; }
  bool percent(int share) { return static_cast<int>(below(100)) < share; }
  /// In low + 1 .. high - 1.
  std::int64_t inside(std::int64_t low, std::int64_t high) {
    const auto quarter = cut_.even ? (high - low) / 4 : 0;
    low += quarter, high -= quarter;
    return low + 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low - 1)));
  }
  /// In low + 1 .. high - 1, two of them, ascending.
  std::pair<std::int64_t, std::int64_t> two_inside(std::int64_t low, std::int64_t high) {
    const auto a = inside(low, high - 1);
    return {a, a + 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - a - 1)))};
  }
  std::size_t chosen() {
    if (!percent(cut_.largest)) return below(pieces_.size());
    const auto area = [](const Piece& p) { return p.steps() * p.units(); };
    return static_cast<std::size_t>(
        std::max_element(pieces_.begin(), pieces_.end(),
                         [&](const Piece& a, const Piece& b) { return area(a) < area(b); }) -
        pieces_.begin());
  }

  bool straight(std::size_t k) {
    Piece rest = pieces_[k];
    const bool across = percent(cut_.across) ? rest.steps() > 1 : rest.units() <= 1;
    if ((across ? rest.steps() : rest.units()) <= 1) return false;
    if (across)
      pieces_[k].right = rest.left = inside(rest.left, rest.right);
    else
      pieces_[k].high = rest.low = inside(rest.low, rest.high);
    pieces_.push_back(rest);
    return true;
  }

  bool pinwheel(std::size_t k) {
    const Piece p = pieces_[k];
    if (p.steps() < 3 || p.units() < 3) return false;
    const auto [left, right] = two_inside(p.left, p.right);
    const auto [low, high] = two_inside(p.low, p.high);
    pieces_[k] = {left, right, low, high};
    if (below(2) == 0) {
      pieces_.insert(pieces_.end(), {{p.left, right, p.low, low}, {right, p.right, p.low, high}});
      pieces_.insert(pieces_.end(), {{left, p.right, high, p.high}, {p.left, left, low, p.high}});
    } else {
      pieces_.insert(pieces_.end(), {{left, p.right, p.low, low}, {p.left, left, p.low, high}});
      pieces_.insert(pieces_.end(), {{p.left, right, high, p.high}, {right, p.right, low, p.high}});
    }
    return true;
  }

  const Cut cut_;
  std::mt19937_64 random_;  // its numbers are the same everywhere; those of distributions are not
  std::vector<Piece> pieces_;
};

}  // namespace

Packing perfect_packing(const Cut& cut) {
  Packing out{cut, {}, cut.units * cut.alignment};
  const Knife knife(cut);
  for (const Piece& p : knife.pieces())
    out.buffers.push_back(
        {std::to_string(out.buffers.size()), p.left, p.right, p.units() * cut.alignment, cut.alignment, {}, {}});
  return out;
}

Cut any_cut(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](const auto& list) { return list[random() % list.size()]; };
  Cut cut;
  cut.seed = seed;
  cut.pieces = 100 + static_cast<int>(random() % 398);
  cut.steps = one_of(std::array<std::int64_t, 5>{30, 100, 300, 1000, 1'000'000});
  cut.units = one_of(std::array<std::int64_t, 5>{64, 256, 1024, 16'384, 1'000'003});
  cut.alignment = one_of(std::array<std::int64_t, 4>{1, 1, 16, 1024});
  cut.across = one_of(std::array{25, 50, 50, 75});
  cut.pinwheels = one_of(std::array{0, 10, 30, 60});
  cut.largest = one_of(std::array{0, 50, 90, 100});
  cut.even = random() % 3 == 0;
  return cut;
}

}  // namespace dse::test
