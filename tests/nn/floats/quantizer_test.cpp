// Post-training quantisation: statistics, schemes, and whole networks against float.
#include "models/nn/quantizer/quantizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/nn/dsenet.h"
#include "models/nn/made/fill.h"
#include "models/nn/quantizer/groups.h"
#include "models/nn/tflite/write_tflite.h"
#include "quantize_float.h"

namespace dse::nn::quantizer::quantizer_test {
namespace {

using test::load_float;
using test::quantized;

std::vector<std::vector<std::uint8_t>> inputs_of(const Network& n) {
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const int t : n.inputs) inputs.push_back(seeded_input(n.tensors[static_cast<std::size_t>(t)], 0, 1));
  return inputs;
}

TEST(Quantizer, ShippedNetworksInInt8AndBackThroughAFile) {
  for (const char* name : {"resnet8", "ds-cnn", "mobilenet-v1-0.25-96", "autoencoder"}) {
    // A bottleneck of 8 values spreads the samples: ranges from few of them would clip others.
    const bool autoencoder = std::string(name) == "autoencoder";
    const auto r = quantized(*load_float(name), {}, {}, autoencoder ? 64 : 4);
    EXPECT_GE(r.fidelity.sqnr(), autoencoder ? 15 : 25) << name;
    const Network& n = *r.quantized.network;
    Diagnostics d;
    const auto bytes = write_tflite(n, d);
    const auto back = import_tflite(bytes, "test.tflite", d);
    ASSERT_TRUE(back) << d.text();
    const auto a = interpret(n, inputs_of(n)), b = interpret(*back, inputs_of(n));
    for (std::size_t o = 0; o < n.outputs.size(); ++o)
      EXPECT_EQ(a[static_cast<std::size_t>(n.outputs[o])], b[static_cast<std::size_t>(back->outputs[o])]) << name;
  }
}

TEST(Quantizer, ShippedNetworksInQFormatsAndBackThroughAFile) {
  for (const char* name : {"resnet8", "ds-cnn"})
    for (const int bits : {8, 16})
      for (const auto order : {Correction::round_then_correct, Correction::correct_then_round}) {
        QuantizeOptions o;
        o.scheme = Scheme::q_format, o.bits = bits, o.correction = order;
        const auto r = quantized(*load_float(name), o);
        EXPECT_GE(r.fidelity.sqnr(), bits == 8 ? 15 : 60) << name;
        const Network& n = *r.quantized.network;
        Diagnostics d;
        const auto back = import_dsenet(write_dsenet(n), "test.dsenet", d);
        ASSERT_TRUE(back) << d.text();
        EXPECT_EQ(interpret(n, inputs_of(n)), interpret(*back, inputs_of(n)));
      }
}

TEST(Quantizer, TightWeightsKeepMoreDigitsThanFractionalOnes) {
  QuantizeOptions o;
  o.scheme = Scheme::q_format;
  const auto fractional = quantized(*load_float("resnet8"), o);
  o.fully_fractional = false;
  const auto tight = quantized(*load_float("resnet8"), o);
  EXPECT_GT(tight.fidelity.sqnr(), fractional.fidelity.sqnr());
  for (const auto& l : fractional.quantized.layers)
    EXPECT_EQ(l.has_weights ? l.weight_format.substr(0, 4) : "Q0.7", "Q0.7") << l.name;
}

TEST(Quantizer, BitsAreChosenUntilTheOutputsAreGoodEnough) {
  QuantizeOptions o;
  o.scheme = Scheme::q_format, o.bits = 0;
  const auto network = load_float("ds-cnn");
  const auto wide = [&](const BitsGoal& goal) {
    const auto r = quantized(*network, o, goal, 2);
    int count = 0;
    for (const auto& l : r.quantized.layers) count += l.bits == 16 ? 1 : 0;
    return std::pair{count, r.fidelity.sqnr()};
  };
  const auto low = wide({1, 1, 10}), middle = wide({1, 1, 40});
  EXPECT_EQ(low.first, 0);
  EXPECT_GT(middle.first, 0);
  EXPECT_LT(middle.first, 13);
  EXPECT_GT(middle.second, low.second);
  EXPECT_EQ(wide({1, 0, 75}).first, 0) << "the device has no products of 16 bits";
}

TEST(Quantizer, MorePercentileClipsMore) {
  QuantizeOptions o;
  const auto network = load_float("ds-cnn");
  const auto share = [&](const char* statistic) {
    o.activations = *statistic_from(statistic);
    const auto r = quantized(*network, o);
    return r.quantized.layers[0].output.clipped_share();
  };
  const double all = share("max"), some = share("percentile:99"), many = share("sigma:1");
  EXPECT_LT(all, 1e-3);
  EXPECT_NEAR(some, 0.005, 0.003);  // half of the percent lies above, none below the rectifier's 0
  EXPECT_GT(many, some);
}

TEST(Statistic, RangesOfKnownValues) {
  Observer o;
  std::vector<float> values;
  for (int i = -1000; i <= 1000; ++i) values.push_back(static_cast<float>(i) / 100);
  o.add(values);
  EXPECT_EQ(o.range({}).min, -10);
  EXPECT_EQ(o.range({}).max, 10);
  const Range p = o.range(*statistic_from("percentile:90"));
  EXPECT_NEAR(p.min, -9, 0.02);
  EXPECT_NEAR(p.max, 9, 0.02);
  const Range s = o.range(*statistic_from("sigma:1"));
  EXPECT_NEAR(s.max, 10 / std::sqrt(3.0), 0.01);
  Observer pieces;  // in any number of calls
  for (const float v : values) pieces.add({&v, 1});
  EXPECT_EQ(pieces.range(*statistic_from("percentile:90")).max, p.max);
  for (const char* bad :
       {"", "median", "percentile", "percentile:", "percentile:49", "sigma:0", "sigma:x", "sigma:nan"})
    EXPECT_FALSE(statistic_from(bad)) << bad;
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(o.finite());
  o.add({&infinite, 1});
  EXPECT_FALSE(o.finite());
}

/// logistic(x) and relu(x) joined: the logistic function's scale is fixed, so a change of scale comes in between.
TEST(Quantizer, ResultsOfFixedScaleMeetOthersThroughAChangeOfScale) {
  Network n;
  n.name = "join";
  const auto add = [&](const char* name, std::vector<std::int64_t> shape, TensorKind kind) {
    Tensor t;
    t.name = name, t.shape = std::move(shape), t.kind = kind, t.type = DataType::float32;
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size()) - 1;
  };
  const int x = add("x", {1, 4, 4, 2}, TensorKind::input), a = add("a", {1, 4, 4, 2}, TensorKind::activation);
  const int b = add("b", {1, 4, 4, 2}, TensorKind::activation), y = add("y", {1, 4, 4, 4}, TensorKind::activation);
  const auto op = [&](OperatorKind kind, std::vector<int> in, int out) {
    Operator o;
    o.kind = kind, o.inputs = std::move(in), o.outputs = {out}, o.options.axis = 3;
    n.operators.push_back(std::move(o));
  };
  op(OperatorKind::logistic, {x}, a);
  op(OperatorKind::relu, {x}, b);
  op(OperatorKind::concatenation, {a, b}, y);
  n.inputs = {x}, n.outputs = {y};
  Diagnostics d;
  LoadOptions options;
  options.allow_float = true;
  const auto finished = finish_network(n, d, "join", options);
  ASSERT_TRUE(finished) << d.text();
  const auto r = quantized(*finished, {});
  const Network& q = *r.quantized.network;
  ASSERT_EQ(q.operators.size(), 4u);
  EXPECT_EQ(q.tensors[static_cast<std::size_t>(a)].quantization.scale[0], 1.0f / 256);
  EXPECT_EQ(q.operators[2].kind, OperatorKind::quantize);
  const auto scale = [&](int t) { return q.tensors[static_cast<std::size_t>(t)].quantization.scale[0]; };
  for (const int in : q.operators[3].inputs) EXPECT_EQ(scale(in), scale(y));
  EXPECT_GE(r.fidelity.sqnr(), 30);
}

TEST(Quantizer, NamesTensorsThatAreNotFinite) {
  Network n = *load_float("ds-cnn");
  for (auto& t : n.tensors)
    if (t.name == "conv1/bias") t.fill = Fill{Fill::Kind::value, std::nan(""), 0, 1};
  Diagnostics d;
  const auto prepared = prepare(n, {}, "test", d);
  ASSERT_TRUE(prepared);
  const auto observed = observe(*prepared, synthetic_samples(*prepared, 1, 1));
  EXPECT_FALSE(quantize(*prepared, observed, {}, std::vector<int>(prepared->operators.size(), 8), "test", d).network);
  EXPECT_THAT(d.text(), testing::HasSubstr("tensor 'conv1/bias' has values that are not finite"));
}

TEST(Quantizer, IntegerNetworksAreRefused) {
  Diagnostics d;
  const auto n = load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/ds-cnn.yaml", d);
  EXPECT_FALSE(prepare(*n, {}, "test", d));
  EXPECT_THAT(d.text(), testing::HasSubstr("operator 0 (CONV_2D) is not in FLOAT32"));
}

}  // namespace
}  // namespace dse::nn::quantizer::quantizer_test
