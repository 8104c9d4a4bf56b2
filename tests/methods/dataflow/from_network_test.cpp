// Operators as layers with rows: the shipped networks.
#include "methods/dataflow/from_network.h"

#include <gtest/gtest.h>

#include "methods/memory/layer_order.h"
#include "methods/memory/memory_table.h"

namespace dse::plan::phases::from_network_test {
namespace {

LayerGraph read(const std::string& name) {
  Diagnostics d;
  const auto n = nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + name + ".yaml", d);
  EXPECT_TRUE(n) << d.text();
  auto g = n ? layers_of(*n) : LayerGraph{};
  EXPECT_EQ(defect_of(g), "");
  return g;
}

TEST(FromNetwork, WindowsOfAKeywordNetwork) {
  const auto g = read("ds-cnn");
  ASSERT_EQ(g.layer_count(), 13);
  // 49 rows, a filter of 10 that moves by 2, "same": 25 rows, 4 rows of padding above.
  EXPECT_EQ(g.edges.at(0).rows, 49);
  EXPECT_EQ(g.edges[0].row_elements, 10);
  EXPECT_EQ(g.edges[0].window.kernel, 10);
  EXPECT_EQ(g.edges[0].window.stride, 2);
  EXPECT_EQ(g.edges[0].window.pad, 4);
  EXPECT_EQ(g.edges.at(1).window.pad, 1);  // depthwise 3x3
  EXPECT_EQ(g.edges.at(2).window.kernel, 1);
  EXPECT_TRUE(g.layers.at(10).at_once);  // 25x5 pool over 25x5
  // 9 convolutions of 25 rows, and four layers of one row.
  EXPECT_EQ(minimum_parts(g).total(g), 9 * 25 + 4);
}

TEST(FromNetwork, LayerByLayerPeaksOfTheShippedNetworks) {
  const auto peak = [](const std::string& name) { return least_layer_peak(read(name), 1).bytes; };
  EXPECT_EQ(peak("resnet8"), 49'152);
  EXPECT_EQ(peak("mobilenet-v1-0.25-96"), 55'296);
}

TEST(FromNetwork, ColumnsAreOrdered) {
  for (const char* name : {"resnet8", "mobilenet-v1-0.25-96", "ds-cnn", "autoencoder"}) {
    const auto g = read(name);
    const auto t = memory_table(g, minimum_parts(g), 1);
    EXPECT_LE(t.thesis_lower_bound, t.thesis.bytes) << name;
    EXPECT_LE(t.thesis.bytes, t.lazy.buffers.bytes(t.flow)) << name;
    EXPECT_LE(t.lazy.buffers.bytes(t.flow), t.naive) << name;
    EXPECT_LE(t.buffer_reuse.bytes(), t.naive) << name;
    EXPECT_TRUE(t.thesis.optimal && t.layer_by_layer.optimal) << name;
    EXPECT_EQ(t.order.firings.size(), t.lazy.firings.size()) << name;
  }
}

}  // namespace
}  // namespace dse::plan::phases::from_network_test
