// Whatever tells two placements apart is in their key, and a layout says how many bytes it takes.
#include "plan/layer/placement.h"

#include <gtest/gtest.h>

#include <set>

namespace dse::plan::placement_test {
namespace {

TEST(Placement, KeysDifferWhereAnyFieldDoes) {
  // A field that is added has to be added here, and to the key: this does not compile without.
  const auto& [memory, layout, inside] = Placement{};
  static_cast<void>(memory), static_cast<void>(layout), static_cast<void>(inside);
  std::set<std::string> keys;
  int placements = 0;
  for (int m = -1; m < 13; ++m)
    for (const auto l : {TensorLayout::hwc, TensorLayout::chw})
      for (const std::int64_t w : {0, 1, 12})
        for (const std::int64_t h : {0, 2, 21, 112}) {
          if ((w == 0) != (h == 0)) continue;
          keys.insert(key_of({m, l, {w, h}}));
          ++placements;
        }
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(placements));
}

TEST(Placement, KeysOfOneAfterTheOtherAreTold) {
  EXPECT_NE(key_of({1}) + key_of({11}), key_of({11}) + key_of({1}));
  EXPECT_EQ(key_of({2}).back(), ',');
}

TEST(Placement, BothLayoutsHoldTheElementsAndNothingElse) {
  nn::Tensor t;
  t.shape = {1, 3, 5, 7}, t.type = nn::DataType::int16;
  EXPECT_EQ(bytes_of(t, TensorLayout::hwc), 210);
  EXPECT_EQ(bytes_of(t, TensorLayout::chw), 210);
}

}  // namespace
}  // namespace dse::plan::placement_test
