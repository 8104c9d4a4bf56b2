// Data movement, reductions, resizing and recurrent operators equal the reference on its synthetic networks of one
// operator, also from step to step of those with a state. The networks are built from the cases' descriptions, so that
// no importer is involved.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "golden.h"
#include "models/nn/network.h"

namespace dse::nn::test {
namespace {

using nlohmann::json;

const std::map<std::string, OperatorKind> kinds{
    {"CONCATENATION", OperatorKind::concatenation},
    {"PAD", OperatorKind::pad},
    {"PADV2", OperatorKind::pad},
    {"MEAN", OperatorKind::mean},
    {"SUM", OperatorKind::sum},
    {"REDUCE_MAX", OperatorKind::reduce_max},
    {"RESIZE_BILINEAR", OperatorKind::resize_bilinear},
    {"RESIZE_NEAREST_NEIGHBOR", OperatorKind::resize_nearest_neighbor},
    {"SVDF", OperatorKind::svdf},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", OperatorKind::unidirectional_sequence_lstm},
    {"L2_NORMALIZATION", OperatorKind::l2_normalization},
    {"LOG_SOFTMAX", OperatorKind::log_softmax}};

const std::map<std::string, DataType> types{
    {"INT8", DataType::int8}, {"INT16", DataType::int16}, {"INT32", DataType::int32}};

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

float hex_float(const json& j) { return std::strtof(j.get<std::string>().c_str(), nullptr); }

std::vector<std::int64_t> values(const Tensor& t) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i + 4 <= t.data.size(); i += 4) {
    std::int32_t v = 0;
    std::memcpy(&v, &t.data[i], 4);
    out.push_back(v);
  }
  return out;
}

Tensor tensor_of(const json& j) {
  Tensor t;
  t.name = "t" + std::to_string(j["i"].get<int>());
  t.shape = j["shape"].get<std::vector<std::int64_t>>();
  t.type = types.at(j["dtype"].get<std::string>());
  for (const auto& s : j["scale_hex"]) t.quantization.scale.push_back(hex_float(s));
  t.quantization.zero_point = j["zp"].get<std::vector<std::int64_t>>();
  if (j.contains("hex")) t.kind = TensorKind::constant, t.data = bytes_of(j["hex"].get<std::string>());
  if (j.contains("variable")) t.kind = TensorKind::variable;
  return t;
}

/// What an importer does: operands that say what to do become options.
void read_operands(const Network& n, Operator& op, std::vector<int> in) {
  const auto operand = [&](std::size_t i) { return values(n.tensors[static_cast<std::size_t>(in[i])]); };
  const auto rank = static_cast<std::int64_t>(n.tensors[static_cast<std::size_t>(in[0])].shape.size());
  switch (op.kind) {
    case OperatorKind::mean:
    case OperatorKind::sum:
    case OperatorKind::reduce_max:
      for (const auto a : operand(1)) op.options.axes.push_back(a < 0 ? a + rank : a);
      in.resize(1);
      break;
    case OperatorKind::pad: {
      const auto paddings = operand(1);
      for (std::size_t i = 0; i < paddings.size(); i += 2) {
        op.options.pad_before.push_back(paddings[i]);
        op.options.pad_after.push_back(paddings[i + 1]);
      }
      in.erase(in.begin() + 1);
      break;
    }
    case OperatorKind::resize_bilinear:
    case OperatorKind::resize_nearest_neighbor:
      in.resize(1);
      break;
    default:
      break;
  }
  op.inputs = in;
}

Network network_of(const json& c) {
  Network n;
  n.name = c["case"].get<std::string>();
  for (const auto& t : c["tensors"]) n.tensors.push_back(tensor_of(t));
  n.inputs = c["graph_inputs"].get<std::vector<int>>();
  n.outputs = c["out"].get<std::vector<int>>();
  for (const int i : n.inputs) n.tensors[static_cast<std::size_t>(i)].kind = TensorKind::input;
  Operator op;
  op.kind = kinds.at(c["op"].get<std::string>());
  op.outputs = n.outputs;
  const json& o = c["options"];
  op.options.rank = o.value("rank", 1);
  op.options.align_corners = o.value("align_corners", 0) != 0;
  op.options.half_pixel_centers = o.value("half_pixel_centers", 0) != 0;
  op.options.time_major = o.value("time_major", 0) != 0;
  if (o.contains("cell_clip")) op.options.cell_clip = hex_float(o["cell_clip"]);
  op.options.axis = o.value("axis", 0);
  if (op.options.axis < 0)
    op.options.axis += static_cast<int>(n.tensors[static_cast<std::size_t>(op.outputs[0])].shape.size());
  read_operands(n, op, c["in"].get<std::vector<int>>());
  n.operators.push_back(op);
  return n;
}

/// "output0.bin", "output0_step1.bin", ...
std::string file(const std::string& role, std::size_t index, int step) {
  return role + std::to_string(index) + (step ? "_step" + std::to_string(step) : "") + ".bin";
}

/// Runs all steps of a seed. @returns how many outputs were compared.
int compare(const Network& n, const std::filesystem::path& seed) {
  TensorBytes state = initial_state(n);
  int compared = 0;
  for (int step = 0; std::filesystem::exists(seed / file("output", 0, step)); ++step) {
    std::vector<std::vector<std::uint8_t>> inputs;
    for (std::size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(read_bytes(seed / file("input", i, step)));
    const auto bytes = interpret(n, inputs, state);
    for (std::size_t o = 0; o < n.outputs.size(); ++o, ++compared)
      EXPECT_EQ(bytes[static_cast<std::size_t>(n.outputs[o])], read_bytes(seed / file("output", o, step)))
          << seed << " step " << step;
    if (step > 0) continue;
    // The CRCs are those after the first step; they include the state.
    const json golden = read_json(seed / "tensors.json");
    for (const auto& t : golden["tensors"]) {
      const auto i = t["i"].get<std::size_t>();
      if (n.tensors[i].kind == TensorKind::variable) {
        EXPECT_EQ(crc32(bytes[i]), t["crc32"].get<std::string>()) << seed << " tensor " << i;
      }
    }
  }
  return compared;
}

TEST(GoldenFlat, OperatorsEqualTheReference) {
  const auto folder = shared() / "golden" / "tflite_ops";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden tensors at " << folder;
  int cases = 0, compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "case.json")) continue;
    const json description = read_json(entry.path() / "case.json");
    if (!kinds.contains(description["op"].get<std::string>())) continue;
    Diagnostics diags;
    const NetworkPtr n = finish_network(network_of(description), diags, "case.json");
    ASSERT_TRUE(n) << entry.path() << "\n" << diags.text();
    for (const auto& seed : seeds(entry.path())) compared += compare(*n, seed);
    ++cases;
  }
  EXPECT_EQ(cases, 31);
  EXPECT_EQ(compared, 31 * 2 + 5 * 2 * 2);  // two seeds; five cases with two further steps each
}

}  // namespace
}  // namespace dse::nn::test
