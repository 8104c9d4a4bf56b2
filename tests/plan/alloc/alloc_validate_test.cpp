// The validator of layouts catches what is planted, and only that.
#include <gmock/gmock.h>

#include <random>

#include "plan/alloc/allocate.h"
#include "plan/alloc/validate.h"

namespace dse::plan::alloc::alloc_validate_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<Buffer> kThree{
    {"a", 0, 4, 8, 1, {}, {}}, {"b", 2, 6, 8, 8, {}, {}}, {"c", 4, 9, 8, 1, {{5, 7, 0, 2}}, 0}};

TEST(AllocValidate, AcceptsALayoutAndMeasuresIt) {
  const Verdict v = validate(kThree, std::vector<std::int64_t>{0, 8, 0}, 16);
  EXPECT_THAT(v.faults, IsEmpty());
  EXPECT_EQ(v.height, 16);
  EXPECT_EQ(v.load, 16);
}

TEST(AllocValidate, NamesEachFault) {
  const auto faults = [](std::vector<std::int64_t> offsets, std::optional<std::int64_t> capacity = {}) {
    return validate(kThree, offsets, capacity).faults;
  };
  EXPECT_THAT(faults({0, 8}), ElementsAre("2 offsets for 3 buffers"));
  EXPECT_THAT(faults({-8, 8, 0}), ElementsAre("buffer 'a' lies at -8"));
  EXPECT_THAT(faults({0, 8, 16}), ElementsAre("buffer 'c' lies at 16, not at 0"));
  EXPECT_THAT(faults({0, 9, 0}), ElementsAre("buffer 'b' lies at 9: no multiple of 8"));
  EXPECT_THAT(faults({0, 8, 0}, 15), ElementsAre("buffer 'b' ends at 16, beyond 15"));
  EXPECT_THAT(faults({1, 8, 0}), ElementsAre("buffers 'a' and 'b' share bytes at step 2"));
  EXPECT_THAT(faults({8, 0, 0}), ElementsAre("buffers 'b' and 'c' share bytes at step 4"));
}

TEST(AllocValidate, KnowsWhatAGapLeaves) {
  const std::vector<Buffer> b{
      {"a", 0, 9, 8, 1, {{3, 6, 0, 2}}, {}}, {"b", 3, 6, 6, 1, {}, {}}, {"c", 5, 7, 1, 1, {}, {}}};
  EXPECT_THAT(validate(b, std::vector<std::int64_t>{0, 2, 8}).faults, IsEmpty());
  EXPECT_THAT(validate(b, std::vector<std::int64_t>{0, 1, 8}).faults,
              ElementsAre("buffers 'a' and 'b' share bytes at step 3"));
  EXPECT_THAT(validate(b, std::vector<std::int64_t>{0, 9, 7}).faults,
              ElementsAre("buffers 'a' and 'c' share bytes at step 6"));
}

TEST(AllocValidate, KnowsWhatAWindowLeaves) {
  const std::vector<Buffer> b{{"a", 0, 9, 8, 1, {{3, 6, 2, 5}, {6, 7, 5, 8}}, {}}, {"b", 3, 7, 2, 1, {}, {}}};
  EXPECT_THAT(validate(b, std::vector<std::int64_t>{0, 0}).faults, IsEmpty());
  EXPECT_THAT(validate(b, std::vector<std::int64_t>{0, 1}).faults,
              ElementsAre("buffers 'a' and 'b' share bytes at step 3"));
  EXPECT_THAT(validate(b, std::vector<std::int64_t>{0, 5}).faults,
              ElementsAre("buffers 'a' and 'b' share bytes at step 6"));
  EXPECT_EQ(validate(b, std::vector<std::int64_t>{0, 0}).load, 8);
}

TEST(AllocValidate, CatchesEveryBufferThatIsMovedIntoAnother) {
  std::mt19937 rng(1);
  int caught = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<Buffer> b;
    for (int i = 0; i < 12; ++i) {
      const auto lower = static_cast<std::int64_t>(rng() % 6);
      b.push_back({std::to_string(i),
                   lower,
                   lower + 1 + static_cast<std::int64_t>(rng() % 6),
                   1 + static_cast<std::int64_t>(rng() % 20),
                   1,
                   {},
                   {}});
    }
    Layout l = allocate(b);
    ASSERT_THAT(validate(b, l.offsets).faults, IsEmpty());
    // One buffer onto another one that is alive with it.
    const auto i = rng() % b.size(), j = rng() % b.size();
    if (i == j || b[i].lower >= b[j].upper || b[j].lower >= b[i].upper) continue;
    l.offsets[i] = l.offsets[j] + static_cast<std::int64_t>(rng()) % b[j].size;
    EXPECT_THAT(validate(b, l.offsets).faults, testing::Contains(HasSubstr("share bytes")));
    ++caught;
  }
  EXPECT_GT(caught, 50);
}

}  // namespace
}  // namespace dse::plan::alloc::alloc_validate_test
