#include "tests/verify/detector.h"

#include "models/nn/passes/passes.h"
#include "tests/nn/tflite/tflite_writer.h"
#include "tests/plan/segment/branched_networks.h"

namespace dse::test {
namespace {

using nn::DataType;
using nn::OperatorKind;
using nn::TensorKind;

class Shell {
 public:
  explicit Shell(nn::Network n) : n(std::move(n)) {}

  int real(const std::string& name, std::vector<std::int64_t> shape, TensorKind kind = TensorKind::activation) {
    nn::Tensor t;
    t.name = name, t.shape = std::move(shape), t.type = DataType::float32, t.kind = kind;
    if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.bytes()), 0);
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size()) - 1;
  }
  nn::Operator op(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs) {
    nn::Operator o;
    o.kind = kind, o.inputs = std::move(inputs), o.outputs = std::move(outputs);
    return o;
  }
  nn::Network n;
};

}  // namespace

std::vector<std::uint8_t> detector_file() {
  BranchedNetwork b("detector");
  const int image = b.input(24, 24, 3);
  const int features = b.conv(b.depthwise(b.conv(image, 8, 3, 2)), 16, 3, 2);
  const int boxes = b.reshape(b.conv(features, 8, 3), {1, 72, 4});
  const int scores = b.reshape(b.conv(features, 6, 3), {1, 72, 3});
  const auto inner = b.build({boxes, scores});
  Shell s(nn::unfinished(*inner));
  const auto shape = s.n.tensors[static_cast<std::size_t>(image)].shape;
  s.n.tensors[static_cast<std::size_t>(image)].kind = TensorKind::activation;
  const int pixels = s.real("pixels", shape, TensorKind::input), scaled = s.real("scaled", shape);
  const int scale = s.real("scale", {1}, TensorKind::constant);
  const int boxes_f = s.real("boxes", {1, 72, 4}), scores_f = s.real("scores", {1, 72, 3});
  const int found = s.real("found", {1, 10, 4}), classes = s.real("classes", {1, 10});
  s.n.operators.insert(s.n.operators.begin(), {s.op(OperatorKind::mul, {pixels, scale}, {scaled}),
                                               s.op(OperatorKind::quantize, {scaled}, {image})});
  s.n.operators.push_back(s.op(OperatorKind::dequantize, {boxes}, {boxes_f}));
  s.n.operators.push_back(s.op(OperatorKind::dequantize, {scores}, {scores_f}));
  s.n.operators.push_back(s.op(OperatorKind::maximum, {boxes_f, scores_f}, {found}));  // stands for the custom one
  s.n.inputs = {pixels}, s.n.outputs = {found, classes};
  return nn::test::to_tflite(s.n, [&](nn::tflite::ModelT& model) {
    auto code = std::make_unique<nn::tflite::OperatorCodeT>();
    code->builtin_code = code->deprecated_builtin_code = 32;
    code->custom_code = "TFLite_Detection_PostProcess", code->version = 1;
    model.operator_codes.push_back(std::move(code));
    auto& last = *model.subgraphs[0]->operators.back();
    last.opcode_index = static_cast<std::uint32_t>(model.operator_codes.size() - 1);
    last.builtin_options.Reset();
    last.outputs = {found, classes};
  });
}

}  // namespace dse::test
