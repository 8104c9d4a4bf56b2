#include "golden_case.h"

#include <cstdlib>
#include <map>

#include "golden.h"

namespace dse::nn::test {
namespace {

const std::map<std::string, OperatorKind> kinds = {{"ABS", OperatorKind::abs},
                                                   {"ADD", OperatorKind::add},
                                                   {"DEQUANTIZE", OperatorKind::dequantize},
                                                   {"ELU", OperatorKind::elu},
                                                   {"HARD_SWISH", OperatorKind::hard_swish},
                                                   {"LEAKY_RELU", OperatorKind::leaky_relu},
                                                   {"LOGISTIC", OperatorKind::logistic},
                                                   {"MAXIMUM", OperatorKind::maximum},
                                                   {"MINIMUM", OperatorKind::minimum},
                                                   {"MUL", OperatorKind::mul},
                                                   {"PRELU", OperatorKind::prelu},
                                                   {"QUANTIZE", OperatorKind::quantize},
                                                   {"RELU", OperatorKind::relu},
                                                   {"RELU6", OperatorKind::relu6},
                                                   {"SOFTMAX", OperatorKind::softmax},
                                                   {"SQUARED_DIFFERENCE", OperatorKind::squared_difference},
                                                   {"SUB", OperatorKind::sub},
                                                   {"TANH", OperatorKind::tanh}};
const std::map<std::string, DataType> types = {{"INT8", DataType::int8},
                                               {"UINT8", DataType::uint8},
                                               {"INT16", DataType::int16},
                                               {"INT32", DataType::int32},
                                               {"FLOAT32", DataType::float32}};
const std::map<std::string, Activation> activations = {{"NONE", Activation::none},
                                                       {"RELU", Activation::relu},
                                                       {"RELU6", Activation::relu6},
                                                       {"RELU_N1_TO_1", Activation::relu_n1_to_1}};

float hexadecimal(const std::string& text) { return std::strtof(text.c_str(), nullptr); }

Tensor tensor(const nlohmann::json& description) {
  Tensor t;
  t.name = "t" + std::to_string(description["i"].get<int>());
  t.type = types.at(description["dtype"].get<std::string>());
  t.shape = description["shape"].get<std::vector<std::int64_t>>();
  for (const auto& s : description["scale_hex"]) t.quantization.scale.push_back(hexadecimal(s.get<std::string>()));
  t.quantization.zero_point = description["zp"].get<std::vector<std::int64_t>>();
  if (description.contains("hex")) {
    t.kind = TensorKind::constant;
    const std::string hex = description["hex"];
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      t.data.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return t;
}

}  // namespace

bool describes(const std::string& kind) { return kinds.contains(kind); }

NetworkPtr golden_case(const std::filesystem::path& folder, Diagnostics& diags) {
  const auto description = read_json(folder / "case.json");
  Network n;
  n.name = description["case"];
  for (const auto& t : description["tensors"]) n.tensors.push_back(tensor(t));
  n.inputs = description["graph_inputs"].get<std::vector<int>>();
  for (const int i : n.inputs) n.tensors[static_cast<std::size_t>(i)].kind = TensorKind::input;
  n.outputs = description["out"].get<std::vector<int>>();
  Operator op;
  op.kind = kinds.at(description["op"].get<std::string>());
  op.inputs = description["in"].get<std::vector<int>>();
  op.outputs = n.outputs;
  const auto& options = description["options"];
  if (options.contains("act")) op.options.activation = activations.at(options["act"].get<std::string>());
  if (options.contains("alpha")) op.options.alpha = hexadecimal(options["alpha"].get<std::string>());
  if (options.contains("beta")) op.options.beta = hexadecimal(options["beta"].get<std::string>());
  n.operators.push_back(op);
  return finish_network(std::move(n), diags, "case.json");
}

}  // namespace dse::nn::test
