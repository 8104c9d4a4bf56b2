// Networks as ordering problems: what counts, what is renamed, what keeps its order.
#include <gmock/gmock.h>

#include <filesystem>
#include <numeric>

#include "methods/order/order.h"
#include "models/nn/summary/summary.h"

namespace dse::plan::order_network_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

nn::Tensor tensor(const std::string& name, std::int64_t bytes, nn::TensorKind kind = nn::TensorKind::activation) {
  nn::Tensor t;
  t.name = name, t.shape = {bytes}, t.kind = kind;
  return t;
}

nn::Operator op(nn::OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs) {
  nn::Operator o;
  o.kind = kind, o.inputs = std::move(inputs), o.outputs = std::move(outputs);
  return o;
}

std::vector<int> numbered(const OrderProblem& p) {
  std::vector<int> order(p.operators.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(OrderNetwork, ConstantsAndVariablesAreLeftOutAndReshapesAreFree) {
  nn::Network n;
  n.tensors = {tensor("in", 10, nn::TensorKind::input),
               tensor("weights", 1000, nn::TensorKind::constant),
               tensor("state", 500, nn::TensorKind::variable),
               tensor("a", 20),
               tensor("b", 20),
               tensor("c", 20),
               tensor("out", 5)};
  n.inputs = {0}, n.outputs = {6};
  n.operators = {op(nn::OperatorKind::conv_2d, {0, 1, -1}, {3}), op(nn::OperatorKind::reshape, {3}, {4}),
                 op(nn::OperatorKind::relu, {4}, {5}), op(nn::OperatorKind::fully_connected, {5, 1, -1}, {6})};
  const auto p = order_problem(n);
  ASSERT_EQ(p.tensors.size(), 5u);
  EXPECT_EQ(p.tensors[2].alias, 1);
  EXPECT_TRUE(p.tensors[4].kept);
  EXPECT_THAT(p.operators[0].inputs, ElementsAre(0));
  EXPECT_EQ(peak_of(p, OrderRule::out_of_place, numbered(p)), 40);  // a (as b) and c
  EXPECT_EQ(peak_of(p, OrderRule::inplace_ew, numbered(p)), 30);    // in and a
}

// The same bytes under two names live until the last reader of either.
TEST(OrderNetwork, ARenamedTensorLivesAsLongAsAnyOfItsNames) {
  nn::Network n;
  n.tensors = {tensor("in", 8, nn::TensorKind::input), tensor("view", 8), tensor("x", 100), tensor("y", 8),
               tensor("z", 8)};
  n.inputs = {0}, n.outputs = {4};
  n.operators = {op(nn::OperatorKind::reshape, {0}, {1}), op(nn::OperatorKind::conv_2d, {1}, {2}),
                 op(nn::OperatorKind::conv_2d, {2}, {3}), op(nn::OperatorKind::add, {3, 0}, {4})};
  const auto p = order_problem(n);
  EXPECT_EQ(peak_of(p, OrderRule::out_of_place, numbered(p)), 8 + 100 + 8);
  EXPECT_EQ(peak_of(p, OrderRule::inplace_ew, numbered(p)), 8 + 100 + 8);
}

TEST(OrderNetwork, OperatorsThatShareAVariableKeepTheirOrder) {
  nn::Network n;
  n.tensors = {tensor("in", 8, nn::TensorKind::input), tensor("state", 8, nn::TensorKind::variable), tensor("old", 8),
               tensor("sum", 8)};
  n.inputs = {0}, n.outputs = {3};
  n.operators = {op(nn::OperatorKind::read_variable, {1}, {2}), op(nn::OperatorKind::assign_variable, {0}, {1}),
                 op(nn::OperatorKind::add, {2, 0}, {3})};
  const auto p = order_problem(n);
  EXPECT_THAT(p.operators[0].after, IsEmpty());
  EXPECT_THAT(p.operators[1].after, ElementsAre(0));
  EXPECT_THAT(p.operators[2].after, IsEmpty());
  EXPECT_TRUE(find_order(p, OrderRule::out_of_place).optimal);
}

// Every shipped network; where nothing is renamed, the file's order needs what dse inspect says.
TEST(OrderNetwork, ShippedNetworksHaveOptimalOrders) {
  int networks = 0, compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(DSE_SOURCE_DIR) + "/configs/networks")) {
    if (file.path().extension() != ".yaml") continue;
    Diagnostics d;
    nn::LoadOptions options;
    options.allow_float = true;
    const auto n = nn::load_network(file.path().string(), d, options);
    ASSERT_TRUE(n) << d.text();
    const auto p = order_problem(*n);
    const auto in_file = peak_of(p, OrderRule::out_of_place, numbered(p));
    const auto found = find_order(p, OrderRule::out_of_place);
    EXPECT_TRUE(found.optimal) << file.path();
    EXPECT_LE(found.peak_bytes, in_file) << file.path();
    EXPECT_LE(find_order(p, OrderRule::inplace_ew).peak_bytes, found.peak_bytes) << file.path();
    EXPECT_LE(in_file, nn::summarize(*n).peak_bytes) << file.path();
    bool renamed = false;
    for (const auto& t : p.tensors) renamed = renamed || t.alias >= 0;
    if (!renamed) {
      EXPECT_EQ(in_file, nn::summarize(*n).peak_bytes) << file.path();
    }
    ++networks, compared += !renamed;
  }
  EXPECT_GE(networks, 4);
  RecordProperty("compared", compared);
}

}  // namespace
}  // namespace dse::plan::order_network_test
