// Plans for TensorFlow Lite Micro: sound, optimal where they say so, and the same network as before.
#include "methods/tflm/head.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <numeric>

#include "base/index.h"
#include "models/nn/import.h"
#include "models/nn/tflite/offline_plan.h"
#include "models/nn/tflite/write_tflite.h"
#include "plan/place/greedy.h"
#include "tests/nn/golden/golden.h"
#include "tests/nn/tflite/tflite_writer.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"
#include "tests/support/streaming/wake_word.h"

namespace dse::plan::tflm_head_test {
namespace {

using dse::test::Random;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<int> in_file_order(const nn::Network& n) {
  std::vector<int> out(n.operators.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

nn::Network graph_of(const std::vector<std::uint8_t>& bytes) {
  Diagnostics d;
  auto graph = nn::read_tflm_graph(bytes, "drawn.tflite", d);
  if (!graph) throw std::runtime_error(d.text());
  return std::move(*graph);
}

std::vector<std::uint8_t> file_of(const std::string& network) {
  Diagnostics d;
  const auto n = nn::load_network(std::string(DSE_SOURCE_DIR) + "/tests/support/branched/" + network, d);
  if (!n) throw std::runtime_error(d.text());
  return nn::write_tflite(*n, d);
}

/// Written, read again: this plan, sound in the order that the file has now, and the same outputs.
void expect_written(const std::vector<std::uint8_t>& bytes, const TflmHead& head) {
  const auto made = nn::with_offline_plan(bytes, head.order, head.offsets);
  ASSERT_TRUE(made);
  const auto& written = *made;
  const nn::Network again = graph_of(written);
  ASSERT_EQ(nn::offline_plan_of(written), head.offsets);
  EXPECT_THAT(tflm_faults(again, in_file_order(again), head.offsets), IsEmpty());
  Diagnostics d;
  const auto before = nn::import_tflite(bytes, "a.tflite", d), after = nn::import_tflite(written, "a.tflite", d);
  ASSERT_TRUE(before && after) << d.text();
  auto state = nn::initial_state(*before), state_after = nn::initial_state(*after);
  for (std::uint64_t step = 0; step < 3; ++step) {
    const auto inputs = nn::seeded_inputs(*before, 3, step);
    const auto a = nn::interpret(*before, inputs, state), b = nn::interpret(*after, inputs, state_after);
    for (std::size_t i = 0; i < before->outputs.size(); ++i)
      EXPECT_EQ(a[index(before->outputs[i])], b[index(after->outputs[i])]) << "step " << step;
  }
}

void expect_sound(const nn::Network& n, const TflmHead& head) {
  EXPECT_THAT(tflm_faults(n, head.order, head.offsets), IsEmpty());
  EXPECT_LE(head.bytes, head.today);
  EXPECT_LE(head.lower_bound, head.bytes);
  EXPECT_EQ(head.bytes % kTflmAlignment, 0);
  for (std::size_t t = 0; t < n.tensors.size(); ++t) {
    const auto kind = n.tensors[t].kind;
    const bool planned = kind != nn::TensorKind::constant && kind != nn::TensorKind::variable;
    EXPECT_TRUE(planned || head.offsets[t] == -1);
    EXPECT_TRUE(head.offsets[t] < 0 || head.offsets[t] + n.tensors[t].bytes() <= head.bytes);
  }
}

TEST(TflmHead, OfDrawnNetworksIsAPlan) {
  Random random(77);
  int planned = 0, less = 0;
  for (int i = 0; i < dse::test::of_cases(300); ++i) {
    const auto drawn = dse::test::random_network(random);
    Diagnostics d;
    const auto bytes = nn::write_tflite(*drawn, d);
    if (bytes.empty()) continue;
    ++planned;
    const nn::Network n = graph_of(bytes);
    for (const auto rule : {OrderRule::inplace_ew, OrderRule::out_of_place}) {
      const auto head = tflm_head(n, rule);
      expect_sound(n, head);
      expect_written(bytes, head);
      less += head.bytes < head.today;
      if (HasFailure()) FAIL() << "network " << i;
    }
  }
  EXPECT_GE(planned, dse::test::of_cases(100));
  EXPECT_GE(less, 1);
}

/// The least head over all orders, each placed exactly.
std::int64_t least_of_all_orders(const nn::Network& n, OrderRule rule) {
  std::vector<int> order = in_file_order(n);
  std::int64_t least = -1;
  do {
    nn::Network reordered = n;
    for (std::size_t k = 0; k < order.size(); ++k) reordered.operators[k] = n.operators[index(order[k])];
    std::vector<std::int64_t> none(n.tensors.size(), -1);
    if (!tflm_faults(reordered, in_file_order(reordered), none).empty()) continue;  // no order
    OrderEffort given;
    given.enough = std::int64_t{1} << 40;  // the first order will do: placed in the file's
    const auto head = tflm_head(reordered, rule, given);
    if (least < 0 || head.bytes < least) least = head.bytes;
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(TflmHead, NoOrderNeedsLessThanAnOptimalOne) {
  Random random(9);
  int optimal = 0;
  for (int i = 0; i < 400 && optimal < 40; ++i) {
    const auto drawn = dse::test::random_network(random);
    Diagnostics d;
    const auto bytes = nn::write_tflite(*drawn, d);
    if (bytes.empty()) continue;
    const nn::Network n = graph_of(bytes);
    if (n.operators.size() < 3 || n.operators.size() > 6) continue;
    const auto head = tflm_head(n, OrderRule::inplace_ew);
    if (!head.optimal()) continue;
    ++optimal;
    EXPECT_GE(least_of_all_orders(n, OrderRule::inplace_ew), head.bytes) << "network " << i;
  }
  EXPECT_GE(optimal, 20);
}

TEST(TflmHead, BranchedNetworksNeedAFifthLess) {
  for (const char* name : {"inception.yaml", "random_wiring.yaml"}) {
    const auto bytes = file_of(name);
    const nn::Network n = graph_of(bytes);
    const auto head = tflm_head(n, OrderRule::inplace_ew);
    expect_sound(n, head);
    expect_written(bytes, head);
    EXPECT_TRUE(head.optimal()) << name;
    EXPECT_LE(head.bytes * 5, head.today * 4) << name;
    EXPECT_FALSE(std::is_sorted(head.order.begin(), head.order.end())) << name;
  }
}

TEST(TflmHead, AnInputThatIsStretchedIsNotOverwritten) {
  nn::Network n;
  const auto tensor = [&](std::vector<std::int64_t> shape, nn::TensorKind kind) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n.tensors.size()), t.shape = std::move(shape), t.kind = kind;
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size()) - 1;
  };
  const int one = tensor({1, 1}, nn::TensorKind::input), all = tensor({1, 16}, nn::TensorKind::input);
  const int scaled = tensor({1, 1}, nn::TensorKind::activation), out = tensor({1, 16}, nn::TensorKind::activation);
  const auto add = [&](nn::OperatorKind kind, std::vector<int> inputs, int output) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = {output};
    n.operators.push_back(std::move(op));
  };
  add(nn::OperatorKind::relu, {one}, scaled), add(nn::OperatorKind::mul, {scaled, all}, out);
  n.inputs = {one, all}, n.outputs = {out};
  const auto head = tflm_head(n, OrderRule::inplace_ew);
  EXPECT_NE(head.offsets[index(out)], head.offsets[index(scaled)]);  // both take 16 bytes of the arena
  EXPECT_EQ(head.offsets[index(scaled)], head.offsets[index(one)]);
  EXPECT_THAT(tflm_faults(n, head.order, head.offsets), IsEmpty());
  auto offsets = head.offsets;
  offsets[index(out)] = offsets[index(scaled)];
  EXPECT_THAT(tflm_faults(n, head.order, offsets), testing::Contains(HasSubstr("share bytes")));
}

/// Variables that are read before they are written, and a subgraph that assigns their first values: of it the runtime
/// wants offsets too.
TEST(TflmHead, NetworksWithVariablesKeepTheirOrderAndHaveOffsetsForAllSubgraphs) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const auto drawn = dse::test::random_wake_word_network(random, 16);
    const auto bytes = nn::test::to_tflite(*drawn);
    const auto* model = nn::tflite::GetModel(bytes.data());
    const nn::Network n = graph_of(bytes);
    const auto head = tflm_head(n, OrderRule::inplace_ew);
    expect_sound(n, head);
    expect_written(bytes, head);
    moved += !std::is_sorted(head.order.begin(), head.order.end());
    const auto made = nn::with_offline_plan(bytes, head.order, head.offsets);
    ASSERT_TRUE(made);
    std::size_t tensors = 0;
    for (const auto* graph : *model->subgraphs()) tensors += graph->tensors()->size();
    const auto* written = nn::tflite::GetModel(made->data());
    const auto* entry = written->metadata()->Get(written->metadata()->size() - 1);
    EXPECT_EQ(written->buffers()->Get(entry->buffer())->data()->size(), 4 * (3 + tensors));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GE(moved, 1);
}

TEST(TflmHead, ASubgraphThatTakesMemoryIsRefused) {
  const auto bytes = nn::test::to_tflite(*nn::test::running_sum(7), [](nn::tflite::ModelT& m) {
    auto t = std::make_unique<nn::tflite::TensorT>();
    t->shape = {1, 4}, t->type = nn::tflite::TensorType::INT8;
    m.subgraphs.at(1)->tensors.push_back(std::move(t));
  });
  Diagnostics d;
  EXPECT_FALSE(nn::read_tflm_graph(bytes, "nested.tflite", d));
  EXPECT_THAT(d.text(), HasSubstr("subgraph 1 has tensor"));
}

TEST(TflmHead, APlanIsReplacedAndNotAdded) {
  const auto bytes = file_of("residual.yaml");
  const nn::Network n = graph_of(bytes);
  const auto one = tflm_head(n, OrderRule::inplace_ew), other = tflm_head(n, OrderRule::out_of_place);
  const auto once = nn::with_offline_plan(bytes, one.order, one.offsets);
  ASSERT_TRUE(once);
  const auto twice = nn::with_offline_plan(*once, in_file_order(n), other.offsets);
  ASSERT_TRUE(twice);
  EXPECT_EQ(nn::offline_plan_of(*twice), other.offsets);
  EXPECT_FALSE(nn::offline_plan_of(bytes));
}

TEST(TflmFaults, SeeWhatIsWrong) {
  const nn::Network n = graph_of(file_of("residual.yaml"));
  const auto head = tflm_head(n, OrderRule::out_of_place);
  auto order = head.order;
  std::reverse(order.begin(), order.end());
  EXPECT_THAT(tflm_faults(n, order, head.offsets), testing::Contains(HasSubstr("runs before")));
  const int made = n.operators[0].outputs[0], read = n.operators[0].inputs[0];
  auto offsets = head.offsets;
  offsets[index(made)] = offsets[index(read)];
  EXPECT_THAT(tflm_faults(n, head.order, offsets), testing::Contains(HasSubstr("share bytes")));
  offsets = head.offsets, offsets[index(made)] += 8;
  EXPECT_THAT(tflm_faults(n, head.order, offsets), testing::Contains(HasSubstr("multiple of 16")));
}

TEST(TflmHead, DamagedFilesAreRefused) {
  Diagnostics d;
  EXPECT_FALSE(nn::read_tflm_graph({}, "none.tflite", d));
  auto bytes = file_of("residual.yaml");
  bytes.resize(bytes.size() / 2);
  EXPECT_FALSE(nn::read_tflm_graph(bytes, "half.tflite", d));
  EXPECT_THAT(d.text(), HasSubstr("half.tflite"));
}

TEST(TflmHeadGolden, SharedNetworksNeedTheLeastThereIs) {
  const auto folder = nn::test::shared() / "models/tflite";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden files";
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto bytes = nn::test::read_bytes(file);
    const nn::Network n = graph_of(bytes);
    const auto head = tflm_head(n, OrderRule::inplace_ew);
    expect_sound(n, head);
    expect_written(bytes, head);
    EXPECT_TRUE(head.optimal()) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 10);
}

}  // namespace
}  // namespace dse::plan::tflm_head_test
