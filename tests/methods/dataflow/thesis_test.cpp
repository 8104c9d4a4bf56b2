// The thesis' example: orders of phases in its notation, and the same layers as a file.
#include <gtest/gtest.h>

#include "methods/dataflow/buffers.h"
#include "methods/dataflow/csdf.h"
#include "methods/dataflow/layer_file.h"
#include "methods/dataflow/notation.h"
#include "tests/methods/dataflow/networks.h"

namespace dse::plan::phases::thesis_test {
namespace {

std::string order_of(const std::vector<PhaseCount>& counts) {
  const auto g = test::example41();
  std::string why;
  const auto parts = parts_of(g, counts, why);
  if (!parts) return why;
  const auto f = window_flow(g, *parts, 1);
  return in_notation(run_with(f, least_capacity(f).buffers).firings);
}

TEST(ThesisExample, OrdersOfTable41) {
  const PhaseCount max{};
  EXPECT_EQ(order_of({{1}, {1}, {1}, {1}, {1}}), "l1(1), l2(1), l3(1), l4(1), l5(1)");
  EXPECT_EQ(order_of({{2}, {2}, {1}, {1}, {1}}), "l1(1), l2(1), l1(2), l2(2), l3(1), l4(1), l5(1)");
  EXPECT_EQ(order_of({max, max, {1}, {1}, {1}}), "l1(1-17), l2(1), [l1(18-32), l2(2-16)], l3(1), l4(1), l5(1)");
  EXPECT_EQ(order_of({max, max, max, {1}, {1}}),
            "l1(1-17), l2(1), [l1(18-22), l2(2-6)], l3(1), [l1(23-25), l2(7-9)], l3(2), [l1(26-28), l2(10-12)], l3(3), "
            "[l1(29-32), l2(13-16)], l3(4), l4(1), l5(1)");
}

TEST(ThesisExample, StepsOfEachExample) {
  const auto g = test::example41();
  const auto f = window_flow(g, minimum_parts(g), 1);
  EXPECT_EQ(lazy_schedule(f).firings.size(), 54U);  // "performed in 54 computational steps"
  EXPECT_EQ(minimum_parts(g).ends[1].size(), 16U);
}

TEST(ThesisExample, OverlapInSelfLoopsCosts1618) {
  const auto g = test::example41();
  const auto csdf = to_csdf(g, minimum_parts(g), 1);
  const auto f = literal_flow(csdf, repetition_vector(csdf));
  EXPECT_EQ(least_capacity(f).bytes, 1618);
}

TEST(ThesisExample, CountsThatDoNotFitAreNamed) {
  EXPECT_EQ(order_of({{1}, {1}}), "2 phases are given for 5 inputs and layers");
  EXPECT_EQ(order_of({{33}, {1}, {1}, {1}, {1}}), "layer 'l1' cannot have 33 phases: it has 32 rows");
}

TEST(LayerFile, ReadsTheExample) {
  Diagnostics d;
  const auto file = read_layer_file(
      "layers:\n"
      "  - {name: a, rows: 16, row_elements: 64}\n"
      "  - {name: b, from: [a], rows: 4, row_elements: 12, window: 5, stride: 3, crop: 1}\n"
      "phases: [2, max]\n",
      "f", true, d);
  ASSERT_TRUE(file && file->graph && file->phases) << d.text();
  EXPECT_EQ(file->graph->edges.at(0).window.pad, -1);
  EXPECT_EQ(file->graph->edges.at(0).row_elements, 64);
  EXPECT_TRUE(file->graph->layers.at(0).source);
  EXPECT_EQ(file->phases->at(0).count, 2);
  EXPECT_FALSE(file->phases->at(1).count);
}

TEST(LayerFile, SaysWhatIsWrongAndWhere) {
  const auto said = [](const std::string& text) {
    Diagnostics d;
    EXPECT_FALSE(read_layer_file(text, "f", true, d));
    return d.text();
  };
  EXPECT_NE(said("layers:\n  - {name: a, from: [z], rows: 1, row_elements: 1}\n")
                .find("f:2:22: error: there is no layer 'z' before 'a'"),
            std::string::npos);
  EXPECT_NE(said("layers:\n  - {name: a, rows: 0, row_elements: 1}\n").find("f:2:21: error: layers[0].rows"),
            std::string::npos);
  EXPECT_NE(said("layers:\n  - {name: a, rows: 1, row_elements: 1}\nphases: [some]\n")
                .find("f:3:10: error: phases[0]: is neither"),
            std::string::npos);
  EXPECT_NE(said("phases: [1]\n").find("layers: is missing"), std::string::npos);
  EXPECT_NE(said("layers:\n  - {name: a, rows: 1, row_elements: 1}\n  - {name: a, rows: 1, row_elements: 1}\n")
                .find("a second layer 'a'"),
            std::string::npos);
}

}  // namespace
}  // namespace dse::plan::phases::thesis_test
