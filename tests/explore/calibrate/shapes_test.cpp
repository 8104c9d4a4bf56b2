// Networks in words: what is understood, and what is not.
#include "explore/calibrate/shapes.h"

#include <gtest/gtest.h>

namespace dse::explore::shapes_test {
namespace {

TEST(Shapes, OperatorsHaveTheWorkThatIsSaid) {
  struct Row {
    const char *kind, *shape;
    std::int64_t macs;
    std::vector<std::int64_t> out;
  };
  for (const Row& row :
       {Row{"CONV_2D", "in 49x10x1 out 25x5x64 k10x4 s2x2", 320000, {1, 25, 5, 64}},
        Row{"CONV_2D", "in 96x96x1 out 48x48x24 k3x3 s2x2", 497664, {1, 48, 48, 24}},
        Row{"CONV_2D", "in 24x24x24 out 11x11x16 k3x3 s2x2", 418176, {1, 11, 11, 16}},
        Row{"CONV_2D", "in 11x11x16 out 9x9x24 k3x3 s1x1", 279936, {1, 9, 9, 24}},
        Row{"CONV_2D", "32x32x64 k3 oc64", 37748736, {1, 32, 32, 64}},
        Row{"CONV_2D k3", "32x32 16>64", 9437184, {1, 32, 32, 64}},
        Row{"CONV_2D k1", "3x3 128>256", 294912, {1, 3, 3, 256}},
        Row{"DEPTHWISE_CONV_2D k3", "32x32x16", 147456, {1, 32, 32, 16}},
        Row{"CONV_2D", "64x512 × 256x512", 8388608, {1, 1, 64, 256}},
        Row{"DEPTHWISE_CONV_2D", "in 58x13x1 out 25x5x64 k10x4 s2x2 multiplier 64", 320000, {1, 25, 5, 64}},
        Row{"DEPTHWISE_CONV_2D", "in 25x5x64 out 25x5x64 k3x3 s1x1", 72000, {1, 25, 5, 64}},
        Row{"FULLY_CONNECTED", "in 64 out 12", 768, {1, 12}},
        Row{"FULLY_CONNECTED", "in 1x1x256 out 1x1x1000 k1x1 s1x1", 256000, {1, 1000}},
        Row{"FULLY_CONNECTED", "512 × 256", 131072, {1, 256}},
        Row{"AVERAGE_POOL_2D", "in 25x5x64 out 1x1x64", 0, {1, 1, 1, 64}},
        Row{"MAX_POOL_2D", "32x32x64 k3", 0, {1, 32, 32, 64}}, Row{"ADD", "n4096", 0, {1, 1, 1, 4096}},
        Row{"SOFTMAX", "in 12 out 12", 0, {1, 12}}}) {
    const auto n = operator_of_shape(row.kind, row.shape);
    ASSERT_TRUE(n) << row.shape;
    EXPECT_EQ(n->operators.size(), 1u) << row.shape;
    EXPECT_EQ(n->tensors[static_cast<std::size_t>(n->outputs[0])].shape, row.out) << row.shape;
    // Padding counts no multiply-accumulates in a network's own sum.
    EXPECT_LE(n->macs(), row.macs) << row.shape;
    EXPECT_GE(static_cast<double>(n->macs()), 0.9 * static_cast<double>(row.macs)) << row.shape;
  }
}

TEST(Shapes, WhatIsNotUnderstoodIsNoNetwork) {
  for (const char* kind : {"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "FULLY_CONNECTED", "SOFTMAX", "ADD", "X"})
    for (const char* shape : {"", "not published", "in", "in x", "in 0x0x0 out 1x1x1 k1x1", "in 4x4 out 4x4",
                              "in -4x4x4 out 4x4x4 k1x1 s1x1", "in 999999x999999x9 out 1x1x1 k1x1 s1x1", "k", "oc",
                              "in 4x4x4 out 4x4x4 k0x0 s1x1", "in 4x4x4 out 4x4x4 k3x3 s0x0", "nx", "12 14 16 18",
                              "4>4", "4x4 4>", "4x4 0>4 k3"})
      EXPECT_FALSE(operator_of_shape(kind, shape)) << kind << " " << shape;
  // Nothing that would not fit into a small device, nor into numbers.
  EXPECT_FALSE(operator_of_shape("FULLY_CONNECTED", "in 4096 out 1025"));
  EXPECT_FALSE(operator_of_shape("CONV_2D", "512x512x256 k512 oc65536"));
  EXPECT_FALSE(operator_of_shape("CONV_2D", "in 99999999999x1x1 out 1x1x1 k1x1 s1x1"));
  EXPECT_FALSE(network_of_shape("n", "conv9x9/s1 64x64x4096>64x64x4096"));
  for (const char* shape : {"", ";", "conv", "gap>4", "recurrent (unrolled)", "conv3x3/s0 4x4x1>4x4x1", "fc 0>3",
                            "dw3x3/s1 4x4x4>4x4x6", "softmax", "convd3x3/s1 4x4x1>4x4x1", "fc 4>4; what"})
    EXPECT_FALSE(network_of_shape("n", shape)) << shape;
}

TEST(Shapes, AChainIsANetwork) {
  const auto n = network_of_shape(
      "A net", "conv3x3/s2 28x28x1>14x14x4 7056; dw3x3/s1 14x14x4>14x14x4 7056; maxpool2/s2>7x7x4; gap>4; fc 4>10 40");
  ASSERT_TRUE(n);
  EXPECT_EQ(n->name, "A-net");
  EXPECT_EQ(n->operators.size(), 6u);  // a softmax ends classifiers of ten
  EXPECT_EQ(network_of_shape("n", "fc 50>16 800; fc 16>8 128; fc 8>2 16")->macs(), 944);
}

TEST(Shapes, ActivationsHave16BitsWhereTheTableIsSaidToHave) {
  const auto all_wide = [](const nn::NetworkPtr& n) {
    for (const auto& t : n->tensors)
      if (t.kind != nn::TensorKind::constant && t.type != nn::DataType::int16) return false;
    return true;
  };
  EXPECT_TRUE(all_wide(network_of_shape("n", "conv3x3/s2 28x28x1>14x14x4; maxpool2/s2>7x7x4; gap>4; fc 4>10", true)));
  for (const auto& [kind, shape] :
       std::vector<std::pair<std::string, std::string>>{{"CONV_2D", "32x32x64 k3 oc64"},
                                                        {"DEPTHWISE_CONV_2D", "in 25x5x64 out 25x5x64 k3x3 s1x1"},
                                                        {"AVERAGE_POOL_2D", "32x32x64 k3"},
                                                        {"FULLY_CONNECTED", "512 x 256"},
                                                        {"SOFTMAX", "in 12"},
                                                        {"RESHAPE", "in 4x4x2"},
                                                        {"ADD", "n4096"}}) {
    const auto n = operator_of_shape(kind, shape, true);
    ASSERT_TRUE(n) << kind;
    EXPECT_TRUE(all_wide(n)) << kind;
  }
}

}  // namespace
}  // namespace dse::explore::shapes_test
