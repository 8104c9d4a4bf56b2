// The arena allocator on problems as schedules of phases make them: rings that are needed while their segment runs, and
// whole tensors between segments that come in and are used up row by row.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "plan/alloc/allocate.h"
#include "plan/alloc/model.h"
#include "plan/alloc/validate.h"

namespace dse::plan::alloc::alloc_phases_test {
namespace {

/// A chain of 3-row convolutions of stride 1, run in segments: a layer asks for the rows that it needs, and makes one
/// row per step.
class Chain {
 public:
  Chain(int layers, std::int64_t rows, int segment_length, unsigned seed) : rows_(rows) {
    std::mt19937 rng(seed);
    for (int l = 0; l < layers; ++l) {
      segment_.push_back(l == 0 ? -1 : (l - 1) / segment_length);
      bytes_.push_back(16 * (1 + static_cast<std::int64_t>(rng() % 24)));
    }
    made_.assign(bytes_.size(), 0), made_[0] = rows;
    held_.resize(bytes_.size());
    for (int l = 1; l < layers; ++l)
      if (l + 1 == layers || segment_[l + 1] != segment_[l]) ask(l, rows - 1);
  }

  std::vector<Buffer> buffers() const {
    std::vector<Buffer> out;
    for (int l = 0; l < layers(); ++l) out.push_back(buffer(l));
    return out;
  }

 private:
  struct Rows {
    std::int64_t lo = 0, hi = 0;
    bool operator==(const Rows&) const = default;
  };

  int layers() const { return static_cast<int>(bytes_.size()); }
  std::int64_t first_needed(int l) const {
    if (l + 1 == layers()) return 0;
    return made_[l + 1] == rows_ ? rows_ : std::max<std::int64_t>(0, made_[l + 1] - 1);
  }
  void ask(int l, std::int64_t row) {
    for (std::int64_t y = made_[l]; y <= row; ++y) {
      if (segment_[l - 1] == segment_[l]) ask(l - 1, std::min(y + 1, rows_ - 1));
      std::vector<std::int64_t> low;
      for (int x = 0; x < layers(); ++x) low.push_back(first_needed(x));
      ++made_[l];
      for (int x = 0; x < layers(); ++x) held_[x].push_back({low[x], made_[x]});
    }
  }
  Buffer buffer(int l) const {
    const bool ring = l > 0 && l + 1 < layers() && segment_[l + 1] == segment_[l];
    std::int64_t most = ring ? 0 : rows_;
    for (const Rows& r : held_[l]) most = std::max(most, ring ? r.hi - r.lo : 0);
    Buffer b{"t" + std::to_string(l), -1, 0, most * bytes_[l], 16, {}, {}};
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(held_[l].size()); ++step) {
      Rows r = held_[l][step];
      if (r.lo >= r.hi) continue;
      if (ring) r = {0, most};
      if (b.lower < 0) b.lower = step;
      b.upper = step + 1;
      if (r == Rows{0, most}) continue;
      if (!b.gaps.empty() && b.gaps.back().upper == step && b.gaps.back().begin == r.lo * bytes_[l] &&
          b.gaps.back().end == r.hi * bytes_[l])
        ++b.gaps.back().upper;
      else
        b.gaps.push_back({step, step + 1, r.lo * bytes_[l], r.hi * bytes_[l]});
    }
    return b;
  }

  std::int64_t rows_;
  std::vector<int> segment_;
  std::vector<std::int64_t> bytes_, made_;
  std::vector<std::vector<Rows>> held_;  // per layer and step
};

TEST(AllocPhases, LayoutsAreValidAndBoundsBelowThem) {
  int proven = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto b =
        Chain(5 + static_cast<int>(seed % 12), 20 + 3 * seed, 1 + static_cast<int>(seed % 6), seed).buffers();
    ASSERT_TRUE(model_of(b).complete) << "seed " << seed;
    Effort effort;
    effort.nodes = 50'000;
    const Layout l = allocate(b, {}, effort);
    const Verdict v = validate(b, l.offsets);
    ASSERT_THAT(v.faults, testing::IsEmpty()) << "seed " << seed;
    EXPECT_EQ(v.height, l.height);
    EXPECT_EQ(v.load, l.load);
    EXPECT_LE(l.lower_bound, l.height);
    proven += l.optimal();
  }
  EXPECT_GE(proven, 15);
}

/// Input and output of one convolution share their rows but two: all heights are known.
TEST(AllocPhases, OneConvolutionNeedsTwoRowsMoreThanItsInput) {
  for (const std::int64_t rows : {3, 10, 100}) {
    auto b = Chain(2, rows, 1, 1).buffers();
    for (Buffer& x : b) {  // rows of the same size
      const auto row = x.size / rows;
      x.size = rows * 32;
      for (Gap& g : x.gaps) g.begin = g.begin / row * 32, g.end = g.end / row * 32;
    }
    const Layout l = allocate(b);
    EXPECT_TRUE(validate(b, l.offsets).valid());
    EXPECT_EQ(l.load, (rows + 2) * 32);
    EXPECT_EQ(l.height, l.load);
    EXPECT_TRUE(l.optimal());
  }
}

/// What repeats or is covered is left out: the model stays as small as the windows' changes.
TEST(AllocPhases, LongSchedulesMakeSmallModels) {
  const auto b = Chain(100, 40, 8, 7).buffers();
  std::int64_t last = 0, changes = 0;
  for (const Buffer& x : b) last = std::max(last, x.upper), changes += 2 + static_cast<std::int64_t>(x.gaps.size());
  EXPECT_EQ(last, 99 * 40);
  const Model m = model_of(b);
  EXPECT_LE(m.sections, changes);
  EXPECT_LT(m.sections, last / 2);
  std::size_t pairs = 0;
  for (const auto& list : m.neighbours) pairs += list.size();
  EXPECT_LT(pairs, 100u * 30);
  Effort effort;
  effort.moves = 50, effort.nodes = 2'000;
  const Layout l = allocate(b, {}, effort);
  EXPECT_THAT(validate(b, l.offsets).faults, testing::IsEmpty());
}

}  // namespace
}  // namespace dse::plan::alloc::alloc_phases_test
