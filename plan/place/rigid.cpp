#include "plan/place/rigid.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <unordered_map>

#include "base/diagnostics.h"
#include "base/units.h"

namespace dse::plan::shared {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// meetings() of any two shapes, worked out once.
class Meetings {
 public:
  explicit Meetings(std::span<const Piece> pieces) : pieces_(pieces) {
    for (const Piece& p : pieces) first_.push_back(count_), count_ += p.shapes.size();
  }
  const Intervals& of(std::size_t i, int shape, std::size_t k, int other) {
    const auto a = first_[i] + static_cast<std::size_t>(shape), b = first_[k] + static_cast<std::size_t>(other);
    const auto [at, fresh] = known_.try_emplace(a * count_ + b);
    if (fresh)
      at->second = meetings(pieces_[i].shapes[static_cast<std::size_t>(shape)],
                            pieces_[k].shapes[static_cast<std::size_t>(other)]);
    return at->second;  // stays where it is
  }

 private:
  std::span<const Piece> pieces_;
  std::vector<std::size_t> first_;  // by piece: the number of its first shape
  std::size_t count_ = 0;
  std::unordered_map<std::size_t, Intervals> known_;
};

/// Pieces in chosen shapes, and where they lie when they are placed one after the other.
class Placer {
 public:
  Placer(std::span<const Piece> pieces, std::vector<int> shapes, Meetings& meetings)
      : pieces_(pieces),
        meetings_(meetings),
        shapes_(std::move(shapes)),
        offsets_(pieces.size()),
        heights_(pieces.size() + 1),
        meet_(pieces.size() * pieces.size()),
        neighbours_(pieces.size()),
        rank_(pieces.size()) {
    find_neighbours();
    for (std::size_t i = 0; i < pieces.size(); ++i) tops_.push_back(top(i));
    for (std::size_t i = 0; i < pieces.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) relate(i, k);
  }

  void set(std::size_t piece, int shape) {
    shapes_[piece] = shape;
    tops_[piece] = top(piece);
    for (std::size_t k = 0; k < pieces_.size(); ++k)
      if (k != piece) relate(piece, k);
  }

  /// The height; above `cap` the placement may be unfinished. The first `same` pieces of the order, and their shapes,
  /// are those of the placement that was kept.
  std::int64_t place(const std::vector<std::size_t>& order, std::int64_t cap, std::size_t same = 0) {
    std::int64_t height = heights_[same];
    for (std::size_t n = 0; n < order.size(); ++n) rank_[order[n]] = n;
    for (std::size_t n = same; n < order.size() && height <= cap; ++n) {
      const auto piece = order[n];
      taken_.clear();
      for (const auto k : neighbours_[piece]) {
        if (rank_[k] >= n) continue;
        const auto other = offsets_[k];
        for (const auto& [low, high] : *meet_[k * pieces_.size() + piece])
          if (high + other > 0) taken_.emplace_back(low + other, high + other);
      }
      std::sort(taken_.begin(), taken_.end());
      std::int64_t at = 0, reach = 0;  // the furthest end of the intervals that begin below `at`
      const auto alignment = pieces_[piece].alignment;
      for (auto next = taken_.begin();;) {
        for (; next != taken_.end() && next->first < at; ++next) reach = std::max(reach, next->second);
        if (reach <= at) break;
        at = round_up(reach, alignment);
      }
      offsets_[piece] = at;
      height = std::max(height, at + tops_[piece]);
      heights_[n + 1] = height;
    }
    return height;
  }
  void keep() { kept_ = {offsets_, heights_}; }
  void back() { std::tie(offsets_, heights_) = kept_; }

  const std::vector<int>& shapes() const { return shapes_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  std::int64_t end(std::size_t piece) const { return offsets_[piece] + tops_[piece]; }

 private:
  const Shape& shape(std::size_t i) const { return pieces_[i].shapes[static_cast<std::size_t>(shapes_[i])]; }
  std::int64_t top(std::size_t i) const {
    std::int64_t out = 0;
    for (const Taken& t : shape(i).taken) out = std::max(out, t.end);
    return out;
  }
  /// Pairs that live at the same time in some of their shapes: few, where many layers follow each other.
  void find_neighbours() {
    std::vector<std::pair<int, int>> lives;
    for (const Piece& p : pieces_) {
      auto& life = lives.emplace_back(std::numeric_limits<int>::max(), 0);
      for (const Shape& s : p.shapes)
        for (const Taken& t : s.taken) life = {std::min(life.first, t.from), std::max(life.second, t.to)};
    }
    for (std::size_t i = 0; i < lives.size(); ++i)
      for (std::size_t k = 0; k < lives.size(); ++k)
        if (i != k && lives[i].first < lives[k].second && lives[k].first < lives[i].second) neighbours_[i].push_back(k);
  }
  void relate(std::size_t i, std::size_t k) {
    meet_[i * pieces_.size() + k] = &meetings_.of(i, shapes_[i], k, shapes_[k]);
    meet_[k * pieces_.size() + i] = &meetings_.of(k, shapes_[k], i, shapes_[i]);
  }

  std::span<const Piece> pieces_;
  Meetings& meetings_;
  std::vector<int> shapes_;
  std::vector<std::int64_t> offsets_, tops_;
  std::vector<std::int64_t> heights_;                                     // by number of pieces of the order
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> kept_;  // offsets_ and heights_
  std::vector<const Intervals*> meet_;                // by piece and piece: distances of the second from the first
  std::vector<std::vector<std::size_t>> neighbours_;  // by piece
  std::vector<std::size_t> rank_;                     // by piece: its place in the order
  Intervals taken_;
};

/// Accepts what is no worse: orders that differ without effect are many.
class Search {
 public:
  Search(std::span<const Piece> pieces, std::int64_t enough, std::uint64_t seed)
      : pieces_(pieces), enough_(enough), meetings_(pieces), random_(seed) {}

  /// From any shapes, or the first ones.
  void start(std::vector<std::size_t> order, std::int64_t moves, bool any_shapes) {
    order_ = std::move(order);
    std::vector<int> shapes(pieces_.size(), 0);
    for (std::size_t i = 0; i < shapes.size() && any_shapes; ++i)
      shapes[i] = static_cast<int>(pick(pieces_[i].shapes.size()));
    Placer placer(pieces_, std::move(shapes), meetings_);
    height_ = placer.place(order_, kMost);
    keep(placer);
    for (std::int64_t m = 0; m < moves && best.height > enough_; ++m) move(placer);
  }

  RigidLayout best{{}, {}, kMost};

 private:
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  void move(Placer& placer) {
    const auto before = order_;
    std::size_t changed = pieces_.size(), same = 0;
    int old = 0;
    const auto to_front = [&](std::size_t at) {
      const auto piece = order_[at];
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(at));
      same = pick(at + 1);
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(same), piece);
    };
    const auto place_of = [&](std::size_t piece) {
      return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), piece) - order_.begin());
    };
    switch (pick(4)) {
      case 0: {
        const auto one = pick(order_.size()), other = pick(order_.size());
        std::swap(order_[one], order_[other]);
        same = std::min(one, other);
        break;
      }
      case 1:
        to_front(pick(order_.size()));
        break;
      case 2:  // the one that reaches highest
        to_front(place_of(highest_));
        break;
      default: {
        changed = pick(pieces_.size());
        const auto shapes = pieces_[changed].shapes.size();
        if (shapes < 2) return;
        old = placer.shapes()[changed];
        placer.set(changed, static_cast<int>(pick(shapes)));
        same = place_of(changed);
      }
    }
    const auto height = placer.place(order_, height_, same);
    if (height <= height_) {
      height_ = height;
      keep(placer);
      return;
    }
    order_ = before;
    placer.back();
    if (changed < pieces_.size()) placer.set(changed, old);
  }

  void keep(Placer& placer) {
    placer.keep();
    highest_ = 0;
    for (std::size_t i = 1; i < pieces_.size(); ++i)
      if (placer.end(i) > placer.end(highest_)) highest_ = i;
    if (height_ < best.height) best = {placer.shapes(), placer.offsets(), height_};
  }

  std::span<const Piece> pieces_;
  std::int64_t enough_, height_ = kMost;
  Meetings meetings_;
  std::size_t highest_ = 0;
  std::vector<std::size_t> order_;
  std::mt19937_64 random_;
};

}  // namespace

RigidLayout place_rigid(std::span<const Piece> pieces, std::span<const std::int64_t> hint, std::int64_t enough,
                        const RigidEffort& effort) {
  ensure(hint.empty() || hint.size() == pieces.size(), "rigid shapes: a hint per piece");
  for (const Piece& p : pieces) ensure(!p.shapes.empty() && p.alignment > 0, "rigid shapes: a piece without shapes");
  if (pieces.empty()) return {};
  std::vector<std::int64_t> volume;
  for (const Piece& p : pieces) {
    volume.push_back(0);
    for (const Taken& t : p.shapes[0].taken) volume.back() += (t.to - t.from) * (t.end - t.begin);
  }
  std::vector<std::size_t> order(pieces.size());
  // Of plans that differ a little the searches differ, so that the best of many profits.
  std::uint64_t seed = pieces.size();
  for (const auto v : volume) seed = seed * 1099511628211ull + static_cast<std::uint64_t>(v);
  Search search(pieces, enough, seed);
  for (int s = 0; s < effort.starts && search.best.height > enough; ++s) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return s % 2 == 0 && !hint.empty() ? hint[a] < hint[b] : volume[a] > volume[b];
    });
    search.start(order, effort.moves, s > 1);
  }
  return std::move(search.best);
}

}  // namespace dse::plan::shared
