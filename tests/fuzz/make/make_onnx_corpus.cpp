// make_onnx_corpus FOLDER: small ONNX models that together have most operators.
#include <fstream>
#include <iostream>

#include "onnx_writer.h"

namespace {

using namespace dse::nn::test;
namespace onnx = dse::nn::onnx;

void write(const std::string& path, const OnnxModel& m) {
  if (const auto n = import(m); !n.network) {
    std::cerr << path << ": " << n.errors;
    std::exit(1);
  }
  const auto bytes = m.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

OnnxModel image(int opset = 13) {
  OnnxModel m(opset);
  m.input("x", {1, 2, 4, 4}).floats("w", {2, 2, 3, 3}, noise(36, 1)).floats("b", {2}, noise(2, 2));
  m.node("Conv", {"x", "w", "b"}, {"c"}, {{"pads", {1, 1, 1, 1}}});
  return m;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_onnx_corpus FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  OnnxModel classifier = image(9);
  classifier.floats("p", {2}, {1, 2}).node("BatchNormalization", {"c", "p", "p", "p", "p"}, {"n"});
  classifier.node("Relu", {"n"}, {"r"}).node("MaxPool", {"r"}, {"m"}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
  classifier.node("LRN", {"m"}, {"l"}, {{"size", 3}}).node("Flatten", {"l"}, {"f"}).int64s("s", {8, 3});
  classifier.node("ConstantOfShape", {"s"}, {"v"}, {{"value", tensor_of({1}, {0.5f})}});
  classifier.node("Gemm", {"f", "v"}, {"g"}).node("Dropout", {"g"}, {"d"}).node("Softmax", {"d"}, {"y"}).output("y");
  write(folder + "/classifier.onnx", classifier);

  OnnxModel moves = image();
  moves.int64s("pads", {0, 0, 1, 0, 0, 0, 0, 1}).node("Pad", {"c", "pads"}, {"p"}).int64s("a", {1}).int64s("e", {4});
  moves.int64s("ax", {2}).node("Slice", {"p", "a", "e", "ax"}, {"s"}).node("Concat", {"s", "s"}, {"k"}, {{"axis", 1}});
  moves.node("Split", {"k"}, {"u", "v"}, {{"axis", 1}}).node("Mul", {"u", "v"}, {"q"}).node("Sub", {"q", "v"}, {"z"});
  moves.node("Transpose", {"z"}, {"t"}, {{"perm", {0, 2, 3, 1}}}).node("ReduceMean", {"t"}, {"h"}, {{"axes", {1}}});
  moves.node("ArgMax", {"h"}, {"y"}, {{"axis", 3}}).output("y");
  write(folder + "/moves.onnx", moves);

  OnnxModel chain = image();
  chain.node("Shape", {"c"}, {"sh"}).int64s("i", {0}).node("Gather", {"sh", "i"}, {"n"}).int64s("r", {-1});
  chain.node("Concat", {"n", "r"}, {"to"}, {{"axis", 0}}).node("Reshape", {"c", "to"}, {"f"});
  chain.floats("v", {32, 2}, noise(64, 3)).node("MatMul", {"f", "v"}, {"g"}).node("Sigmoid", {"g"}, {"h"});
  chain.node("HardSigmoid", {"h"}, {"o"}).node("Elu", {"o"}, {"e"}).node("Sum", {"e", "o", "h"}, {"y"}).output("y");
  write(folder + "/chain.onnx", chain);

  OnnxModel sizes = image();
  sizes.floats("roi", {0}, {}).floats("sc", {4}, {1, 1, 2, 2}).node("Resize", {"c", "roi", "sc"}, {"u"});
  sizes.floats("t", {2, 1, 2, 2}, noise(8, 4)).node("ConvTranspose", {"u", "t"}, {"v"}, {{"strides", {2, 2}}});
  sizes.node("AveragePool", {"v"}, {"p"}, {{"kernel_shape", {3, 3}}, {"ceil_mode", 1}, {"strides", {2, 2}}});
  sizes.node("GlobalAveragePool", {"p"}, {"g"}).node("Squeeze", {"g"}, {"y"}).output("y");
  write(folder + "/sizes.onnx", sizes);

  OnnxModel linear;
  linear.input("x", {1, 2, 3, 3}, onnx::TensorProto::UINT8).scalar("s", 0.1f).uint8s("z", {}, {128});
  linear.int8s("w", {2, 1, 2, 2}, integers(8, -127, 127, 1)).floats("ws", {2}, {0.1f, 0.2f}).int8s("wz", {2}, {0, 0});
  linear.int32s("b", {5, -7})
      .node("QLinearConv", {"x", "s", "z", "w", "s", "wz0", "s", "z", "b"}, {"c"}, {{"group", 2}});
  linear.int8s("wz0", {}, {0}).node("QLinearAdd", {"c", "s", "z", "c", "s", "z", "s", "z"}, {"a"}, {}, "com.microsoft");
  linear.node("QLinearGlobalAveragePool", {"a", "s", "z", "s", "z"}, {"y"}, {}, "com.microsoft").output("y");
  write(folder + "/qlinear.onnx", linear);

  OnnxModel pairs;
  pairs.input("x", {1, 2, 3, 3}).scalar("s", 0.1f).int8s("z", {}, {3}).node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  pairs.node("DequantizeLinear", {"q", "s", "z"}, {"f"}).int8s("w", {2, 2, 1, 1}, {1, 2, 3, 4}).int8s("w0", {}, {0});
  pairs.node("DequantizeLinear", {"w", "s", "w0"}, {"wf"}).node("Conv", {"f", "wf"}, {"c"}).node("Relu", {"c"}, {"r"});
  pairs.node("QuantizeLinear", {"r", "s", "z"}, {"rq"}).node("DequantizeLinear", {"rq", "s", "z"}, {"rf"});
  pairs.node("Flatten", {"rf"}, {"fl"}).int8s("v", {18, 2}, integers(36, -9, 9, 2));
  pairs.node("DequantizeLinear", {"v", "s", "w0"}, {"vf"}).node("MatMul", {"fl", "vf"}, {"g"});
  pairs.node("QuantizeLinear", {"g", "s", "z"}, {"gq"}).node("DequantizeLinear", {"gq", "s", "z"}, {"gf"});
  pairs.node("Tanh", {"gf"}, {"t"}).node("QuantizeLinear", {"t", "s", "z"}, {"y"}).output("y");
  write(folder + "/pairs.onnx", pairs);

  // The example of docs/network/onnx.md.
  OnnxModel open;
  open.input("image", {-1, 2, 6, 6}).scalar("s", 0.0625f).int8s("z", {}, {0}).scalar("ws", 0.01f);
  open.node("QuantizeLinear", {"image", "s", "z"}, {"q"}).node("DequantizeLinear", {"q", "s", "z"}, {"f"});
  open.int8s("w", {3, 2, 3, 3}, integers(54, -127, 127, 1)).node("DequantizeLinear", {"w", "ws", "z"}, {"wf"});
  open.node("Conv", {"f", "wf"}, {"c"}).node("Relu", {"c"}, {"r"}).node("QuantizeLinear", {"r", "s", "z"}, {"rq"});
  open.node("DequantizeLinear", {"rq", "s", "z"}, {"rf"}).node("GlobalAveragePool", {"rf"}, {"g"});
  open.node("QuantizeLinear", {"g", "s", "z"}, {"gq"}).node("DequantizeLinear", {"gq", "s", "z"}, {"classes"});
  open.output("classes");
  const auto bytes = open.bytes();
  std::ofstream(folder + "/open-batch.onnx", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
