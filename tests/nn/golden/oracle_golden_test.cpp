// The oracle gives the bytes of the reference implementation on every one-operator network: only then may it judge.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/nn/oracle/oracle.h"

namespace dse::nn::oracle::oracle_golden_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path golden() {
  const char* shared = std::getenv("DSE_SHARED");
  return (shared ? fs::path(shared) : fs::path(DSE_SOURCE_DIR) / ".." / "shared") / "golden";
}
fs::path folder() { return golden() / "tflite_ops"; }

std::vector<std::uint8_t> bytes_in(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Type type_named(const std::string& name) {
  const std::map<std::string, Type> types = {{"INT8", Type::i8},   {"UINT8", Type::u8},  {"INT16", Type::i16},
                                             {"INT32", Type::i32}, {"INT64", Type::i64}, {"FLOAT32", Type::f32}};
  return types.at(name);
}

Tensor tensor(const Json& j) {
  Tensor t;
  t.shape = j.at("shape").get<std::vector<std::int64_t>>();
  t.type = type_named(j.at("dtype"));
  for (const std::string s : j.at("scale_hex")) t.scale.push_back(std::strtof(s.c_str(), nullptr));
  t.zero = j.at("zp").get<std::vector<std::int64_t>>();
  t.axis = j.at("qdim");
  if (j.contains("hex")) {
    const std::string hex = j["hex"];
    std::vector<std::uint8_t> raw;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      raw.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    t.set_bytes(raw);
  }
  return t;
}

Options options(const Json& j) {
  Options o;
  const auto number = [&](const char* key, auto& into) {
    if (j.contains(key)) into = j[key].template get<std::decay_t<decltype(into)>>();
  };
  const auto flag = [&](const char* key, bool& into) {
    if (j.contains(key)) into = j[key].get<int>() != 0;
  };
  const auto real = [&](const char* key, float& into) {
    if (j.contains(key)) into = std::strtof(j[key].get<std::string>().c_str(), nullptr);
  };
  number("stride_h", o.stride_h), number("stride_w", o.stride_w);
  number("dil_h", o.dilation_h), number("dil_w", o.dilation_w);
  number("kh", o.filter_h), number("kw", o.filter_w);
  number("depth_multiplier", o.depth_multiplier), number("axis", o.axis), number("rank", o.rank);
  flag("adj_x", o.adj_x), flag("adj_y", o.adj_y), flag("keep_dims", o.keep_dims), flag("time_major", o.time_major);
  flag("align_corners", o.align_corners), flag("half_pixel_centers", o.half_pixel_centers);
  real("beta", o.beta), real("alpha", o.alpha), real("cell_clip", o.cell_clip);
  if (j.value("padding", "") == "SAME") o.padding = Padding::same;
  const std::string act = j.value("act", "NONE");
  o.activation = act == "RELU"           ? Activation::relu
                 : act == "RELU6"        ? Activation::relu6
                 : act == "RELU_N1_TO_1" ? Activation::relu_n1_to_1
                                         : Activation::none;
  return o;
}

/// Runs every invocation of a seed; @returns how many outputs were compared.
int expect_equal(const Json& description, const fs::path& seed) {
  std::vector<Tensor> tensors;
  for (const auto& t : description["tensors"]) tensors.push_back(tensor(t));
  State state;
  int compared = 0;
  for (int step = 0; step < 3; ++step) {
    const std::string suffix = (step ? "_step" + std::to_string(step) : "") + ".bin";
    if (!fs::exists(seed / ("output0" + suffix))) break;
    const auto& graph_inputs = description["graph_inputs"];
    for (std::size_t i = 0; i < graph_inputs.size(); ++i)
      tensors.at(graph_inputs[i]).set_bytes(bytes_in(seed / ("input" + std::to_string(i) + suffix)));
    std::vector<const Tensor*> inputs;
    for (const int i : description["in"]) inputs.push_back(i < 0 ? nullptr : &tensors.at(static_cast<std::size_t>(i)));
    std::vector<Tensor> outputs;
    for (const int i : description["out"]) outputs.push_back(tensors.at(static_cast<std::size_t>(i)));
    run(description["op"], options(description["options"]), inputs, outputs, &state);
    for (std::size_t i = 0; i < outputs.size(); ++i, ++compared) {
      const auto expected = bytes_in(seed / ("output" + std::to_string(i) + suffix));
      EXPECT_TRUE(outputs[i].bytes() == expected) << seed << " output " << i << suffix;
      EXPECT_FALSE(expected.empty());
    }
  }
  return compared;
}

TEST(OracleGolden, EqualsTheReferenceOnEveryOneOperatorNetwork) {
  if (!fs::exists(folder())) GTEST_SKIP() << "no golden tensors at " << folder();
  int cases = 0, compared = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (!fs::exists(entry.path() / "case.json")) continue;
    ++cases;
    const Json description = Json::parse(std::ifstream(entry.path() / "case.json"));
    for (const char* seed : {"seed0", "seed1"}) {
      SCOPED_TRACE(entry.path().filename().string());
      int here = 0;
      EXPECT_NO_THROW(here = expect_equal(description, entry.path() / seed));
      EXPECT_GE(here, 1);
      compared += here;
    }
  }
  EXPECT_EQ(cases, 159);
  EXPECT_GE(compared, 336);
}

TEST(OracleGolden, CorrectsProductsOfQFormatsInBothOrders) {
  const fs::path file = golden() / "qformat" / "qformat.json";
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
  const Json mac = Json::parse(std::ifstream(file)).at("mac_with_correction");
  const auto row = [](const Json& q, int fraction) {
    Tensor t;
    t.type = Type::i16, t.scale = {std::ldexp(1.0f, -fraction)}, t.zero = {0};
    t.q = q.get<std::vector<std::int64_t>>();
    t.shape = {1, static_cast<std::int64_t>(t.q.size())};
    return t;
  };
  const Tensor x = row(mac["data_Q7_8"], 8), w = row(mac["weights_Q0_15"], 15);
  Options o;
  o.mode = Mode::qformat;
  o.correction = {mac["correction"].get<std::int64_t>()};
  std::vector<Tensor> y = {row(Json::array({0}), 8)};
  run("FULLY_CONNECTED", o, {&x, &w}, y);
  EXPECT_EQ(y[0].q.at(0), mac["a_round_then_correct"]["q7_8"].get<std::int64_t>());
  o.correct_then_round = true;
  run("FULLY_CONNECTED", o, {&x, &w}, y);
  EXPECT_EQ(y[0].q.at(0), mac["b_correct_then_round"]["q7_8"].get<std::int64_t>());
}

}  // namespace
}  // namespace dse::nn::oracle::oracle_golden_test
