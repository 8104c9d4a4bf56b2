#include "tests/verify/float_ends.h"

#include "models/nn/passes/passes.h"
#include "tests/nn/tflite/tflite_writer.h"
#include "tests/plan/segment/branched_networks.h"

namespace dse::test {

std::vector<std::uint8_t> float_ends_file() {
  using nn::DataType;
  using nn::OperatorKind;
  using nn::TensorKind;
  BranchedNetwork b("float-ends");
  const int image = b.input(32, 32, 3), made = b.conv(b.conv(image, 8, 3, 2), 2, 3, 2);
  nn::Network n = nn::unfinished(*b.build({made}));
  const auto real = [&](const char* name, std::vector<std::int64_t> shape, TensorKind kind) {
    nn::Tensor t;
    t.name = name, t.shape = std::move(shape), t.type = DataType::float32, t.kind = kind;
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size()) - 1;
  };
  const auto shape_of = [&](int t) { return n.tensors[static_cast<std::size_t>(t)].shape; };
  const auto op = [&](OperatorKind kind, int in, int out) {
    nn::Operator o;
    o.kind = kind, o.inputs = {in}, o.outputs = {out};
    return o;
  };
  n.tensors[static_cast<std::size_t>(image)].kind = TensorKind::activation;
  n.tensors[static_cast<std::size_t>(image)].name = "image_q";
  const std::int64_t classes = n.tensors[static_cast<std::size_t>(made)].elements();
  const int pixels = real("image", shape_of(image), TensorKind::input);
  const int map = real("map", shape_of(made), TensorKind::activation);
  const int logits = real("logits", {1, classes}, TensorKind::activation);
  const int shares = real("shares", {1, classes}, TensorKind::activation);
  n.operators.insert(n.operators.begin(), op(OperatorKind::quantize, pixels, image));
  n.operators.push_back(op(OperatorKind::dequantize, made, map));
  n.operators.push_back(op(OperatorKind::reshape, map, logits));
  n.operators.push_back(op(OperatorKind::softmax, logits, shares));
  n.operators.back().options.axis = 1;
  n.inputs = {pixels}, n.outputs = {shares};
  return nn::test::to_tflite(n);
}

}  // namespace dse::test
