#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "plan/branch/graph.h"
#include "tests/plan/branch/graphs.h"

namespace dse::plan::branch::test {
namespace {

using testing::HasSubstr;

std::string problem(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_dag(text, "g.dag", diagnostics));
  EXPECT_TRUE(diagnostics.has_errors());
  return diagnostics.text();
}

TEST(BranchDag, ReadsTheExample) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/tests/plan/branch/graphs/two_branches.dag");
  std::stringstream text;
  text << in.rdbuf();
  Diagnostics diagnostics;
  const auto graph = read_dag(text.str(), "two_branches.dag", diagnostics);
  ASSERT_TRUE(graph) << diagnostics.text();
  EXPECT_EQ(graph->name, "two-branches");
  const auto expected = two_branches();
  ASSERT_EQ(graph->nodes.size(), expected.nodes.size());
  for (const auto& node : graph->nodes) {
    const auto& other = expected.nodes[static_cast<std::size_t>(node_named(expected, node.name))];
    EXPECT_EQ(node.bytes, 1000 * other.bytes);
    EXPECT_EQ(node.inputs.size(), other.inputs.size());
    EXPECT_EQ(node.readers.size(), other.readers.size());
  }
}

TEST(BranchDag, InputsOutputsAndComments) {
  Diagnostics diagnostics;
  const auto graph = read_dag("T x 4 1x4 # four\r\n\n T y 2\nOUT y\nIN x\nOP 0 Relu y x x\n", "g.dag", diagnostics);
  ASSERT_TRUE(graph) << diagnostics.text();
  ASSERT_EQ(graph->nodes.size(), 2u);
  EXPECT_TRUE(graph->nodes[0].given);
  EXPECT_TRUE(graph->nodes[1].kept);
  EXPECT_THAT(graph->nodes[1].inputs, testing::ElementsAre(0));
}

TEST(BranchDag, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(problem(""), HasSubstr("no operators"));
  EXPECT_THAT(problem("T x"), HasSubstr("g.dag:1:1: error: T needs a tensor and its bytes"));
  EXPECT_THAT(problem("T x -1"), HasSubstr("g.dag:1:5: error: '-1' is no number of bytes"));
  EXPECT_THAT(problem("T x 99999999999999999999"), HasSubstr("no number of bytes"));
  EXPECT_THAT(problem("T x 1099511627777"), HasSubstr("no number of bytes"));
  EXPECT_THAT(problem("T x 1\nT x 2"), HasSubstr("g.dag:2:3: error: tensor 'x' is there twice"));
  EXPECT_THAT(problem("T x 1\nOP 0 Relu y x"), HasSubstr("g.dag:2:11: error: no tensor 'y'"));
  EXPECT_THAT(problem("T x 1\nT y 1\nOP 0 Relu y x"), HasSubstr("'x' is read before it is made"));
  EXPECT_THAT(problem("T x 1\nIN x\nOP 0 Relu x x"), HasSubstr("made twice"));
  EXPECT_THAT(problem("T x 1\nT y 1\nOP 0 Conv x\nIN y"), HasSubstr("IN after an OP"));
  EXPECT_THAT(problem("T x 1\nOP 0"), HasSubstr("OP needs"));
  EXPECT_THAT(problem("X y"), HasSubstr("'X' is no kind of line"));
  EXPECT_THAT(problem("T x 1\nIN"), HasSubstr("IN needs one tensor"));
}

TEST(BranchDag, RefusesWhatIsTooLargeOnce) {
  std::string text;
  for (int i = 0; i < 10005; ++i) text += "T t" + std::to_string(i) + " 1\nOP 0 Conv t" + std::to_string(i) + "\n";
  Diagnostics diagnostics;
  EXPECT_FALSE(read_dag(text, "g.dag", diagnostics));
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_THAT(diagnostics.text(), HasSubstr("more than 10000 inputs and operators"));
}

}  // namespace
}  // namespace dse::plan::branch::test
