// What stores of Q formats are rescaled by: formats of the worst case, and factors of batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/graph/finish.h"
#include "models/nn/made/seeded_network.h"
#include "quantize_float.h"

namespace dse::nn::quantizer::rescaling_test {
namespace {

using test::load_float;
using test::quantized;

/// In integers: the sum of magnitudes, corrected and shifted as the store does, fits the output's type, as far as the
/// activation lets it pass and sums of products read it.
void expect_no_clipping(const Network& n) {
  int products = 0;
  for (const auto& op : n.operators) {
    const auto readers = n.consumers(op.outputs[0]);
    if (!has_filters(op.kind) || readers.empty() || op.options.activation == Activation::relu6) continue;
    if (!std::all_of(readers.begin(), readers.end(),
                     [&](int r) { return has_filters(n.operators[static_cast<std::size_t>(r)].kind); }))
      continue;
    ++products;
    const auto& k = op.kernel;
    const auto weights = filter_major_weights(n, op);
    const std::size_t size = k.weight_type == DSE_I16 ? 2 : 1, words = k.acc_bytes == 8 ? 4 : 3;
    const std::size_t each = weights.size() / size / static_cast<std::size_t>(k.out_c);
    const double limit = k.out_type == DSE_I16 ? 32767 : 127, input = k.in_type == DSE_I16 ? 32768 : 128;
    for (std::size_t c = 0; c < static_cast<std::size_t>(k.out_c); ++c) {
      const std::int32_t* record = &op.channel_params[words * c];
      double sum = std::abs(static_cast<double>(record[0]));
      if (words == 4)
        sum = std::abs(static_cast<double>(record[0]) + 4294967296.0 * record[1] + (record[0] < 0) * 0x1p32);
      for (std::size_t i = c * each; i < (c + 1) * each; ++i) {
        std::int16_t wide = 0;
        std::memcpy(&wide, &weights[i * size], size);
        sum += input * std::abs(size == 2 ? static_cast<double>(wide) : static_cast<std::int8_t>(weights[i]));
      }
      EXPECT_LE(std::floor(sum * record[words - 2] * std::ldexp(1.0, -record[words - 1]) + 0.5), limit)
          << op.name << ", channel " << c;
    }
  }
  EXPECT_GT(products, 2);
}

TEST(Rescaling, NoInputClipsASumOfProductsInFormatsOfTheWorstCase) {
  for (const int bits : {8, 16}) {
    QuantizeOptions o;
    o.scheme = Scheme::q_format, o.bits = bits, o.worst_case = true;
    for (const char* name : {"resnet8", "ds-cnn"}) {
      SCOPED_TRACE(std::string(name) + " in " + std::to_string(bits));
      const auto r = quantized(*load_float(name), o, {}, 2);
      expect_no_clipping(*r.quantized.network);
      if (bits == 16 && name == std::string("resnet8")) {
        EXPECT_GT(r.fidelity.sqnr(), 20) << "two products on end; ds-cnn has nine, which leave no digits";
      }
    }
  }
}

TEST(Rescaling, FormatsOfTheWorstCaseGrowFromLayerToLayerUntilNoShiftIsLeft) {
  QuantizeOptions o;
  o.scheme = Scheme::q_format, o.worst_case = true;
  Diagnostics d;
  const auto prepared = prepare(*load_float("autoencoder"), o, "test", d);
  const auto observed = observe(*prepared, synthetic_samples(*prepared, 2, 1));
  const auto made = quantize(*prepared, observed, o, std::vector<int>(prepared->operators.size(), 8), "test", d);
  EXPECT_FALSE(made.network);
  EXPECT_NE(d.text().find("operator 9 (FULLY_CONNECTED): the Q formats of input, weights and output lie"),
            std::string::npos)
      << d.text();
}

/// Six convolutions, what they make is as loud as what they read.
NetworkPtr chain_without_biases() {
  NetworkSpec spec;
  spec.name = "chain", spec.input_shape = {1, 12, 12, 8};
  for (int l = 0; l < 6; ++l) {
    LayerSpec layer;
    layer.name = "conv" + std::to_string(l), layer.from = l - 1, layer.bias = false, layer.shape = {1, 12, 12, 8};
    layer.options.filter_h = layer.options.filter_w = 3, layer.options.same_padding = true;
    layer.options.activation = Activation::relu;
    spec.layers.push_back(std::move(layer));
  }
  Diagnostics d;
  LoadOptions options;
  options.allow_float = true;
  auto n = finish_network(seeded_float_network(spec), d, "chain", options);
  EXPECT_TRUE(n) << d.text();
  return n;
}

/// Against float, on inputs a share as large as those of calibration.
double quieter(const Network& floating, const QuantizeOptions& options, float share) {
  Diagnostics d;
  const auto prepared = prepare(floating, options, "test", d);
  const auto observed = observe(*prepared, synthetic_samples(*prepared, 8, 1));
  auto made =
      quantize(*prepared, observed, options, std::vector<int>(prepared->operators.size(), options.bits), "test", d);
  EXPECT_TRUE(made.network) << d.text();
  auto samples = synthetic_samples(*prepared, 4, 2);
  for (auto& sample : samples)
    for (auto& input : sample)
      for (std::size_t i = 0; i + 4 <= input.size(); i += 4) {
        float v = 0;
        std::memcpy(&v, &input[i], 4);
        v *= share;
        std::memcpy(&input[i], &v, 4);
      }
  measure(*prepared, made, samples);
  for (std::size_t o = made.layers.size(); o-- > 0;)
    if (made.network->operators[o].kind == OperatorKind::conv_2d) return made.layers[o].output.sqnr();
  return 0;
}

TEST(Rescaling, FactorsOfBatchesKeepDigitsWhereInputsAreQuiet) {
  QuantizeOptions fixed;
  fixed.scheme = Scheme::q_format;
  QuantizeOptions dynamic = fixed;
  dynamic.factors = OutputBatches{};
  const auto n = chain_without_biases();
  for (const float share : {1.0f, 0.25f, 0.0625f}) {
    const double a = quieter(*n, fixed, share), b = quieter(*n, dynamic, share);
    std::printf("inputs of %.4f: static %.1f dB, dynamic %.1f dB\n", static_cast<double>(share), a, b);
    EXPECT_GT(b, a + (share < 1 ? 3 : 0));
  }
}

TEST(Rescaling, FactorsOfBatchesHaveALineInTheReport) {
  QuantizeOptions o;
  o.scheme = Scheme::q_format, o.factors = OutputBatches{OutputBatches::By::number, 7};
  const auto r = quantized(*load_float("mobilenet-v1-0.25-96"), o, {}, 2);
  const auto& n = *r.quantized.network;
  ASSERT_EQ(r.quantized.layers.size(), n.operators.size());
  int normalised = 0;
  for (std::size_t i = 0; i < n.operators.size(); ++i) {
    EXPECT_EQ(r.quantized.layers[i].name, n.operators[i].name);
    normalised += n.operators[i].kind == OperatorKind::normalize;
    const bool finds = n.operators[i].options.output_batches > 0;
    EXPECT_EQ(r.quantized.layers[i].format.find(" / 7") != std::string::npos, finds) << r.quantized.layers[i].format;
  }
  EXPECT_EQ(normalised, 1) << "before the pool";
}

}  // namespace
}  // namespace dse::nn::quantizer::rescaling_test
