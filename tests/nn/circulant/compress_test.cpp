// Nearest block-circulant matrices, pruning and clustering of whole networks.
#include "models/nn/circulant/compress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "models/nn/import.h"
#include "models/nn/made/fill.h"

namespace dse::nn::compress_test {
namespace {

using circulant::CompressedLayer;
using circulant::CompressOptions;

NetworkPtr network(Diagnostics& d) {
  return import_yaml(
      "format: 1\nname: made\ninput: {shape: [1, 6, 6, 8]}\nlayers:\n"
      "  - conv: {name: c0, filters: 16, kernel: 3, activation: relu}\n"
      "  - conv: {name: c1, filters: 12, kernel: 1, block: 4}\n  - depthwise: {kernel: 3}\n"
      "  - fully_connected: {name: fc, units: 10}\n  - softmax\n",
      "made.yaml", d, LoadOptions::floating());
}

NetworkPtr finished(Network n, Diagnostics& d) {
  LoadOptions load;
  load.allow_float = true;
  return finish_network(std::move(n), d, "made.yaml", load);
}

std::vector<float> weights_of(const Network& n, const char* layer) {
  for (const auto& op : n.operators)
    if (op.name == layer) return values_of(n.tensors[static_cast<std::size_t>(op.inputs[1])]);
  return {};
}

std::vector<float> run(const Network& n) {
  const auto made = interpret(n, seeded_inputs(n, 3))[static_cast<std::size_t>(n.outputs[0])];
  std::vector<float> out(made.size() / 4);
  std::memcpy(out.data(), made.data(), made.size());
  return out;
}

TEST(Compress, WithoutBlocksNothingChanges) {
  Diagnostics d;
  const auto n = network(d);
  std::vector<CompressedLayer> layers;
  const auto same = finished(circulant::compressed(*n, {}, layers, "", d), d);
  ASSERT_TRUE(same) << d.text();
  EXPECT_EQ(layers.size(), 3u);  // not the depthwise one
  EXPECT_EQ(circulant::total_error(layers), 0);
  EXPECT_EQ(run(*same), run(*n));
}

TEST(Compress, ALayerMayBecomeDenseAndGoBack) {
  Diagnostics d;
  const auto n = network(d);
  std::vector<CompressedLayer> layers;
  CompressOptions dense;
  dense.blocks["c1"] = 1;
  const auto expanded = finished(circulant::compressed(*n, dense, layers, "", d), d);
  ASSERT_TRUE(expanded) << d.text();
  EXPECT_EQ(expanded->operators[1].kind, OperatorKind::conv_2d);
  EXPECT_LT(circulant::total_error(layers), 1e-12);
  EXPECT_EQ(weights_of(*expanded, "c1").size(), 12u * 16);
  CompressOptions back;
  back.blocks["c1"] = 4;
  layers.clear();
  const auto again = finished(circulant::compressed(*expanded, back, layers, "", d), d);
  ASSERT_TRUE(again) << d.text();
  EXPECT_EQ(weights_of(*again, "c1"), weights_of(*n, "c1"));  // nothing was lost
  EXPECT_LT(circulant::total_error(layers), 1e-12);
  const auto x = run(*n), y = run(*expanded);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5);
}

TEST(Compress, IndependentWeightsLoseWhatTheoryDemands) {
  Diagnostics d;
  const auto n = network(d);
  for (const int b : {2, 4, 8}) {
    std::vector<CompressedLayer> layers;
    CompressOptions o;
    o.blocks["c0"] = b;
    const auto made = finished(circulant::compressed(*n, o, layers, "", d), d);
    ASSERT_TRUE(made) << d.text();
    EXPECT_EQ(layers[0].block, b);
    EXPECT_EQ(layers[0].kept * b, layers[0].parameters);
    EXPECT_NEAR(layers[0].error, std::sqrt(1 - 1.0 / b), 0.06);
    EXPECT_EQ(run(*made).size(), 10u);
  }
}

TEST(Compress, AutoTakesTheLargestBlockThatKeepsTheError) {
  Diagnostics d;
  Network n = *network(d);
  // c0 is made of blocks of 4 with a little noise, fc of noise alone.
  Tensor& w = n.tensors[static_cast<std::size_t>(n.operators[0].inputs[1])];
  const circulant::Blocks s{16, 8, 4, 9};
  std::vector<float> few(static_cast<std::size_t>(s.parameters()));
  fill_values({Fill::Kind::he_normal, 0, 5, 2}, 0, few);
  auto matrix = circulant::expanded<float>(s, few);
  std::vector<float> noise(matrix.size());
  fill_values({Fill::Kind::he_normal, 0, 6, 2}, 0, noise);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += 0.05f * noise[i];
  w.fill.reset();
  w.data.resize(4 * matrix.size());
  std::memcpy(w.data.data(), matrix.data(), w.data.size());
  std::vector<CompressedLayer> layers;
  CompressOptions o;
  o.most_error = 0.1;
  ASSERT_TRUE(finished(circulant::compressed(n, o, layers, "", d), d)) << d.text();
  EXPECT_EQ(layers[0].block, 4);
  EXPECT_EQ(layers[2].block, 1);
}

TEST(Compress, PrunesAndClusters) {
  Diagnostics d;
  const auto n = network(d);
  CompressOptions o;
  o.prune = 0.5, o.cluster = 9;
  std::vector<CompressedLayer> layers;
  const auto made = finished(circulant::compressed(*n, o, layers, "", d), d);
  ASSERT_TRUE(made) << d.text();
  for (const auto& l : layers) {
    EXPECT_EQ(l.zeros, (l.kept + 1) / 2) << l.name;
    EXPECT_EQ(l.values, 9) << l.name;  // zero and eight others
    EXPECT_LT(l.error, 0.4) << l.name;
    EXPECT_GT(l.error, 0.05) << l.name;
  }
  // The weights that are left lie around where they were.
  const auto before = weights_of(*n, "fc"), after = weights_of(*made, "fc");
  std::set<float> values;
  double squares = 0, lost = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    values.insert(after[i]);
    squares += static_cast<double>(before[i]) * before[i];
    lost += static_cast<double>(after[i] - before[i]) * (after[i] - before[i]);
  }
  EXPECT_EQ(values.size(), 9u);
  EXPECT_NEAR(std::sqrt(lost / squares), layers[2].error, 1e-6);
}

}  // namespace
}  // namespace dse::nn::compress_test
