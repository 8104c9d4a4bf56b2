#include "models/nn/graph/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "models/nn/graph/cut.h"
#include "models/nn/graph/ports.h"
#include "models/nn/graph/price.h"
#include "models/nn/graph/wiring.h"

namespace dse::nn {

bool Derivation::fail(const std::string& what, const std::string& hint) {
  if (!keep_) return malformed(what, hint);
  if (op.unsupported.empty()) op.unsupported = hint.empty() ? what : what + " (" + hint + ")";
  return false;
}

bool Derivation::malformed(const std::string& what, const std::string& hint) {
  diags_.error({file_, 0, 0}, where_ + ": " + what, hint);
  return false;
}

bool Derivation::quantized(int index, const char* role, std::initializer_list<DataType> types) {
  const Tensor& t = tensor(index);
  if (std::find(types.begin(), types.end(), t.type) == types.end()) {
    std::vector<std::string> names;
    for (const auto type : types) names.emplace_back(name_of(type));
    return fail(fmt::format("{} '{}' has type {}", role, t.name, name_of(t.type)),
                fmt::format("supported are {}", fmt::join(names, ", ")));
  }
  const auto& q = t.quantization;
  if (q.scale.size() != 1 || q.zero_point.size() != 1)
    return fail(fmt::format("{} '{}' has {} scales and {} zero points, not one of each", role, t.name, q.scale.size(),
                            q.zero_point.size()));
  if (!std::isfinite(q.scale[0]) || !(q.scale[0] > 0.0f))
    return fail(fmt::format("{} '{}' has scale {}", role, t.name, q.scale[0]));
  const bool wide = t.type == DataType::int16 || t.type == DataType::int32;
  const std::int64_t lo = wide || t.type == DataType::uint8 ? 0 : -128;
  const std::int64_t hi = wide ? 0 : t.type == DataType::uint8 ? 255 : 127;
  if (q.zero_point[0] < lo || q.zero_point[0] > hi)
    return fail(fmt::format("{} '{}' of type {} has zero point {}", role, t.name, name_of(t.type), q.zero_point[0]));
  return true;
}

int kernel_type(DataType t) {
  switch (t) {
    case DataType::int8:
      return DSE_I8;
    case DataType::uint8:
      return DSE_U8;
    case DataType::int16:
      return DSE_I16;
    case DataType::int32:
      return DSE_I32;
    case DataType::int64:
      return DSE_I64;
    case DataType::float32:
      return DSE_F32;
    case DataType::boolean:
      return -1;
  }
  return -1;
}

bool Derivation::quantized_int8(int index, const char* role) {
  const Tensor& t = tensor(index);
  if (t.type != DataType::int8)
    return fail(fmt::format("{} '{}' has type {}", role, t.name, name_of(t.type)),
                "only int8 activations are supported");
  const auto& q = t.quantization;
  if (q.scale.size() != 1 || q.zero_point.size() != 1)
    return fail(fmt::format("{} '{}' has {} scales and {} zero points, not one of each", role, t.name, q.scale.size(),
                            q.zero_point.size()),
                "quantise the model to int8 first");
  if (!std::isfinite(q.scale[0]) || !(q.scale[0] > 0.0f))
    return fail(fmt::format("{} '{}' has scale {}", role, t.name, q.scale[0]));
  if (q.zero_point[0] < -128 || q.zero_point[0] > 127)
    return fail(fmt::format("{} '{}' has zero point {}, outside int8", role, t.name, q.zero_point[0]));
  return true;
}

bool Derivation::image_of_batch_1(int index, const char* role) {
  const auto& shape = tensor(index).shape;
  if (shape.size() != 4)
    return fail(fmt::format("{} '{}' has shape {}, not [1, H, W, C]", role, tensor(index).name, text_of(shape)));
  if (shape[0] != 1)
    return fail(fmt::format("{} '{}' has batch {}", role, tensor(index).name, shape[0]), "only batch 1 is supported");
  return true;
}

bool Derivation::output_is(const std::vector<std::int64_t>& shape) {
  if (output().shape == shape) return true;
  return fail(fmt::format("output '{}' has shape {}, but the operator makes {}", output().name, text_of(output().shape),
                          text_of(shape)));
}

float scale_of(const Tensor& t) { return t.quantization.scale[0]; }
std::int32_t zero_of(const Tensor& t) { return static_cast<std::int32_t>(t.quantization.zero_point[0]); }

std::string text_of(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

namespace {

/// Tensors that something reads or makes: others (what is internal to an operator, say) may be without elements.
std::vector<bool> used_tensors(const Network& n) {
  std::vector<bool> used(n.tensors.size());
  const auto mark = [&](const std::vector<int>& tensors) {
    for (const int t : tensors)
      if (t >= 0 && static_cast<std::size_t>(t) < used.size()) used[static_cast<std::size_t>(t)] = true;
  };
  mark(n.inputs), mark(n.outputs);
  for (const Operator& op : n.operators) mark(op.inputs), mark(op.outputs);
  return used;
}

bool check_tensors(const Network& n, const std::string& file, Diagnostics& diags) {
  bool ok = true;
  const std::vector<bool> used = used_tensors(n);
  for (std::size_t i = 0; i < n.tensors.size(); ++i) {
    const Tensor& t = n.tensors[i];
    const auto fail = [&](const std::string& what) {
      diags.error({file, 0, 0}, fmt::format("tensor {} ('{}'): {}", i, t.name, what));
      ok = false;
    };
    std::int64_t elements = 1;
    const std::int64_t limit = t.kind == TensorKind::constant ? max_constant_elements : max_elements;
    const std::int64_t least = used[i] ? 1 : 0;
    for (const auto d : t.shape) {
      if (d < least || (elements > 0 && d > limit / elements)) {
        fail(d < least ? fmt::format("shape {} has an extent below {}", text_of(t.shape), least)
                       : fmt::format("shape {} has more than {} M elements", text_of(t.shape), limit >> 20));
        elements = -1;
        break;
      }
      elements *= d;
    }
    if (t.fill && (t.kind != TensorKind::constant || !t.data.empty())) fail("only a constant without data has a fill");
    if (t.fill && t.type != DataType::float32) fail("only a float32 constant has a fill");
    if (elements > 0 && t.kind == TensorKind::variable && !t.data.empty() &&
        static_cast<std::int64_t>(t.data.size()) != t.bytes())
      fail(fmt::format("variable starts with {} bytes, shape {} needs {}", t.data.size(), text_of(t.shape), t.bytes()));
    if (elements >= 0 && t.kind == TensorKind::constant && !t.fill &&
        static_cast<std::int64_t>(t.data.size()) != t.bytes())
      fail(fmt::format("constant has {} bytes of data, shape {} needs {}", t.data.size(), text_of(t.shape), t.bytes()));
  }
  return ok;
}

bool check_options(Derivation& d) {
  const OperatorOptions& o = d.op.options;
  for (const int v : {o.stride_h, o.stride_w, o.dilation_h, o.dilation_w})
    if (v < 1 || v > max_window)
      return d.fail(fmt::format("stride or dilation {} is not within 1 to {}", v, max_window));
  return true;
}

/// Float arithmetic: some operand or result is float32. The two conversions have kernels.
bool computes_in_float(const Derivation& d) {
  if (d.op.kind == OperatorKind::quantize || d.op.kind == OperatorKind::dequantize) return false;
  const auto is_float = [&](int t) { return t >= 0 && d.tensor(t).type == DataType::float32; };
  return std::any_of(d.op.inputs.begin(), d.op.inputs.end(), is_float) ||
         std::any_of(d.op.outputs.begin(), d.op.outputs.end(), is_float);
}

bool derive_integer(Derivation& d) {
  switch (d.op.kind) {
    case OperatorKind::conv_2d:
    case OperatorKind::depthwise_conv_2d:
      return derive_convolution(d);
    case OperatorKind::fully_connected:
      return derive_fully_connected(d);
    case OperatorKind::transpose_conv:
      return derive_transpose_conv(d);
    case OperatorKind::batch_matmul:
      return derive_batch_matmul(d);
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
    case OperatorKind::global_average_pool:
    case OperatorKind::global_max_pool:
      return derive_pool(d);
    case OperatorKind::add:
    case OperatorKind::sub:
    case OperatorKind::mul:
    case OperatorKind::div:
    case OperatorKind::maximum:
    case OperatorKind::minimum:
    case OperatorKind::squared_difference:
    case OperatorKind::prelu:
      return derive_binary(d);
    case OperatorKind::relu:
    case OperatorKind::relu6:
    case OperatorKind::relu_n1_to_1:
    case OperatorKind::logistic:
    case OperatorKind::tanh:
    case OperatorKind::hard_swish:
    case OperatorKind::leaky_relu:
    case OperatorKind::elu:
    case OperatorKind::abs:
    case OperatorKind::neg:
    case OperatorKind::clip:
    case OperatorKind::hard_sigmoid:
      return derive_unary(d);
    case OperatorKind::quantize:
    case OperatorKind::dequantize:
      return derive_quantize(d);
    case OperatorKind::softmax:
      return derive_softmax(d);
    case OperatorKind::log_softmax:
      return derive_log_softmax(d);
    case OperatorKind::l2_normalization:
      return derive_l2_normalization(d);
    case OperatorKind::reshape:
    case OperatorKind::squeeze:
    case OperatorKind::expand_dims:
    case OperatorKind::identity:
    case OperatorKind::dropout:
    case OperatorKind::read_variable:
    case OperatorKind::assign_variable:
      return derive_copy(d);
    case OperatorKind::concatenation:
    case OperatorKind::pack:
    case OperatorKind::split:
    case OperatorKind::unpack:
      return derive_parts(d);
    case OperatorKind::transpose:
    case OperatorKind::slice:
    case OperatorKind::strided_slice:
      return derive_gather(d);
    case OperatorKind::pad:
    case OperatorKind::mirror_pad:
      return derive_pad(d);
    case OperatorKind::mean:
    case OperatorKind::sum:
    case OperatorKind::reduce_max:
    case OperatorKind::reduce_min:
      return derive_reduction(d);
    case OperatorKind::arg_max:
    case OperatorKind::arg_min:
      return derive_arg_extreme(d);
    case OperatorKind::resize_bilinear:
    case OperatorKind::resize_nearest_neighbor:
      return derive_resize(d);
    case OperatorKind::svdf:
      return derive_svdf(d);
    case OperatorKind::unidirectional_sequence_lstm:
      return derive_lstm(d);
    default:
      return d.fail("this operator has no integer kernel");
  }
}

/// What the calls cost beyond their products: the numbers of multiply-accumulates where extents do not tell, and in Q
/// formats whether storing an output takes a shift or a correction.
void note_costs(Operator& op) {
  for (auto& call : op.calls) {
    dse_op& k = call.op;
    if (k.kind == DSE_SVDF || k.kind == DSE_LSTM)
      k.arg[DSE_ARG_MACS] = static_cast<std::int32_t>(std::min<std::int64_t>(op.macs, 2147483647));
    if (k.rounding != DSE_ROUND_QFORMAT || op.channel_params.empty()) continue;
    // Records end in {factor, shift}. The high half of a fractional product is a shift by the weight's bits less one.
    const std::size_t words = static_cast<std::size_t>(dse_record_bytes(&k)) / 4;
    const std::int32_t high_half = k.weight_type == DSE_I16 ? 15 : 7;
    for (std::size_t r = words; r <= op.channel_params.size(); r += words) {
      if (op.channel_params[r - 1] != high_half) k.arg[DSE_ARG_STORE] |= DSE_STORE_SHIFTS;
      if (op.channel_params[r - 2] != 1) k.arg[DSE_ARG_STORE] |= DSE_STORE_CORRECTS;
    }
  }
}

/// @param told that the network computes in float; once is enough.
bool derive(Derivation& d, const LoadOptions& options, bool& told) {
  Operator& op = d.op;
  if (!op.unsupported.empty()) {  // the importer knows why
    const std::string why = std::exchange(op.unsupported, {});
    return d.fail(why);
  }
  if (op.kind == OperatorKind::other) return d.fail("this operator is not supported");
  if (computes_in_float(d)) {
    if (!options.allow_float && std::exchange(told, true) && !options.keep_unsupported) return false;
    if (!options.allow_float)
      return d.fail("computes in FLOAT32, and there are only integer kernels",
                    "quantise the network first: dse quantize");
    if (!derive_float(d)) return false;
    op.evaluation = Evaluation::floating;
    return true;
  }
  for (const int t : op.inputs)
    if (t >= 0 && d.tensor(t).fill)
      return d.fail(fmt::format("input '{}' is a constant given by a rule, which no kernel reads", d.tensor(t).name));
  if (!derive_integer(d)) return false;
  if (op.calls.empty()) add_plain_call(d.network, op);
  note_costs(op);
  op.kernel = op.calls.front().op;
  op.evaluation = Evaluation::kernel;
  return true;
}

/// The operator's own arithmetic where integer kernels have it, else the price. Float arithmetic is priced, too.
bool derive_or_price(Derivation& d, const LoadOptions& options, std::int64_t cycles) {
  LoadOptions integer = options;
  integer.allow_float = false, integer.keep_unsupported = true;
  bool told = false;
  return derive(d, integer, told) || derive_price(d, cycles);
}

}  // namespace

void name_operators(Network& n) {
  std::map<OperatorKind, int> running;
  std::set<std::string> taken;
  for (const auto& op : n.operators) taken.insert(op.name);
  for (auto& op : n.operators) {
    int& number = running[op.kind];
    if (!op.name.empty()) {
      ++number;
      continue;
    }
    do op.name = key_of(op.kind) + std::to_string(number++);
    while (!taken.insert(op.name).second);
  }
}

namespace {

NetworkPtr finish_whole(Network network, Diagnostics& diags, const std::string& file, const LoadOptions& options) {
  if (!check_tensors(network, file, diags)) return nullptr;
  settle_outputs(network);
  // What lacks all of these would be told once per operator or port, too.
  for (const auto& [lacks, what] : {std::pair{network.operators.empty(), "operators"},
                                    {network.inputs.empty(), "input"},
                                    {network.outputs.empty(), "output"}}) {
    if (!lacks) continue;
    diags.error({file, 0, 0}, fmt::format("the network has no {}", what));
    return nullptr;
  }
  bool told = false;
  std::vector<bool> made(network.tensors.size()), missed(network.tensors.size());
  for (std::size_t t = 0; t < made.size(); ++t) made[t] = network.tensors[t].kind != TensorKind::activation;
  bool ok = true;
  for (std::size_t o = 0; o < network.operators.size(); ++o) {
    Operator& op = network.operators[o];
    const std::string type = op.type.empty() ? name_of(op.kind) : op.type;
    const auto price = price_of(op, options);
    const bool kept = options.keep_unsupported || price;
    Derivation d(network, op, fmt::format("operator {} ({})", o, type), file, diags, kept);
    if (!check_wiring(d, made, missed)) {
      ok = false;
      // One error is enough: those who read what it would have made are not told off as well.
      for (const int t : op.outputs)
        if (t >= 0 && static_cast<std::size_t>(t) < made.size()) made[static_cast<std::size_t>(t)] = true;
      continue;
    }
    bool runs = check_options(d) && (price ? derive_or_price(d, options, *price) : derive(d, options, told));
    if (!runs) op.evaluation = Evaluation::none, op.calls.clear();
    ok = (runs || options.keep_unsupported) && ok;
    if (!runs && price && !options.keep_unsupported)
      diags.error({file, 0, 0}, fmt::format("operator {} ({}): cannot be priced: {}", o, type, op.unsupported));
  }
  ok = check_ports(network, made, file, diags) && ok;
  if (!ok) return nullptr;
  name_operators(network);
  return std::make_shared<const Network>(std::move(network));
}

}  // namespace

NetworkPtr finish_network(Network network, Diagnostics& diags, const std::string& file, const LoadOptions& options) {
  if (!options.cut) return finish_whole(std::move(network), diags, file, options);
  LoadOptions stage = options;
  stage.allow_float = false, stage.keep_unsupported = true;
  const auto whole = finish_whole(std::move(network), diags, file, stage);
  if (!whole) return nullptr;
  auto part = cut_network(*whole);
  if (!part) {
    diags.error({file, 0, 0}, "no operator of the network can be run, so that there is nothing to cut off from it");
    return nullptr;
  }
  stage.keep_unsupported = false;
  return finish_whole(std::move(*part), diags, file, stage);
}

}  // namespace dse::nn
