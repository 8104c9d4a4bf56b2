// The reader of .dag files: what it accepts, and every message.
#include "methods/order/dag.h"

#include <gmock/gmock.h>

namespace dse::plan::dag_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kGood =
    "# graph two words of which one counts\n"
    "OP 0 Relu b a   # out of order is fine\n"
    "T a 16 1x4x2x2\n"
    "T b 16\n"
    "\tT c 4\r\n"
    "IN a\n"
    "OUT c\n"
    "OP 1 Conv c b a";

TEST(Dag, IsReadAsItSays) {
  Diagnostics d;
  const auto p = parse_dag(kGood, "g.dag", d);
  ASSERT_TRUE(p) << d.text();
  EXPECT_TRUE(d.empty());
  EXPECT_EQ(p->name, "two");
  ASSERT_EQ(p->tensors.size(), 3u);
  EXPECT_TRUE(p->tensors[0].given && !p->tensors[0].kept);
  EXPECT_TRUE(!p->tensors[2].given && p->tensors[2].kept);
  EXPECT_EQ(p->tensors[2].bytes, 4);
  ASSERT_EQ(p->operators.size(), 2u);
  EXPECT_TRUE(p->operators[0].elementwise);
  EXPECT_FALSE(p->operators[1].elementwise);
  EXPECT_THAT(p->operators[1].inputs, ElementsAre(1, 0));
  EXPECT_THAT(p->operators[1].outputs, ElementsAre(2));
  // a and b while either runs; Relu may not overwrite a, which is read again.
  for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew})
    EXPECT_EQ(peak_of(*p, rule, std::vector<int>{0, 1}), 36);
}

TEST(Dag, OnlyTheFirstInputOfEqualSizeIsOverwritten) {
  const auto peak = [](const std::string& ops) {
    Diagnostics d;
    const auto p = parse_dag("T a 16\nT b 16\nT c 16\nT s 4\nIN a\nIN b\nIN s\nOUT c\n" + ops, "g.dag", d);
    EXPECT_TRUE(p) << d.text();
    return find_order(*p, OrderRule::inplace_ew).peak_bytes;
  };
  EXPECT_EQ(peak("OP 0 Add c a b\n"), 32);         // nobody reads s
  EXPECT_EQ(peak("OP 0 Add c s a\n"), 20);         // s is of another size
  EXPECT_EQ(peak("OP 0 Sum c a b\n"), 48);         // no element-wise type
  EXPECT_EQ(peak("OUT a\nOP 0 Add c a b\n"), 48);  // b dies, but a was the first
  EXPECT_EQ(peak("OUT a\nOP 0 Add c b a\n"), 32);
}

struct Wrong {
  const char* text;
  const char* said;
};

TEST(Dag, EveryMistakeIsNamedWithItsPlace) {
  const Wrong cases[] = {
      {"", "g.dag: error: no operators"},
      {"X a\n", "g.dag:1:1: error: no line begins with 'X'"},
      {"T a\n", "g.dag:1:1: error: a tensor is not complete"},
      {"T a 4 1x4 5\n", "g.dag:1:1: error: a tensor is not complete, or more"},
      {"T a -4\n", "g.dag:1:5: error: '-4' is no size in bytes"},
      {"T a 4k\n", "g.dag:1:5: error: '4k' is no size in bytes"},
      {"T a 99999999999999999999\n", "g.dag:1:5: error: '99999999999999999999' is no size in bytes"},
      {"T a 1152921504606846976\nT b 1\n", "g.dag:2:5: error: tensors of more than 2^60 bytes together"},
      {"T a 4\n  T a 4\n", "g.dag:2:5: error: tensor 'a' is there twice"},
      {"T a 4\nIN a\nIN a\n", "g.dag:3:4: error: tensor 'a' is IN twice"},
      {"T a 4\nOUT a\nOUT a\n", "g.dag:3:5: error: tensor 'a' is OUT twice"},
      {"IN a b\n", "g.dag:1:1: error: IN names one tensor"},
      {"OUT q\n", "g.dag:1:5: error: no tensor 'q'"},
      {"OP 0 Relu\n", "g.dag:1:1: error: an operator is not complete"},
      {"T a 4\nOP x Relu a\n", "g.dag:2:4: error: 'x' is no index"},
      {"T a 4\nOP 7 Relu a\n", "g.dag:2:4: error: operator '7' stands where 0 should"},
      {"T a 4\nOP 0 Relu b a\n", "g.dag:2:11: error: no tensor 'b'"},
      {"T a 4\nOP 0 Relu a b\n", "g.dag:2:13: error: no tensor 'b'"},
      {"T a 4\nOP 0 A a\nOP 1 A a\n", "g.dag:3:8: error: tensor 'a' is made twice"},
      {"T a 4\nIN a\nOP 0 A a\n", "g.dag:3:1: error: operator 0 makes 'a', which is IN"},
      {"T a 4\nT b 4\nOP 0 A a b\n", "g.dag:2:1: error: tensor 'b' is never made"},
      {"T a 4\nT b 4\nOP 0 A a b\nOP 1 A b a\n",
       "g.dag:3:1: error: operator 0 waits for itself: the graph has a cycle"},
      {"T a 4\nT b 4\nT c 4\nOP 0 A a b\nOP 1 A b c\nOP 2 A c b\n",  // operator 0 only reads from the cycle
       "g.dag:5:1: error: operator 1 waits for itself: the graph has a cycle"},
  };
  for (const auto& c : cases) {
    Diagnostics d;
    EXPECT_FALSE(parse_dag(c.text, "g.dag", d)) << c.text;
    EXPECT_TRUE(d.has_errors());
    EXPECT_THAT(d.text(), HasSubstr(c.said)) << c.text;
  }
}

TEST(Dag, AllMistakesAreTold) {
  Diagnostics d;
  EXPECT_FALSE(parse_dag("T a x\nIN b\nOP 3 A c\n", "g.dag", d));
  EXPECT_EQ(d.list().size(), 4u) << d.text();
}

TEST(Dag, TooManyOperatorsAreRefused) {
  std::string text = "T a 1\nIN a\n";
  for (int i = 0; i <= kMostOperators; ++i)
    text += "T t" + std::to_string(i) + " 1\nOP " + std::to_string(i) + " A t" + std::to_string(i) + " a\n";
  Diagnostics d;
  EXPECT_FALSE(parse_dag(text, "g.dag", d));
  EXPECT_THAT(d.text(), HasSubstr("more than 20000 operators"));
  EXPECT_EQ(d.list().size(), 1u);
}

}  // namespace
}  // namespace dse::plan::dag_test
