// The project's own network format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "models/nn/import.h"
#include "tests/nn/golden/golden.h"

namespace dse::nn::test::nn_yaml_test {
namespace {

using testing::HasSubstr;

const char* const tiny = R"(format: 1
name: tiny
input: {shape: [1, 8, 8, 3]}
layers:
  - conv: {name: stem, filters: 8, kernel: 3, stride: 2, activation: relu}
  - depthwise: {kernel: 3, multiplier: 2, activation: relu6}
  - conv: {filters: 8, kernel: 1}
  - add: {with: stem}
  - max_pool: {kernel: 2}
  - average_pool: {kernel: [2, 1]}
  - reshape: {shape: [1, 16]}
  - fully_connected: {units: 5}
  - softmax
)";

NetworkPtr read(const std::string& text) {
  Diagnostics diags;
  auto n = import_yaml(text, "n.yaml", diags);
  EXPECT_TRUE(n) << diags.text();
  return n;
}

std::string errors(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(import_yaml(text, "n.yaml", diags));
  EXPECT_TRUE(diags.has_errors());
  return diags.text();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, what.size(), with);
}

TEST(Yaml, PadsAndMeans) {
  const auto n = [&](const std::string& layers) {
    Diagnostics diags;
    LoadOptions as_is;
    as_is.as_in_file = true;
    auto made =
        import_yaml("format: 1\nname: p\ninput: {shape: [1, 6, 5, 2]}\nlayers:\n" + layers, "n.yaml", diags, as_is);
    EXPECT_TRUE(made) << diags.text();
    return made;
  };
  const auto explicit_ =
      n("  - pad: {padding: [1, 2, 0, 1]}\n  - conv: {filters: 3, kernel: 3, padding: valid}\n  - mean\n");
  ASSERT_TRUE(explicit_);
  EXPECT_EQ(explicit_->tensors[static_cast<std::size_t>(explicit_->operators[0].outputs[0])].shape,
            (std::vector<std::int64_t>{1, 9, 6, 2}));
  EXPECT_EQ(explicit_->tensors[static_cast<std::size_t>(explicit_->outputs[0])].shape,
            (std::vector<std::int64_t>{1, 3}));
  const auto padded = n("  - conv: {filters: 3, kernel: 3, padding: [1, 2, 0, 1]}\n  - mean: {keep_dims: true}\n");
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->tensors[static_cast<std::size_t>(padded->outputs[0])].shape,
            (std::vector<std::int64_t>{1, 1, 1, 3}));
  const auto input = seeded_input(explicit_->tensors[0], 0, 1);
  EXPECT_EQ(interpret(*explicit_, {input})[static_cast<std::size_t>(explicit_->outputs[0])],
            interpret(*padded, {input})[static_cast<std::size_t>(padded->outputs[0])]);
  EXPECT_THAT(errors(replaced(tiny, "filters: 8, kernel: 3, stride: 2", "filters: 8, kernel: 3, padding: [1, 1, 1]")),
              HasSubstr("n.yaml:5:56: error: layer 0 (conv): 'padding' must be a list of 4 integers"));
  EXPECT_THAT(errors(replaced(tiny, "- max_pool: {kernel: 2}", "- pad: {padding: -1}")),
              HasSubstr("'padding' must hold integers from 0 to 32768"));
}

TEST(NetworkYaml, BuildsTheLayersInOrder) {
  const auto n = read(tiny);
  ASSERT_TRUE(n);
  std::vector<std::string> names;
  for (const auto& op : n->operators) names.push_back(op.name);
  EXPECT_EQ(names, (std::vector<std::string>{"stem", "depthwise0", "conv1", "add0", "max_pool0", "average_pool0",
                                             "reshape0", "fully_connected0", "softmax0"}));
  EXPECT_EQ(n->name, "tiny");
  EXPECT_EQ(n->operators[1].kernel.multiplier, 2);
  EXPECT_EQ(n->operators[3].inputs[1], n->operators[0].outputs[0]);
  EXPECT_EQ(n->tensors[static_cast<std::size_t>(n->outputs.at(0))].shape, (std::vector<std::int64_t>{1, 5}));
  // 4x4x8 outputs of 3x3x3; 4x4x16 of 3x3; 4x4x8 of 16; 5 of 16.
  EXPECT_EQ(n->macs(), 128 * 27 + 256 * 9 + 128 * 16 + 80);
}

TEST(NetworkYaml, SeedDecidesWeightsAndNothingElse) {
  const auto a = read(tiny), b = read(tiny), c = read(replaced(tiny, "name: tiny", "name: tiny\nseed: 2"));
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->tensors[1].data, b->tensors[1].data);
  EXPECT_NE(a->tensors[1].data, c->tensors[1].data);
  EXPECT_EQ(a->structure_hash(), c->structure_hash());
  EXPECT_NE(a->structure_hash(), read(replaced(tiny, "units: 5", "units: 6"))->structure_hash());
  EXPECT_NE(a->structure_hash(), read(replaced(tiny, "stride: 2, activation: relu", "stride: 2"))->structure_hash());
}

TEST(NetworkYaml, EveryProblemIsReportedWithItsPlace) {
  const std::string text = errors(R"(format: 1
name: bad
input: {shape: [1, 8, 8, 3], scale: 0}
colour: red
layers:
  - conv: {filters: 010, kernel: 3}
  - conv: {filters: 8, kernel: 3, kernel: 5}
  - convolution: {filters: 8}
  - depthwise: {kernel: 3, from: nowhere}
  - softmax: {temperature: 2}
)");
  EXPECT_THAT(text, HasSubstr("n.yaml:3:37: error: input: 'scale' must be a number"));
  EXPECT_THAT(text, HasSubstr("n.yaml:4:1: error: network: unknown key 'colour'"));
  EXPECT_THAT(text, HasSubstr("n.yaml:6:21: error: layer 0 (conv): 'filters' must be an integer"));
  EXPECT_THAT(text, HasSubstr("n.yaml:7:35: error: layer 1 (conv): 'kernel' is given twice"));
  EXPECT_THAT(text, HasSubstr("n.yaml:8:5: error: unknown layer 'convolution'"));
  EXPECT_THAT(text, HasSubstr("n.yaml:9:34: error: layer 3 (depthwise): no earlier layer is called 'nowhere'"));
  EXPECT_THAT(text, HasSubstr("n.yaml:10:15: error: layer 4 (softmax): unknown key 'temperature'"));
}

TEST(NetworkYaml, RefusesWhatCannotBeBuilt) {
  EXPECT_THAT(errors(""), HasSubstr("empty"));
  EXPECT_THAT(errors("[1, 2"), HasSubstr("n.yaml:"));
  EXPECT_THAT(errors(replaced(tiny, "format: 1", "format: 2")), HasSubstr("'format' must be an integer from 1 to 1"));
  EXPECT_THAT(errors(replaced(tiny, "[1, 8, 8, 3]", "[1, 65536, 65536, 65536]")), HasSubstr("more than 64 M elements"));
  EXPECT_THAT(errors(replaced(tiny, "units: 5", "units: 60000000")), HasSubstr("more than 64 M"));
  EXPECT_THAT(errors(replaced(tiny, "[1, 16]", "[1, 17]")), HasSubstr("not as many elements"));
  EXPECT_THAT(errors(replaced(tiny, "max_pool: {kernel: 2}", "max_pool: {kernel: 9}")), HasSubstr("does not fit"));
  EXPECT_THAT(errors(replaced(tiny, "with: stem", "with: input")), HasSubstr("differ"));
  EXPECT_THAT(errors(replaced(tiny, "conv: {filters: 8, kernel: 1}", "conv: {name: stem, filters: 8, kernel: 1}")),
              HasSubstr("taken"));
  Diagnostics diags;
  EXPECT_FALSE(load_network("network.onnxx", diags));
  EXPECT_FALSE(load_network("no/such/file.yaml", diags));
  EXPECT_EQ(diags.list().size(), 2u);
}

/// Constants, shapes and quantisation of every tensor.
/// Of a tensor's bytes: the values that they stand for.
std::vector<double> reals(const Tensor& t, const std::vector<std::uint8_t>& bytes) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    std::int16_t wide = 0;
    if (t.type == DataType::int16) std::memcpy(&wide, &bytes[static_cast<std::size_t>(2 * i)], 2);
    const auto raw = t.type == DataType::int16 ? wide : static_cast<std::int8_t>(bytes[static_cast<std::size_t>(i)]);
    out.push_back(static_cast<double>(t.quantization.scale[0]) *
                  (raw - static_cast<double>(t.quantization.zero_point[0])));
  }
  return out;
}

TEST(NetworkYaml, SixteenBitsComputeWhatEightDoMoreFinely) {
  const auto narrow = read(tiny);
  const auto wide = read(replaced(tiny, "[1, 8, 8, 3]", "[1, 8, 8, 3], type: int16"));
  ASSERT_TRUE(narrow && wide);
  EXPECT_EQ(wide->macs(), narrow->macs());
  EXPECT_NE(wide->structure_hash(), narrow->structure_hash());
  const auto input = static_cast<std::size_t>(narrow->inputs[0]);
  const auto few = seeded_input(narrow->tensors[input], 0, 0);
  std::vector<std::uint8_t> many(2 * few.size());  // the same values: 256 times as fine
  for (std::size_t i = 0; i < few.size(); ++i) many[2 * i + 1] = few[i];
  const auto a = interpret(*narrow, {few}), b = interpret(*wide, {many});
  for (std::size_t o = 0; o < wide->operators.size(); ++o) {
    const auto& out = wide->tensors[static_cast<std::size_t>(wide->operators[o].outputs[0])];
    const auto of_8 = static_cast<std::size_t>(narrow->operators[o].outputs[0]);
    EXPECT_EQ(out.type, DataType::int16);
    EXPECT_EQ(out.quantization.zero_point, std::vector<std::int64_t>{0});
    const auto x = reals(narrow->tensors[of_8], a[of_8]);
    const auto y = reals(out, b[static_cast<std::size_t>(wide->operators[o].outputs[0])]);
    const double step = static_cast<double>(narrow->tensors[of_8].quantization.scale[0]);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 8 * step) << wide->operators[o].name;
  }
  EXPECT_EQ(wide->tensors[static_cast<std::size_t>(wide->outputs[0])].quantization.scale[0], 1.0f / 32768);
  EXPECT_THAT(errors(replaced(tiny, "[1, 8, 8, 3]", "[1, 8, 8, 3], type: int16, zero_point: 3")),
              HasSubstr("n.yaml:3:55: error: input: zero_point is 0 where values have 16 bits"));
  EXPECT_THAT(errors(replaced(tiny, "[1, 8, 8, 3]", "[1, 8, 8, 3], type: int4")),
              HasSubstr("'type' must be one of int8, int16"));
}

std::string fingerprint(const Network& n) {
  std::vector<std::uint8_t> bytes;
  const auto eat = [&](const auto& values) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof(values[0]));
  };
  for (const auto& t : n.tensors) eat(t.data), eat(t.shape), eat(t.quantization.scale), eat(t.quantization.zero_point);
  return crc32(bytes);
}

// Plans, fronts and figures in the documents are of these bytes.
TEST(NetworkYaml, ShippedNetworksStayAsTheyAre) {
  for (const auto& [name, crc] : std::vector<std::pair<std::string, std::string>>{{"autoencoder", "e4309712"},
                                                                                  {"ds-cnn", "a8b08a19"},
                                                                                  {"mobilenet-v1-0.25-96", "b4def198"},
                                                                                  {"mobilenet-v2-0.35-64", "8f831d30"},
                                                                                  {"once-for-all-48", "bfccce75"},
                                                                                  {"resnet8", "f2cad0e1"}}) {
    Diagnostics diags;
    const auto n =
        load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml", diags, every_tensor());
    ASSERT_TRUE(n) << diags.text();
    EXPECT_EQ(fingerprint(*n), crc) << name;
  }
}

class ShippedNetwork : public testing::TestWithParam<std::pair<const char*, const char*>> {};

NetworkPtr shipped(const std::string& name) {
  Diagnostics diags;
  const auto n = load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml", diags);
  EXPECT_TRUE(n) << diags.text();
  return n;
}

TEST_P(ShippedNetwork, IsTheArchitectureOfTheBenchmarkModel) {
  const auto n = shipped(GetParam().first);
  ASSERT_TRUE(n);
  const auto model = shared() / "models" / "tflite" / (std::string(GetParam().second) + ".tflite");
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no model at " << model;
  Diagnostics diags;
  const auto reference = load_network(model.string(), diags);
  ASSERT_TRUE(reference) << diags.text();
  EXPECT_EQ(n->structure_hash(), reference->structure_hash());
  EXPECT_EQ(n->macs(), reference->macs());
}

TEST_P(ShippedNetwork, ActivationsNeitherSaturateNorVanish) {
  const auto n = shipped(GetParam().first);
  ASSERT_TRUE(n);
  const auto bytes = interpret(*n, {seeded_input(n->tensors[static_cast<std::size_t>(n->inputs[0])], 0, 0)});
  for (const auto& op : n->operators) {
    if (op.kind == OperatorKind::softmax) continue;
    const auto& out = bytes[static_cast<std::size_t>(op.outputs[0])];
    std::size_t top = 0;
    for (const auto b : out) top += static_cast<std::int8_t>(b) == 127;
    EXPECT_LT(static_cast<double>(top), 0.1 * static_cast<double>(out.size()) + 1) << op.name << " saturates";
    EXPECT_GE(std::set(out.begin(), out.end()).size(), std::min<std::size_t>(out.size() / 4, 20))
        << op.name << " vanishes";
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ShippedNetwork,
                         testing::Values(std::pair{"resnet8", "mlptiny_ic_resnet8_int8"},
                                         std::pair{"ds-cnn", "mlptiny_kws_dscnn_int8"},
                                         std::pair{"mobilenet-v1-0.25-96", "mlptiny_vww_mbv1_0.25_96_int8"},
                                         std::pair{"autoencoder", "mlptiny_ad_ae_int8"}),
                         [](const auto& info) {
                           return std::string(info.param.second).substr(8, 2) + std::to_string(info.index);
                         });

}  // namespace
}  // namespace dse::nn::test::nn_yaml_test
