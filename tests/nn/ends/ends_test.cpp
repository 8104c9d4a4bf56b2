// Ends that only convert: moves of FLOAT32 become moves of integers, conversions and what people read are the host's.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "models/nn/graph/cut.h"
#include "models/nn/import.h"
#include "tests/nn/onnx/onnx_writer.h"
#include "tests/nn/tflite/tflite_writer.h"

namespace dse::nn::test::ends_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Draws networks in FLOAT32 outside and in integers inside.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {
    constexpr DataType types[] = {DataType::int8, DataType::uint8};
    type_ = types[pick(0, 1)];
    n_.name = "drawn";
  }

  Network run() {
    const int inputs = pick(1, 2);
    std::vector<int> inside;
    for (int i = 0; i < inputs; ++i) inside.push_back(begin());
    int at = inside[0];
    if (inputs == 2) at = emit(OperatorKind::add, inside, like(at, true));
    for (int i = pick(1, 3); i > 0; --i) at = emit(OperatorKind::relu, {at}, like(at, true));
    for (int i = pick(1, 2); i > 0; --i) end(at);
    return std::move(n_);
  }

 private:
  using Shape = std::vector<std::int64_t>;
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }
  Tensor& tensor(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }

  int add(Shape shape, DataType type, TensorKind kind = TensorKind::activation) {
    Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.type = type, t.kind = kind;
    // A power of two, so that FLOAT32 has every value exactly.
    if (type != DataType::float32) t.quantization = {{1.0f / 16}, {type == DataType::uint8 ? 117 : -11}, 0};
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  int like(int t, bool integers) { return add(Shape(tensor(t).shape), integers ? type_ : DataType::float32); }

  int emit(OperatorKind kind, std::vector<int> inputs, int output, OperatorOptions options = {}) {
    Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = {output}, op.options = std::move(options);
    n_.operators.push_back(std::move(op));
    return output;
  }

  /// A move of FLOAT32; the shape in the end is the one before.
  int moved(int t) {
    const Shape shape = tensor(t).shape;
    if (pick(0, 1)) {
      const int flat = emit(OperatorKind::reshape, {t}, add({1, tensor(t).elements()}, DataType::float32));
      return emit(OperatorKind::reshape, {flat}, add(shape, DataType::float32));
    }
    OperatorOptions there, back;
    there.permutation = {0, 2, 3, 1}, back.permutation = {0, 3, 1, 2};
    const int turned =
        emit(OperatorKind::transpose, {t}, add({shape[0], shape[2], shape[3], shape[1]}, DataType::float32), there);
    if (pick(0, 1)) return emit(OperatorKind::transpose, {turned}, add(shape, DataType::float32), back);
    return emit(OperatorKind::reshape, {turned}, add(shape, DataType::float32));
  }

  int begin() {
    int at = add({1, 2, 3, 4}, DataType::float32, TensorKind::input);
    n_.inputs.push_back(at);
    for (int i = pick(0, 2); i > 0; --i) at = moved(at);
    return emit(OperatorKind::quantize, {at}, like(at, true));
  }

  void end(int at) {
    at = emit(OperatorKind::dequantize, {at}, like(at, false));
    for (int i = pick(0, 2); i > 0; --i) at = moved(at);
    if (pick(0, 2) == 0) {
      constexpr OperatorKind kinds[] = {OperatorKind::softmax, OperatorKind::log_softmax, OperatorKind::logistic};
      OperatorOptions last;
      last.axis = static_cast<int>(tensor(at).shape.size()) - 1;
      at = emit(kinds[pick(0, 2)], {at}, like(at, false), last);
      if (pick(0, 1)) at = moved(at);
    }
    n_.outputs.push_back(at);
  }

  std::mt19937_64 random_;
  DataType type_ = DataType::int8;
  Network n_;
};

std::vector<float> real_values(const Tensor& t, const std::vector<std::uint8_t>& bytes) {
  std::vector<float> out;
  for (const auto b : bytes) {
    const int q = t.type == DataType::uint8 ? int{b} : int{static_cast<std::int8_t>(b)};
    out.push_back(t.quantization.scale[0] * static_cast<float>(q - t.quantization.zero_point[0]));
  }
  return out;
}

NetworkPtr loaded(const std::vector<std::uint8_t>& file, LoadOptions options, std::string* said = nullptr) {
  Diagnostics diags;
  auto n = import_tflite(file, "drawn.tflite", diags, options);
  if (said) *said = diags.text();
  EXPECT_TRUE(n) << diags.text();
  return n;
}

LoadOptions integers() {
  LoadOptions o;
  o.integer_io = true;
  return o;
}

LoadOptions every_float() {
  LoadOptions o;
  o.allow_float = o.as_in_file = true;
  return o;
}

/// Values that the file computes before what is left of the part's output `i` in FLOAT32, or all of it.
std::vector<float> before_the_tail(const Network& whole, const TensorBytes& values, int output) {
  const auto belongs = [](OperatorKind k) {
    return k == OperatorKind::softmax || k == OperatorKind::log_softmax || k == OperatorKind::logistic;
  };
  int wanted = output;
  for (int t = output;;) {
    const int maker = whole.producer(t);
    const Operator& op = whole.operators[static_cast<std::size_t>(maker)];
    if (op.kind == OperatorKind::dequantize) break;
    t = op.inputs[0];
    if (belongs(op.kind)) wanted = t;
  }
  return floats_of(values[static_cast<std::size_t>(wanted)]);
}

TEST(Ends, AreLeftOutAndChangeNothing) {
  int softmaxes = 0, whole_on_integers = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Network drawn = Drawing(seed).run();
    const auto file = to_tflite(drawn);
    std::string said;
    const auto whole = loaded(file, every_float());
    const auto part = loaded(file, integers(), &said);
    ASSERT_TRUE(whole && part) << seed;
    EXPECT_THAT(said, HasSubstr("--float-io")) << seed;
    ASSERT_EQ(part->inputs.size(), whole->inputs.size());
    for (const auto& op : part->operators) {
      EXPECT_EQ(op.evaluation, Evaluation::kernel);
      EXPECT_NE(op.kind, OperatorKind::quantize) << seed;
      EXPECT_NE(op.kind, OperatorKind::dequantize) << seed;
    }
    EXPECT_FALSE(part->host.empty());
    const auto given = seeded_inputs(*part, seed);
    std::vector<std::vector<std::uint8_t>> real;
    for (std::size_t i = 0; i < given.size(); ++i)
      real.push_back(bytes_of(real_values(part->tensors[static_cast<std::size_t>(part->inputs[i])], given[i])));
    const auto made = interpret(*part, given), all = interpret(*whole, real);
    std::vector<std::vector<float>> expected, found;
    for (const int t : whole->outputs) expected.push_back(before_the_tail(*whole, all, t));
    for (const int t : part->outputs)
      found.push_back(real_values(part->tensors[static_cast<std::size_t>(t)], made[static_cast<std::size_t>(t)]));
    // Outputs that come of one tensor are one.
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    EXPECT_EQ(found, expected) << seed;
    for (const auto& h : part->host) softmaxes += h.type == "SOFTMAX";
    // Kept, the ends compute what the file says.
    LoadOptions with_ends;
    with_ends.allow_float = true;
    const auto kept = loaded(file, with_ends);
    ASSERT_TRUE(kept);
    EXPECT_NE(kept->structure_hash(), part->structure_hash());
    const auto same = interpret(*kept, real);
    for (std::size_t i = 0; i < kept->outputs.size(); ++i)
      EXPECT_EQ(same[static_cast<std::size_t>(kept->outputs[i])], all[static_cast<std::size_t>(whole->outputs[i])])
          << seed;
    // Everything but functions, and what moves their results, runs on integers even so.
    const bool functions = std::any_of(part->host.begin(), part->host.end(), [](const HostOperator& h) {
      return h.type != "QUANTIZE" && h.type != "DEQUANTIZE";
    });
    whole_on_integers += !functions;
    for (const auto& op : kept->operators) EXPECT_TRUE(functions || op.evaluation == Evaluation::kernel) << seed;
  }
  EXPECT_GE(softmaxes, 20);
  EXPECT_GE(whole_on_integers, 60);
}

Network chain(const std::vector<std::pair<OperatorKind, DataType>>& operators, DataType first) {
  Network n;
  n.name = "chain";
  const auto add = [&](DataType type, TensorKind kind) {
    Tensor t;
    t.name = "t" + std::to_string(n.tensors.size()), t.shape = {1, 8}, t.type = type, t.kind = kind;
    if (type != DataType::float32) t.quantization = {{0.25f}, {3}, 0};
    n.tensors.push_back(t);
  };
  add(first, TensorKind::input);
  for (const auto& [kind, type] : operators) {
    add(type, TensorKind::activation);
    Operator op;
    op.kind = kind, op.options.axis = 1, op.inputs = {static_cast<int>(n.tensors.size()) - 2};
    op.outputs = {static_cast<int>(n.tensors.size()) - 1};
    n.operators.push_back(op);
  }
  n.inputs = {0}, n.outputs = {static_cast<int>(n.tensors.size()) - 1};
  return n;
}

constexpr auto f32 = DataType::float32, i8 = DataType::int8;
using K = OperatorKind;

TEST(Ends, AreNamedAndTold) {
  const auto file = to_tflite(chain({{K::quantize, i8}, {K::relu, i8}, {K::dequantize, f32}, {K::softmax, f32}}, f32));
  std::string said;
  const auto n = loaded(file, integers(), &said);
  ASSERT_TRUE(n);
  EXPECT_EQ(host_text(*n),
            "3 operators are the host's: before the device quantize0 (QUANTIZE); after the device dequantize0 "
            "(DEQUANTIZE), softmax0 (SOFTMAX)");
  EXPECT_THAT(said, HasSubstr("input 't0' is 't1' (INT8), output 't4' is 't2' (INT8)"));
  EXPECT_THAT(n->operators.size(), 1u);
  EXPECT_EQ(n->operators[0].name, "relu0");
}

TEST(Ends, MayBringWhatPeopleReadToIntegersAgain) {
  for (const auto function : {K::softmax, K::log_softmax, K::logistic})
    for (const bool back : {false, true}) {
      std::vector<std::pair<K, DataType>> all = {
          {K::relu, i8}, {K::dequantize, f32}, {function, f32}, {K::quantize, i8}};
      if (back) all.emplace_back(K::dequantize, f32);
      const auto n = loaded(to_tflite(chain(all, i8)), integers());
      ASSERT_TRUE(n);
      EXPECT_EQ(n->operators.size(), 1u);
      EXPECT_EQ(n->host.size(), all.size() - 1);
      EXPECT_EQ(n->tensors[static_cast<std::size_t>(n->outputs.at(0))].name, "t1");
    }
  // Not where the network goes on behind them, and not where nothing is between the conversions.
  Diagnostics diags;
  EXPECT_FALSE(import_tflite(
      to_tflite(chain({{K::relu, i8}, {K::dequantize, f32}, {K::softmax, f32}, {K::quantize, i8}, {K::relu, i8}}, i8)),
      "on.tflite", diags, integers()));
  const auto n = loaded(to_tflite(chain({{K::relu, i8}, {K::dequantize, f32}, {K::quantize, i8}}, i8)), integers());
  ASSERT_TRUE(n);
  EXPECT_TRUE(n->host.empty());
}

TEST(Ends, StayWhereTheyDoMore) {
  const auto operators = [](Network n, LoadOptions options = integers()) {
    options.allow_float = true;
    std::string said;
    const auto read = loaded(to_tflite(n), options, &said);
    std::vector<K> kinds;
    for (const auto& op : read->operators) kinds.push_back(op.kind);
    EXPECT_EQ(read->host.empty(), said.empty());
    return kinds;
  };
  // Nothing else is there.
  EXPECT_THAT(operators(chain({{K::quantize, i8}}, f32)), ElementsAre(K::quantize));
  EXPECT_THAT(operators(chain({{K::quantize, i8}, {K::dequantize, f32}}, f32)), ElementsAre(K::quantize));
  EXPECT_THAT(operators(chain({{K::dequantize, f32}}, i8)), ElementsAre(K::dequantize));
  // An end that computes.
  EXPECT_THAT(operators(chain({{K::relu, f32}, {K::quantize, i8}, {K::relu, i8}}, f32)),
              ElementsAre(K::relu, K::quantize, K::relu));
  EXPECT_THAT(operators(chain({{K::relu, i8}, {K::dequantize, f32}, {K::relu, f32}}, i8)),
              ElementsAre(K::relu, K::dequantize, K::relu));
  // A function that does not read integers.
  EXPECT_THAT(operators(chain({{K::relu, f32}, {K::softmax, f32}}, f32)), ElementsAre(K::relu, K::softmax));
  // Somebody else reads the input.
  Network both = chain({{K::quantize, i8}, {K::relu, i8}}, f32);
  Operator other;
  other.kind = K::relu, other.inputs = {0}, other.outputs = {3};
  Tensor t = both.tensors[0];
  t.name = "other", t.kind = TensorKind::activation;
  both.tensors.push_back(t), both.operators.push_back(other), both.outputs.push_back(3);
  EXPECT_THAT(operators(both), ElementsAre(K::quantize, K::relu, K::relu));
  // A price.
  LoadOptions priced = integers();
  priced.costs = {{"SOFTMAX", 77}};
  EXPECT_THAT(operators(chain({{K::relu, i8}, {K::dequantize, f32}, {K::softmax, f32}}, i8), priced),
              ElementsAre(K::relu, K::dequantize, K::other));
  // Nobody asked.
  LoadOptions plain;
  EXPECT_THAT(operators(chain({{K::quantize, i8}, {K::relu, i8}, {K::dequantize, f32}}, f32), plain),
              ElementsAre(K::quantize, K::relu, K::dequantize));
}

TEST(Ends, ThatACutMakesStay) {
  auto options = integers();
  options.cut = true;
  const auto made = loaded(
      to_tflite(chain({{K::relu, f32}, {K::quantize, i8}, {K::relu, i8}, {K::dequantize, f32}, {K::relu, f32}}, f32)),
      options);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->operators.size(), 3u);
  EXPECT_EQ(made->host.size(), 2u);
  // Those of the network itself go.
  const auto own =
      loaded(to_tflite(chain({{K::quantize, i8}, {K::relu, i8}, {K::dequantize, f32}, {K::relu, f32}}, f32)), options);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->operators.size(), 2u);
  EXPECT_EQ(own->host.size(), 2u);
}

/// QuantizeLinear, Conv, and the like as exporters write them; moves of FLOAT32 at both ends.
OnnxModel quantised_convolution(bool moves, const char* last) {
  OnnxModel m;
  // Moved, the input is [N, H, W, C] first, as converters from other frameworks have it.
  m.input("image", moves ? Shape{1, 6, 5, 3} : Shape{1, 3, 6, 5}).output("y");
  m.scalar("s", 0.125f).int8s("z", {}, {-3}).scalar("ws", 0.5f).int8s("wz", {}, {0});
  m.int8s("w", {4, 3, 3, 3}, test::integers(108, -7, 7, 1));
  Attribute first("perm", {0, 3, 1, 2});
  if (moves) m.node("Transpose", {"image"}, {"x"}, {first});
  m.node("QuantizeLinear", {moves ? "x" : "image", "s", "z"}, {"q"}).node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  m.node("DequantizeLinear", {"w", "ws", "wz"}, {"dw"}).node("Conv", {"d", "dw"}, {"c"});
  if (moves) m.node("Transpose", {"c"}, {"t"}, {{"perm", {0, 2, 3, 1}}});
  m.int64s("to", {1, -1}).node("Reshape", {moves ? "t" : "c", "to"}, {"r"});
  m.node("QuantizeLinear", {"r", "s", "z"}, {"qr"}).node("DequantizeLinear", {"qr", "s", "z"}, {last ? "dr" : "y"});
  if (last) m.node(last, {"dr"}, {"y"}, {{"axis", 1}});
  return m;
}

TEST(Ends, OfOnnxFilesAreIntegers) {
  for (const bool moves : {false, true})
    for (const char* last : {static_cast<const char*>(nullptr), "Softmax", "LogSoftmax"}) {
      const auto n = import(quantised_convolution(moves, last), integers());
      ASSERT_TRUE(n.network) << moves << last << n.errors;
      const Tensor& in = n->tensors[static_cast<std::size_t>(n->inputs.at(0))];
      EXPECT_EQ(in.type, i8);
      EXPECT_THAT(in.shape, ElementsAre(1, 6, 5, 3));
      EXPECT_EQ(n->tensors[static_cast<std::size_t>(n->outputs.at(0))].type, i8);
      EXPECT_EQ(n->host.size(), last ? 3u : 2u);
      int convolutions = 0, transposes = 0;
      for (const auto& op : n->operators) convolutions += op.kind == K::conv_2d, transposes += op.kind == K::transpose;
      EXPECT_EQ(convolutions, 1);
      EXPECT_EQ(transposes, moves ? 0 : 1) << "what the file itself has undone";
    }
  // Both forms compute the same.
  const auto plain = import(quantised_convolution(false, nullptr), integers());
  const auto moved = import(quantised_convolution(true, nullptr), integers());
  ASSERT_TRUE(plain.network && moved.network);
  const auto given = seeded_inputs(*plain.network, 1);
  auto a = interpret(*plain.network, given).at(static_cast<std::size_t>(plain->outputs[0]));
  auto b = interpret(*moved.network, given).at(static_cast<std::size_t>(moved->outputs[0]));
  std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());  // one is [C, H, W], the other [H, W, C]
  EXPECT_EQ(a, b);
}

TEST(Ends, KeptInOnnxRunOnIntegersInside) {
  const auto n = import(quantised_convolution(true, nullptr));
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_TRUE(n->host.empty());
  for (const auto& op : n->operators) EXPECT_EQ(op.evaluation, Evaluation::kernel) << op.type;
}

}  // namespace
}  // namespace dse::nn::test::ends_test
