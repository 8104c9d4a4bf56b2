// write_networks FOLDER [COUNT [FIRST [small|streams|large]]]: networks for the smoke matrix. Quantised ONNX as the
// usual exporters write it: pairs of QuantizeLinear and DequantizeLinear around float operators, and QLinear operators.
// A TensorFlow Lite file of a streaming network, with resource variables that it reads before it writes them. Weights
// are seeded noise. With a count instead of these so many drawn ones, from number FIRST on.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "onnx_writer.h"
#include "tests/nn/tflite/tflite_writer.h"
#include "tests/support/graphs/any_network.h"
#include "tests/support/streaming/wake_word.h"

namespace {

using namespace dse::nn::test;

constexpr int i8 = dse::nn::onnx::TensorProto::INT8, u8 = dse::nn::onnx::TensorProto::UINT8;

/// A network whose tensors are quantised one by one.
class Quantized {
 public:
  explicit Quantized(std::uint64_t seed) : seed_(seed) {}

  OnnxModel model{13};

  void parameters(const std::string& tensor, float scale, int zero, bool is_signed) {
    model.scalar(tensor + "_s", scale);
    if (is_signed)
      model.int8s(tensor + "_z", {}, {zero});
    else
      model.uint8s(tensor + "_z", {}, {zero});
  }

  /// Weights with a scale per output channel, and their bias, as constants that DequantizeLinear makes real.
  void weights(const std::string& name, const Shape& shape, float scale_in) {
    std::size_t count = 1;
    for (const auto extent : shape) count *= static_cast<std::size_t>(extent);
    const auto outputs = static_cast<std::size_t>(shape[0]);
    const float spread = 2.5F / static_cast<float>(std::max<std::size_t>(1, count / outputs));
    std::vector<float> scales, bias_scales;
    for (const float v : noise(outputs, ++seed_)) scales.push_back(spread * (0.05F + 0.02F * v));
    for (const float s : scales) bias_scales.push_back(scale_in * s);
    model.int8s(name, shape, integers(count, -127, 127, ++seed_)).floats(name + "_s", {shape[0]}, scales);
    model.int8s(name + "_z", {shape[0]}, std::vector<int>(outputs, 0));
    model.int32s(name + "_b", integers(outputs, -2000, 2000, ++seed_)).floats(name + "_b_s", {shape[0]}, bias_scales);
    model.int32s(name + "_b_z", std::vector<std::int32_t>(outputs, 0));
    real(name, true), real(name + "_b", true);
  }

  void real(const std::string& t, bool per_channel = false) {
    std::vector<Attribute> axis;
    if (per_channel) axis.emplace_back("axis", 0);
    model.node("DequantizeLinear", {t, t + "_s", t + "_z"}, {t + "_f"}, axis);
  }

  /// `type`(inputs) -> Relu, if wanted -> QuantizeLinear -> DequantizeLinear: the tensor `out`.
  void pair(const std::string& type, const Names& inputs, const std::string& out, float scale, int zero, bool relu,
            std::vector<Attribute> attributes = {}) {
    parameters(out, scale, zero, true);
    Names real_inputs;
    for (const auto& t : inputs) real_inputs.push_back(t + "_f");
    model.node(type, real_inputs, {out + (relu ? "_n" : "_r")}, std::move(attributes));
    if (relu) model.node("Relu", {out + "_n"}, {out + "_r"});
    model.node("QuantizeLinear", {out + "_r", out + "_s", out + "_z"}, {out});
    real(out);
  }

  void convolution(const std::string& in, float scale_in, const std::string& out, const Shape& w, int stride,
                   int groups, bool relu, float scale) {
    weights(out + "_w", w, scale_in);
    const int k = static_cast<int>(w[2]), pad = k / 2;
    pair("Conv", {in, out + "_w", out + "_w_b"}, out, scale, relu ? -128 : 3, relu,
         {{"kernel_shape", {k, k}}, {"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}, {"group", groups}});
  }

 private:
  std::uint64_t seed_;
};

/// A residual block, depthwise layers with stride, two branches that meet in a concatenation, average, classifier.
std::vector<std::uint8_t> pairs() {
  Quantized q(100);
  q.model.input("image", {1, 3, 32, 24}, i8).output("scores");
  q.parameters("image", 0.02F, -4, true), q.real("image");
  q.convolution("image", 0.02F, "stem", {12, 3, 3, 3}, 2, 1, true, 0.03F);
  q.convolution("stem", 0.03F, "deep", {12, 1, 3, 3}, 1, 12, true, 0.02F);
  q.convolution("deep", 0.02F, "point", {12, 12, 1, 1}, 1, 1, false, 0.04F);
  q.pair("Add", {"point", "stem"}, "sum", 0.05F, -20, false);
  q.convolution("sum", 0.05F, "left", {10, 12, 1, 1}, 1, 1, true, 0.03F);
  q.convolution("sum", 0.05F, "right", {14, 12, 5, 5}, 1, 1, true, 0.03F);
  q.pair("Concat", {"left", "right"}, "both", 0.03F, -128, false, {{"axis", 1}});
  q.convolution("both", 0.03F, "down", {24, 1, 3, 3}, 2, 24, true, 0.03F);
  q.convolution("down", 0.03F, "last", {32, 24, 1, 1}, 1, 1, true, 0.03F);
  q.pair("GlobalAveragePool", {"last"}, "mean", 0.02F, -128, false);
  q.model.node("Flatten", {"mean_f"}, {"flat_f"});
  q.weights("fc", {10, 32}, 0.02F);
  q.parameters("scores", 0.06F, 2, true);
  q.model.node("Gemm", {"flat_f", "fc_f", "fc_b_f"}, {"scores_r"}, {{"transB", 1}});
  q.model.node("QuantizeLinear", {"scores_r", "scores_s", "scores_z"}, {"scores"});
  return q.model.bytes();
}

/// The same kind of network in QLinear operators, unsigned, with max pooling.
std::vector<std::uint8_t> qlinear() {
  OnnxModel m{13};
  std::uint64_t seed = 500;
  const auto parameters = [&](const std::string& t, float scale, int zero) {
    m.scalar(t + "_s", scale).uint8s(t + "_z", {}, {zero});
  };
  const auto convolution = [&](const std::string& in, const std::string& out, const Shape& w, int stride, int groups) {
    const auto count = static_cast<std::size_t>(w[0] * w[1] * w[2] * w[3]);
    m.int8s(out + "_w", w, integers(count, -127, 127, ++seed))
        .scalar(out + "_w_s", 0.004F)
        .int8s(out + "_w_z", {}, {0});
    m.int32s(out + "_b", integers(static_cast<std::size_t>(w[0]), -900, 900, ++seed));
    parameters(out, 0.05F, 120);
    const int pad = static_cast<int>(w[2]) / 2;
    m.node("QLinearConv",
           {in, in + "_s", in + "_z", out + "_w", out + "_w_s", out + "_w_z", out + "_s", out + "_z", out + "_b"},
           {out}, {{"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}, {"group", groups}});
  };
  m.input("image", {1, 3, 28, 28}, u8).output("scores");
  parameters("image", 0.03F, 128);
  convolution("image", "stem", {8, 3, 5, 5}, 1, 1);
  m.node("MaxPool", {"stem"}, {"pool"}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
  m.scalar("pool_s", 0.05F).uint8s("pool_z", {}, {120});
  convolution("pool", "deep", {8, 1, 3, 3}, 1, 8);
  convolution("deep", "wide", {16, 8, 1, 1}, 1, 1);
  parameters("mean", 0.05F, 120);
  m.node("QLinearGlobalAveragePool", {"wide", "wide_s", "wide_z", "mean_s", "mean_z"}, {"mean"}, {}, "com.microsoft");
  m.node("Flatten", {"mean"}, {"flat"});
  m.int8s("v", {16, 6}, integers(96, -127, 127, ++seed)).scalar("v_s", 0.01F).int8s("v_z", {}, {0});
  parameters("scores", 0.04F, 128);
  m.node("QLinearMatMul", {"flat", "mean_s", "mean_z", "v", "v_s", "v_z", "scores_s", "scores_z"}, {"scores"});
  return m.bytes();
}

/// One in three streams; of the others most have 10 to 60 operators, one in twenty up to 300. "small" ones have a few
/// operators; "streams" stream, all of them; "large" ones have 50 to 150.
dse::nn::NetworkPtr drawn(std::uint64_t number, const std::string& family) {
  dse::test::Random random(number);
  const bool small = family == "small";
  if (family == "streams") return dse::test::random_wake_word_network(random);
  if (family == "large") return dse::test::random_any_network(random, dse::test::pick(random, 50, 150));
  if (number % 3 == 0)
    return dse::test::random_wake_word_network(random, small ? 8 : dse::test::pick(random, 0, 1) ? 24 : 64);
  if (small) return dse::test::random_any_network(random, dse::test::pick(random, 2, 12));
  const int operators = dse::test::pick(random, 0, 19) ? dse::test::pick(random, 10, 60)  //
                                                       : dse::test::pick(random, 60, 300);
  return dse::test::random_any_network(random, operators);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 0; };
  const std::uint64_t count = number(2), first = number(3);
  const std::string family = argc == 5 ? argv[4] : "";
  const bool known = family == "small" || family == "streams" || family == "large";
  if (argc < 2 || argc > 5 || (argc > 2 && count == 0) || (argc == 5 && !known)) {
    fmt::print(stderr, "usage: write_networks FOLDER [COUNT [FIRST [small|streams|large]]]\n");
    return 2;
  }
  const auto write = [&](const std::string& name, const std::vector<std::uint8_t>& bytes) {
    std::ofstream file(fmt::format("{}/{}", argv[1], name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
  };
  for (std::uint64_t n = first; n < first + count; ++n)
    if (!write(fmt::format("drawn{:04}.tflite", n), to_tflite(*drawn(n, family)))) return 1;
  if (count > 0) return 0;
  dse::test::Random random(3);
  return write("pairs.onnx", pairs()) && write("qlinear.onnx", qlinear()) &&
                 write("wake-word.tflite", to_tflite(*dse::test::random_wake_word_network(random)))
             ? 0
             : 1;
}
