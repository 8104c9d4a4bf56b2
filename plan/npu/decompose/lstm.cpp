// A sequence LSTM, step by step: two products and a sum per gate, the cell's state and the output's. Source: Vela 3.10,
// ethosu/vela/lstm.py.
#include "base/index.h"
#include "plan/npu/decompose/builder.h"

namespace dse::plan::npu {
namespace {

enum Gate { input_gate, forget_gate, cell_gate, output_gate, gates };
const char* const kGates[] = {"input", "forget", "cell", "output"};

/// What the steps share; inputs of the operator by their numbers in TensorFlow Lite.
class Steps {
 public:
  explicit Steps(Builder& b)
      : b_(b),
        x_(b.tensor(b.op().inputs[0])),
        out_(b.tensor(b.op().outputs[0])),
        output_state_(b.tensor(b.op().inputs[18])),
        cell_state_(b.tensor(b.op().inputs[19])) {
    for (int g = 0; g < gates; ++g) from_input_[index(g)] = matrix(1 + g), from_output_[index(g)] = matrix(5 + g);
    units_ = b.graph().tensors[index(output_state_)].shape.c;
  }

  void step(int number) {
    const std::string at = "." + std::to_string(number);
    const int output = gate(output_gate, at);
    const int input = gate(input_gate, at), cell = gate(cell_gate, at);
    const int added = binary(Function::mul, input, cell, fresh("ci" + at, 16));
    const int forget = gate(forget_gate, at);
    const int kept = binary(Function::mul, cell_state_, forget, fresh("cf" + at, 16));
    binary(Function::add, kept, added, cell_state_);
    b_.graph().operations.back().variable_write = true;
    const int tanh = fresh("tanh" + at, 16);
    Operation& table = b_.add_nop(cell_state_, tanh);
    table.ifm_shape = table.ofm_shape = {1, 1, 1, units_};
    table.activation = Activation::curve;
    binary(Function::mul, output, tanh, output_state_);
    b_.graph().operations.back().variable_write = true;
    Operation& copy = b_.add_nop(output_state_, out_);
    copy.ifm_shape = {1, 1, 1, units_};
    copy.write = Shape{1, 1, 1, units_}, copy.writes_slice = true;
  }

 private:
  WeightsPtr matrix(int input) {
    const nn::Tensor& t = b_.source(b_.op().inputs[index(input)]);
    Weights w{.h = 1,
              .w = 1,
              .in = static_cast<int>(t.shape[1]),
              .out = static_cast<int>(t.shape[0]),
              .values = {},
              .input_bits = 8,
              .depthwise = false,
              .original_bytes = t.bytes(),
              .dilation_h = 1,
              .dilation_w = 1,
              .own = {}};
    for (const std::uint8_t byte : t.data) w.values.push_back(static_cast<std::int8_t>(byte));
    return std::make_shared<Weights>(std::move(w));
  }

  int fresh(const std::string& what, int bits) { return b_.between(what, {1, 1, 1, units_}, bits); }

  int binary(Function f, int a, int second, int to) {
    Operation& op = b_.add(f, a, to, second);
    op.ifm_shape = op.ifm2_shape = op.ofm_shape = {1, 1, 1, units_};
    return to;
  }

  int product(const WeightsPtr& w, int ifm, int to) {
    Operation& op = b_.add(Function::fully_connected, ifm, to);
    op.ofm_shape = {1, 1, 1, units_};
    op.weights = w, op.has_bias = true;
    return to;
  }

  int gate(Gate g, const std::string& at) {
    const std::string name = kGates[g] + at;
    const int from_output = product(from_output_[index(g)], output_state_, fresh(name + ".recurrent", 16));
    b_.graph().operations.back().ifm_shape = {1, 1, 1, units_};
    const int from_input = product(from_input_[index(g)], x_, fresh(name + ".input", 16));
    b_.graph().operations.back().read = Shape{1, 1, 1, from_input_[index(g)]->in};
    const int out = binary(Function::add, from_input, from_output, fresh(name, 16));
    b_.graph().operations.back().activation = Activation::curve;
    return out;
  }

  Builder& b_;
  int x_, out_, output_state_, cell_state_, units_ = 0;
  WeightsPtr from_input_[gates], from_output_[gates];
};

}  // namespace

void add_lstm(Builder& b) {
  const nn::Tensor& x = b.source(b.op().inputs[0]);
  const std::size_t time = b.op().options.time_major ? 0 : 1;
  Steps steps(b);
  for (std::int64_t t = 0; t < x.shape[time]; ++t) steps.step(static_cast<int>(t));
}

}  // namespace dse::plan::npu
