// SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM: operators with a state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/graph/calls.h"
#include "models/nn/graph/check/apart.h"
#include "models/nn/kernels/dse_internal.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

bool rounds_as_reference(Derivation& d) {
  const Rounding r = d.op.options.rounding;
  if (r == Rounding::tflite || r == Rounding::single) return true;
  return d.fail(fmt::format("is not defined in mode {}", name_of(r)));
}

/// A real multiplier of the reference; `what` names it.
bool multiplier(Derivation& d, double real, const char* what, Multiplier& m) {
  m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
  if (m.shift <= 30) return true;
  return d.fail(fmt::format("the {} has the real multiplier {}, above 2^30", what, real));
}

/// Input `i` is a constant of this type and shape (with a scale, unless it is a bias).
bool constant(Derivation& d, std::size_t i, const char* role, DataType type, const std::vector<std::int64_t>& shape) {
  if (!d.has_input(i)) return d.fail(fmt::format("has no {}", role));
  const Tensor& t = d.input(i);
  if (t.kind != TensorKind::constant || t.fill) return d.fail(fmt::format("{} '{}' are not constant", role, t.name));
  if (t.shape != shape)
    return d.fail(fmt::format("{} '{}' have shape {}, not {}", role, t.name, text_of(t.shape), text_of(shape)));
  if (type == DataType::int32 && t.type == type) return true;
  if (!d.quantized(d.op.inputs[i], role, {type})) return false;
  if (zero_of(t) != 0) return d.fail(fmt::format("{} '{}' have zero point {}, not 0", role, t.name, zero_of(t)));
  return true;
}

/// Input `i` is a variable of one of these types and this many elements.
bool variable(Derivation& d, std::size_t i, const char* role, std::initializer_list<DataType> types,
              std::int64_t elements) {
  if (!d.has_input(i)) return d.fail(fmt::format("has no {}", role));
  const Tensor& t = d.input(i);
  if (t.kind != TensorKind::variable) return d.fail(fmt::format("{} '{}' is not a variable", role, t.name));
  if (t.elements() != elements)
    return d.fail(fmt::format("{} '{}' has shape {}, not {} elements", role, t.name, text_of(t.shape), elements));
  return d.quantized(d.op.inputs[i], role, types);
}

void append(std::vector<std::uint8_t>& to, const Tensor& t) { to.insert(to.end(), t.data.begin(), t.data.end()); }

std::int32_t int32_bias(const Tensor& t, std::int64_t i) {
  std::int32_t v = 0;
  std::memcpy(&v, t.data.data() + 4 * i, 4);
  return v;
}

/// The one call, with everything that both operators have.
void add_recurrent_call(Derivation& d) {
  dse_op& k = d.op.kernel;
  const auto records = static_cast<std::int64_t>(d.op.channel_params.size() / 3);
  const auto bytes = static_cast<std::int64_t>(d.op.weights.size());
  k.arg[DSE_ARG_WEIGHT_BYTES] = static_cast<std::int32_t>(bytes);
  k.arg[DSE_ARG_RECORDS] = static_cast<std::int32_t>(records);
  KernelCall call;
  call.op = k;
  call.tile = full_tile(d.op);
  call.operands[DSE_IN0] = bound(d.op.inputs[0], dense_view({k.in_h, k.in_w, k.in_c}, 1));
  call.operands[DSE_OUT] = bound(d.op.outputs[0], dense_view({k.out_h, k.out_w, k.out_c}, 1));
  call.operands[DSE_WEIGHTS] = own(flat_view(bytes, 1));
  call.operands[DSE_QPARAMS] = own(dense_view({records, 1, 1}, 12));
  d.op.calls.push_back(call);
}

void bind_state(Derivation& d, dse_role role, std::size_t input, int size_argument) {
  const Tensor& t = d.input(input);
  KernelCall& call = d.op.calls.back();
  call.operands[static_cast<std::size_t>(role)] = bound(d.op.inputs[input], flat_view(t.elements(), size_of(t.type)));
  call.op.arg[size_argument] = static_cast<std::int32_t>(t.elements());
}

}  // namespace

// Inputs: x [batch, features], feature weights [filters, features], time weights [filters, steps], bias [units] or -1,
// state [batch, filters * steps].
bool derive_svdf(Derivation& d) {
  if (!rounds_as_reference(d) || !d.quantized_int8(d.op.inputs[0], "input") ||
      !d.quantized_int8(d.op.outputs[0], "output"))
    return false;
  const auto &x = d.input(0).shape, &wf = d.input(1).shape, &wt = d.input(2).shape;
  if (x.size() != 2 || wf.size() != 2 || wt.size() != 2)
    return d.fail(fmt::format("input {}, feature weights {} and time weights {} are not all of two dimensions",
                              text_of(x), text_of(wf), text_of(wt)));
  const std::int64_t rank = d.op.options.rank, filters = wf[0], steps = wt[1];
  if (rank < 1 || filters % rank != 0) return d.fail(fmt::format("{} filters of rank {}", filters, rank));
  const std::int64_t units = filters / rank;
  const DataType type = d.input(2).type;
  if (type != DataType::int8 && type != DataType::int16)
    return d.fail(fmt::format("time weights '{}' have type {}", d.input(2).name, name_of(type)));
  if (!constant(d, 1, "feature weights", DataType::int8, {filters, x[1]}) ||
      !constant(d, 2, "time weights", type, {filters, steps}) || !d.output_is({x[0], units}))
    return false;
  if (filters > max_elements / steps || filters * steps > max_elements / x[0])
    return d.fail(fmt::format("{} filters of {} steps are too large a state", filters, steps));
  if (!variable(d, 4, "state", {type}, x[0] * filters * steps)) return false;
  // All products of scales in binary32, as the reference has them.
  const float in = scale_of(d.input(0)), state = scale_of(d.input(4));
  const float to_state = in * scale_of(d.input(1)), to_output = state * scale_of(d.input(2));
  Multiplier e1, e2;
  if (!multiplier(d, static_cast<double>(to_state / state), "state", e1) ||
      !multiplier(d, static_cast<double>(to_output / scale_of(d.output())), "output", e2))
    return false;
  if (d.has_input(3)) {
    if (!constant(d, 3, "bias", DataType::int32, {units})) return false;
    const auto& scale = d.input(3).quantization.scale;
    if (scale.size() == 1 && !(std::abs(scale[0] - to_output) < 1e-5f))
      return d.fail(fmt::format("bias '{}' has scale {}, but state scale times time weight scale is {}",
                                d.input(3).name, scale[0], to_output));
  }
  dse_op& k = d.op.kernel;
  k.kind = DSE_SVDF;
  set_extents(k, {x[0], 1, x[1]}, {x[0], 1, units});
  k.rounding = static_cast<std::int32_t>(d.op.options.rounding);
  set_types(d, k);
  k.in_zero = zero_of(d.input(0)), k.out_zero = zero_of(d.output());
  k.m1 = e1.multiplier, k.s1 = e1.shift;
  k.arg[0] = static_cast<std::int32_t>(rank), k.arg[1] = static_cast<std::int32_t>(steps);
  k.arg[2] = zero_of(d.input(4)), k.arg[3] = kernel_type(type);
  d.op.weights.clear();
  append(d.op.weights, d.input(1));
  append(d.op.weights, d.input(2));
  for (std::int64_t u = 0; u < units; ++u) {
    const std::int32_t bias = d.has_input(3) ? int32_bias(d.input(3), u) : 0;
    d.op.channel_params.insert(d.op.channel_params.end(), {bias, e2.multiplier, e2.shift});
  }
  d.op.macs = x[0] * filters * (x[1] + steps);
  add_recurrent_call(d);
  bind_state(d, DSE_STATE0, 4, DSE_ARG_STATE0);
  return true;
}

namespace {

constexpr std::size_t input_weights = 1, hidden_weights = 5, biases = 12, hidden_state = 18, cell_state = 19;
constexpr std::size_t gates = 4;

/// The gates' weights and biases: Operator::weights and channel_params as lstm.c has them.
bool pack_gates(Derivation& d, std::int64_t features, std::int64_t units) {
  auto& params = d.op.channel_params;
  d.op.weights.clear(), params.clear();
  constexpr double gate_step = 1.0 / 4096;
  std::vector<std::int32_t> hidden;
  for (std::size_t g = 0; g < gates; ++g) {
    if (!constant(d, input_weights + g, "input weights", DataType::int8, {units, features}) ||
        !constant(d, hidden_weights + g, "recurrent weights", DataType::int8, {units, units}))
      return false;
    const bool biased = d.has_input(biases + g);
    if (biased && !constant(d, biases + g, "biases", DataType::int32, {units})) return false;
    const float from_input = scale_of(d.input(0)) * scale_of(d.input(input_weights + g));
    const float from_hidden = scale_of(d.input(hidden_state)) * scale_of(d.input(hidden_weights + g));
    Multiplier x, h;
    if (!multiplier(d, static_cast<double>(from_input) / gate_step, "gate's input part", x) ||
        !multiplier(d, static_cast<double>(from_hidden) / gate_step, "gate's recurrent part", h))
      return false;
    for (std::int64_t u = 0; u < units; ++u)
      params.insert(params.end(), {biased ? int32_bias(d.input(biases + g), u) : 0, x.multiplier, x.shift});
    hidden.insert(hidden.end(), {0, h.multiplier, h.shift});
    append(d.op.weights, d.input(input_weights + g));
  }
  params.insert(params.end(), hidden.begin(), hidden.end());
  for (std::size_t g = 0; g < gates; ++g) append(d.op.weights, d.input(hidden_weights + g));
  return true;
}

/// Multipliers of the cell's and the hidden state's update, the cell's limit and its way into tanh.
bool set_cell(Derivation& d) {
  const double cell = static_cast<double>(scale_of(d.input(cell_state))), gate = 1.0 / 32768;
  const double hidden = static_cast<double>(scale_of(d.input(hidden_state)));
  Multiplier forget, input, output;
  if (!multiplier(d, gate * cell / cell, "forget gate", forget) ||
      !multiplier(d, gate * gate / cell, "input gate", input) ||
      !multiplier(d, gate * gate / hidden, "output gate", output))
    return false;
  const double log2 = std::log2(cell);
  const int power = static_cast<int>(std::lround(log2));
  if (!(std::abs(log2 - power) < 1e-3))
    return d.fail(fmt::format("cell state '{}' has scale {}, not a power of two", d.input(cell_state).name, cell));
  const int shift = 12 + power;
  if (shift < -31 || shift > 15) return d.fail(fmt::format("cell state has scale {}", cell));
  dse_op& k = d.op.kernel;
  k.m1 = forget.multiplier, k.s1 = forget.shift;
  k.m2 = input.multiplier, k.s2 = input.shift;
  k.m3 = output.multiplier, k.s3 = output.shift;
  const float clip = d.op.options.cell_clip;
  if (!std::isfinite(clip)) return d.fail(fmt::format("cell clip {}", clip));
  k.arg[1] = clip > 0 ? static_cast<std::int32_t>(std::clamp(static_cast<double>(clip) / cell, -32768.0, 32767.0)) : -1;
  k.arg[2] = shift > 0 ? 3 << shift : 3;
  k.arg[3] = shift < 0 ? -shift : 0;
  return true;
}

}  // namespace

// Inputs as TFLite lists them: 0 x, 1-4 input weights, 5-8 recurrent weights (gates: input, forget, cell, output), 9-11
// peepholes, 12-15 biases, 16-17 projection, 18 hidden state, 19 cell state, 20-23 layer normalisation.
bool derive_lstm(Derivation& d) {
  if (!rounds_as_reference(d) || !d.quantized_int8(d.op.inputs[0], "input") ||
      !d.quantized_int8(d.op.outputs[0], "output"))
    return false;
  for (const std::size_t i : {9u, 10u, 11u, 16u, 17u, 20u, 21u, 22u, 23u})
    if (d.has_input(i)) return d.fail("peepholes, projections and layer normalisation are not supported");
  if (d.op.options.activation != Activation::none) return d.fail("its activation is not tanh");
  const auto& x = d.input(0).shape;
  if (x.size() != 3 || !d.has_input(input_weights + 1) || d.input(input_weights + 1).shape.size() != 2)
    return d.fail(fmt::format("input '{}' has shape {}, not three dimensions, or there are no weights of two",
                              d.input(0).name, text_of(x)));
  const std::int64_t units = d.input(input_weights + 1).shape[0];
  const std::int64_t batch = d.op.options.time_major ? x[1] : x[0];
  if (!d.output_is({x[0], x[1], units})) return false;
  if (!variable(d, hidden_state, "hidden state", {DataType::int8}, batch * units) ||
      !variable(d, cell_state, "cell state", {DataType::int16}, batch * units))
    return false;
  if (!same_scales(d.input(hidden_state), d.output()))
    return d.fail(fmt::format("hidden state '{}' and output '{}' are quantised differently ({})",
                              d.input(hidden_state).name, d.output().name,
                              apart_text(d.input(hidden_state), d.output())));
  dse_op& k = d.op.kernel;
  k.kind = DSE_LSTM;
  set_extents(k, {x[0], x[1], x[2]}, {x[0], x[1], units});
  k.rounding = static_cast<std::int32_t>(d.op.options.rounding);
  set_types(d, k);
  k.in_zero = zero_of(d.input(0)), k.out_zero = zero_of(d.output()), k.in2_zero = zero_of(d.input(hidden_state));
  k.arg[0] = d.op.options.time_major;
  if (!pack_gates(d, x[2], units) || !set_cell(d)) return false;
  d.op.macs = x[0] * x[1] * 4 * units * (x[2] + units);
  add_recurrent_call(d);
  bind_state(d, DSE_STATE0, hidden_state, DSE_ARG_STATE0);
  bind_state(d, DSE_STATE1, cell_state, DSE_ARG_STATE1);
  return true;
}

}  // namespace dse::nn
