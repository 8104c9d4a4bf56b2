// The published and recomputed numbers of the Q-format rules: formats, encodings, divisions, and a product with
// correction in both orders through the kernel.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "models/nn/quantizer/qformat.h"
#include "models/nn/quantizer/schemes.h"
#include "tests/nn/golden/golden.h"

namespace dse::nn::quantizer::qformat_golden_test {
namespace {

double number(const nlohmann::json& j) { return std::strtod(j.get<std::string>().c_str(), nullptr); }

class QFormatGolden : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = test::shared() / "golden" / "qformat" / "qformat.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
    golden_ = test::read_json(path);
  }
  nlohmann::json golden_;
};

TEST_F(QFormatGolden, Formats) {
  int cases = 0;
  for (const char* key : {"choose_format_16bit", "choose_format_8bit"})
    for (const auto& c : golden_[key]) {
      const QFormat f = choose_format(number(c["min"]), number(c["max"]), c["bits"]);
      EXPECT_EQ(f.m(), c["expect_m"].get<int>()) << c;
      EXPECT_EQ(f.text(), c["expect"].get<std::string>()) << c;
      ++cases;
    }
  EXPECT_EQ(cases, 18);
}

TEST_F(QFormatGolden, Encodings) {
  for (const auto& c : golden_["encode"]) {
    const QFormat f{c["bits"], c["n"]};
    ASSERT_EQ(f.m(), c["m"].get<int>());
    const std::int64_t q = encode(number(c["value"]), f);
    EXPECT_EQ(q, c["int"].get<std::int64_t>()) << c;
    EXPECT_EQ(static_cast<double>(q) * f.step(), c["dequant"].get<double>()) << c;
    const bool saturated = q == f.highest() ? number(c["value"]) > static_cast<double>(q) * f.step()
                                            : q == f.lowest() && number(c["value"]) < static_cast<double>(q) * f.step();
    EXPECT_EQ(saturated, c["saturated"].get<bool>()) << c;
  }
  EXPECT_EQ(golden_["encode"].size(), 35u);
}

TEST_F(QFormatGolden, Divisions) {
  for (const auto& c : golden_["division"])
    for (const auto& [key, divisor] :
         {std::pair{"round_up_integer", Divisor::integer}, std::pair{"power_of_two", Divisor::power_of_two}}) {
      const auto& expected = c[key];
      const std::int32_t factor = division_factor(c["max_abs"], divisor);
      EXPECT_EQ(factor, expected["correction_factor"].get<int>()) << c;
      // Through the whole path, too: as the filter of one output channel.
      std::vector<float> values;
      for (const auto& w : c["weights"]) values.push_back(static_cast<float>(number(w)));
      Tensor weights;
      weights.shape = {1, static_cast<std::int64_t>(values.size())}, weights.kind = TensorKind::constant;
      weights.type = DataType::float32;
      Operator op;
      op.kind = OperatorKind::fully_connected;
      QuantizeOptions options;
      options.divisor = divisor;
      const auto encoded = q_weights(op, weights, values, 16, options);
      EXPECT_EQ(encoded.tensor.quantization.correction, std::vector<std::int32_t>{factor});
      EXPECT_EQ(encoded.tensor.quantization.scale[0], 0x1p-15f);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double divided = number(c["weights"][i]) / factor;
        // Golden quotients are of decimal fractions, ours of the nearest doubles.
        EXPECT_DOUBLE_EQ(divided, expected["divided"][i].get<double>());
        EXPECT_EQ(encode(divided, {16, 15}), expected["q15"][i].get<std::int64_t>()) << c;
        std::int16_t q = 0;
        std::memcpy(&q, &encoded.tensor.data[2 * i], 2);
        EXPECT_EQ(q, expected["q15"][i].get<std::int64_t>()) << c;
        EXPECT_EQ(q * 0x1p-15 * factor, expected["recovered"][i].get<double>());
      }
    }
}

TEST_F(QFormatGolden, ProductWithCorrectionInBothOrders) {
  const auto& c = golden_["mac_with_correction"];
  const auto data = c["data_Q7_8"].get<std::vector<std::int16_t>>();
  const auto weights = c["weights_Q0_15"].get<std::vector<std::int16_t>>();
  const auto size = static_cast<std::int64_t>(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(encode(number(c["data"][i]), {16, 8}), data[i]);
  const auto bytes = [](const std::vector<std::int16_t>& v) {
    std::vector<std::uint8_t> b(2 * v.size());
    std::memcpy(b.data(), v.data(), b.size());
    return b;
  };
  for (const auto& [key, order] : {std::pair{"a_round_then_correct", Correction::round_then_correct},
                                   std::pair{"b_correct_then_round", Correction::correct_then_round}}) {
    Network n;
    n.name = "mac";
    Tensor x;
    x.name = "x", x.shape = {1, size}, x.type = DataType::int16, x.kind = TensorKind::input;
    x.quantization = q_quantization({16, 8});
    Tensor y = x;
    y.name = "y", y.shape = {1, 1}, y.kind = TensorKind::activation;
    Tensor w = x;
    w.name = "w", w.kind = TensorKind::constant, w.data = bytes(weights);
    w.quantization = q_quantization({16, 15});
    w.quantization.correction = {c["correction"].get<std::int32_t>()};
    n.tensors = {x, w, y};
    Operator op;
    op.kind = OperatorKind::fully_connected, op.inputs = {0, 1, -1}, op.outputs = {2};
    op.options.rounding = Rounding::qformat, op.options.correction = order;
    n.operators = {op};
    n.inputs = {0}, n.outputs = {2};
    Diagnostics d;
    const auto network = finish_network(n, d, "mac");
    ASSERT_TRUE(network) << d.text();
    const auto out = interpret(*network, {bytes(data)})[2];
    std::int16_t q = 0;
    std::memcpy(&q, out.data(), 2);
    EXPECT_EQ(q, c[key]["q7_8"].get<int>()) << key;
    EXPECT_EQ(q * 0x1p-8, c[key]["value"].get<double>());
  }
}

}  // namespace
}  // namespace dse::nn::quantizer::qformat_golden_test
