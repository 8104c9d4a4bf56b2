// The byte histories of the checker against a model that keeps every byte by itself.
#include "plan/check/check_bytes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace dse::test::check_bytes_test {
namespace {

using plan::check_detail::ByteHistory;
using plan::check_detail::Conflict;
using plan::check_detail::HappensBefore;
using plan::check_detail::kConstant;
using plan::check_detail::kGiven;
using plan::check_detail::kNoOwner;

/// Byte, kind, other task, owner.
using Met = std::set<std::tuple<std::int64_t, int, std::int32_t, int>>;

class Model {
 public:
  Model(const HappensBefore& order, std::int64_t bytes) : order_(&order), bytes_(static_cast<std::size_t>(bytes)) {}
  void give(std::int64_t begin, std::int64_t end, std::int32_t writer, int owner) {
    for (std::int64_t i = begin; i < end; ++i) bytes_[static_cast<std::size_t>(i)] = {writer, owner, {}};
  }
  Met read(std::int32_t task, std::int64_t begin, std::int64_t end, int owner) {
    Met met;
    for (std::int64_t i = begin; i < end; ++i) {
      Byte& b = bytes_[static_cast<std::size_t>(i)];
      if (b.writer == kNobody) {
        met.insert({i, kind(Conflict::Kind::undefined), -1, kNoOwner});
        continue;
      }
      if (unordered(b.writer, task)) met.insert({i, kind(Conflict::Kind::race), b.writer, kNoOwner});
      if (owner != kNoOwner && b.owner != kNoOwner && b.owner != owner)
        met.insert({i, kind(Conflict::Kind::foreign), b.writer, b.owner});
      b.readers[order_->note(task).queue] = task;
    }
    return met;
  }
  Met write(std::int32_t task, std::int64_t begin, std::int64_t end, int owner) {
    Met met;
    for (std::int64_t i = begin; i < end; ++i) {
      Byte& b = bytes_[static_cast<std::size_t>(i)];
      if (b.writer == kConstant) met.insert({i, kind(Conflict::Kind::constant), -1, kNoOwner});
      if (b.writer == task) met.insert({i, kind(Conflict::Kind::twice), task, kNoOwner});
      if (unordered(b.writer, task)) met.insert({i, kind(Conflict::Kind::race), b.writer, kNoOwner});
      if (b.writer != kConstant)
        for (const auto& [queue, r] : b.readers)
          if (unordered(r, task)) met.insert({i, kind(Conflict::Kind::race), r, kNoOwner});
      b = {task, owner, {}};
    }
    return met;
  }
  Met expect(std::int64_t begin, std::int64_t end, int owner) const {
    Met met;
    for (std::int64_t i = begin; i < end; ++i) {
      const Byte& b = bytes_[static_cast<std::size_t>(i)];
      if (b.writer < 0)
        met.insert({i, kind(Conflict::Kind::undefined), -1, kNoOwner});
      else if (owner != kNoOwner && b.owner != kNoOwner && b.owner != owner)
        met.insert({i, kind(Conflict::Kind::foreign), b.writer, b.owner});
    }
    return met;
  }

 private:
  static constexpr std::int32_t kNobody = -3;
  struct Byte {
    std::int32_t writer = kNobody;
    int owner = kNoOwner;
    std::map<int, std::int32_t> readers;
  };
  static int kind(Conflict::Kind k) { return static_cast<int>(k); }
  bool unordered(std::int32_t earlier, std::int32_t later) const {
    return earlier >= 0 && earlier != later && !order_->ordered(earlier, later);
  }
  const HappensBefore* order_;
  std::vector<Byte> bytes_;
};

/// Byte by byte; checks that stretches are in range and in order.
Met expand(const std::vector<Conflict>& conflicts, std::int64_t begin, std::int64_t end) {
  Met met;
  std::int64_t at = begin;
  for (const Conflict& c : conflicts) {
    EXPECT_LE(at, c.begin);
    EXPECT_LT(c.begin, c.end);
    EXPECT_LE(c.end, end);
    at = c.begin;
    for (std::int64_t i = c.begin; i < c.end; ++i) met.insert({i, static_cast<int>(c.kind), c.other, c.owner});
  }
  return met;
}

class Pair {
 public:
  Pair(std::mt19937_64& random, std::int64_t base)
      : random_(random), base_(base), order_(queues()), model_(order_, kBytes), bytes_(order_) {
    for (int i = 0; i < 3; ++i) {
      const auto [begin, end] = range();
      const std::int32_t writer = draw(2) ? kGiven : kConstant;
      const int owner = writer == kGiven ? draw(3) : kNoOwner;
      model_.give(begin, end, writer, owner), bytes_.give(base_ + begin, base_ + end, writer, owner);
    }
  }
  /// One task with a few accesses.
  void task() {
    program::TaskInstance t;
    t.queue = draw(kQueues);
    for (int q = 0; q < kQueues; ++q)
      if (const int n = issued_[static_cast<std::size_t>(q)]; n > 0 && draw(3) == 0)
        t.after[static_cast<std::size_t>(t.after_count++)] = {q, 1 + draw(n)};
    ++issued_[static_cast<std::size_t>(t.queue)];
    const std::int32_t number = order_.issue(t);
    for (const bool write : {false, true})
      for (int n = draw(4); n > 0; --n) {
        const int owner = draw(4) - 1, count = draw(4) ? 1 : 6;  // a run, or runs at equal distances
        const auto [begin, end] = range();
        const std::int64_t step = end - begin + draw(9);
        for (int i = 0; i < count && begin + i * step + (end - begin) <= kBytes; ++i)
          access(number, begin + i * step, end + i * step, owner, write);
      }
  }
  void expect() {
    const auto [begin, end] = range();
    const int owner = draw(4) - 1;
    std::vector<Conflict> out;
    bytes_.expect(base_ + begin, base_ + end, owner, out);
    EXPECT_EQ(shifted(out, begin, end), model_.expect(begin, end, owner));
  }
  std::size_t met() const { return met_; }

 private:
  static constexpr int kQueues = 3;
  static constexpr std::int64_t kBytes = 700;
  static program::Program queues() {
    program::Program p;
    p.queues.resize(kQueues);
    return p;
  }
  int draw(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  std::pair<std::int64_t, std::int64_t> range() {
    const int unit = draw(3) ? 4 : 1, size = draw(2) ? 24 : 400;
    const std::int64_t begin = draw(static_cast<int>(kBytes) / unit) * unit;
    return {begin, std::min<std::int64_t>(kBytes, begin + (1 + draw(size / unit)) * unit)};
  }
  Met shifted(std::vector<Conflict> conflicts, std::int64_t begin, std::int64_t end) const {
    for (Conflict& c : conflicts) c.begin -= base_, c.end -= base_;
    return expand(conflicts, begin, end);
  }
  void access(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, bool write) {
    std::vector<Conflict> out;
    if (write)
      bytes_.write(task, base_ + begin, base_ + end, owner, out);
    else
      bytes_.read(task, base_ + begin, base_ + end, owner, out);
    const Met expected = write ? model_.write(task, begin, end, owner) : model_.read(task, begin, end, owner);
    ASSERT_EQ(shifted(out, begin, end), expected)
        << "task " << task << (write ? " writes [" : " reads [") << begin << ", " << end << ")";
    met_ += expected.size();
  }

  std::mt19937_64& random_;
  std::int64_t base_;  // where the bytes lie in the arena
  HappensBefore order_;
  Model model_;
  ByteHistory bytes_;
  std::array<int, kQueues> issued_{};
  std::size_t met_ = 0;
};

TEST(CheckBytes, EqualAModelThatKeepsEveryByteByItself) {
  std::mt19937_64 random(7);
  std::size_t met = 0;
  for (int round = 0; round < 100; ++round) {
    // Some arenas begin shortly before the end of what is kept in one piece, some lie beyond 32 bits.
    Pair pair(random, round % 3 == 0 ? 0 : round % 3 == 1 ? 65536 - 4 * (round % 100) : (std::int64_t{1} << 40) - 333);
    for (int i = 0; i < 60 && !testing::Test::HasFatalFailure(); ++i) pair.task();
    for (int i = 0; i < 5; ++i) pair.expect();
    met += pair.met();
  }
  EXPECT_GT(met, 3000u);
}

TEST(CheckBytes, HugeGivenRangesCostNothing) {
  program::Program p;
  p.queues.resize(1);
  HappensBefore order(p);
  ByteHistory bytes(order);
  bytes.give(0, std::int64_t{1} << 50, kConstant, kNoOwner);
  program::TaskInstance t;
  t.queue = 0;
  const auto task = order.issue(t);
  std::vector<Conflict> out;
  bytes.read(task, 1000, 200000, kNoOwner, out);
  EXPECT_TRUE(out.empty());
  bytes.write(task, (std::int64_t{1} << 50) - 8, (std::int64_t{1} << 50) + 8, kNoOwner, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].kind, Conflict::Kind::constant);
  EXPECT_EQ(out[0].end, std::int64_t{1} << 50);
}

}  // namespace
}  // namespace dse::test::check_bytes_test
