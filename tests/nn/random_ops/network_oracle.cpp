#include "network_oracle.h"

#include <stdexcept>

namespace dse::nn::random_ops {
namespace {

oracle::Tensor tensor_of(const nn::Tensor& t, const std::vector<std::uint8_t>& bytes) {
  constexpr oracle::Type types[] = {oracle::Type::i8,  oracle::Type::u8,  oracle::Type::i16,    oracle::Type::i32,
                                    oracle::Type::i64, oracle::Type::f32, oracle::Type::boolean};
  oracle::Tensor r;
  r.shape = t.shape;
  r.type = types[static_cast<int>(t.type)];
  r.scale = t.quantization.scale;
  r.zero = t.quantization.zero_point;
  r.axis = t.quantization.axis;
  if (!bytes.empty()) r.set_bytes(bytes);
  return r;
}

oracle::Tensor parameter(std::vector<std::int64_t> values) {
  oracle::Tensor t;
  t.type = oracle::Type::i32;
  t.shape = {static_cast<std::int64_t>(values.size())};
  t.q = std::move(values);
  return t;
}

oracle::Options options_of(const OperatorOptions& o) {
  oracle::Options r;
  r.mode = static_cast<oracle::Mode>(o.rounding);
  r.stride_h = o.stride_h, r.stride_w = o.stride_w, r.dilation_h = o.dilation_h, r.dilation_w = o.dilation_w;
  r.padding = o.explicit_padding ? oracle::Padding::given
              : o.same_padding   ? oracle::Padding::same
                                 : oracle::Padding::valid;
  r.pad_top = o.pad_top, r.pad_left = o.pad_left, r.pad_bottom = o.pad_bottom, r.pad_right = o.pad_right;
  r.filter_h = o.filter_h, r.filter_w = o.filter_w, r.count_include_pad = o.count_include_pad;
  r.activation = static_cast<oracle::Activation>(o.activation);
  r.depth_multiplier = o.depth_multiplier;
  r.beta = o.beta, r.alpha = o.alpha, r.cell_clip = o.cell_clip, r.clip_min = o.clip_min, r.clip_max = o.clip_max;
  r.adj_x = o.adj_x, r.adj_y = o.adj_y, r.keep_dims = o.keep_dims, r.time_major = o.time_major, r.rank = o.rank;
  r.align_corners = o.align_corners, r.half_pixel_centers = o.half_pixel_centers, r.symmetric = o.mirror_symmetric;
  r.axis = o.axis;
  r.correct_then_round = o.correction == Correction::correct_then_round;
  return r;
}

/// The operator's inputs in TFLite's order, parameters among them.
class Inputs {
 public:
  Inputs(const Network& n, const Operator& op, const TensorBytes& bytes) {
    for (const int t : op.inputs) {
      if (t < 0) {
        own_.push_back({}), absent_.push_back(true);
        continue;
      }
      const auto& from = n.tensors[static_cast<std::size_t>(t)];
      if (from.fill) throw std::invalid_argument("a constant that is not expanded");
      own_.push_back(
          tensor_of(from, from.kind == TensorKind::constant ? from.data : bytes[static_cast<std::size_t>(t)]));
      absent_.push_back(false);
    }
    add_parameters(op, n);
  }
  std::vector<const oracle::Tensor*> pointers() const {
    std::vector<const oracle::Tensor*> r;
    for (std::size_t i = 0; i < own_.size(); ++i) r.push_back(absent_[i] ? nullptr : &own_[i]);
    return r;
  }

 private:
  void insert(std::size_t at, oracle::Tensor t) {
    own_.insert(own_.begin() + static_cast<std::ptrdiff_t>(at), std::move(t));
    absent_.insert(absent_.begin() + static_cast<std::ptrdiff_t>(at), false);
  }
  void add_parameters(const Operator& op, const Network& n) {
    const auto& o = op.options;
    switch (op.kind) {
      case OperatorKind::transpose_conv:
        std::swap(own_[0], own_[1]);
        return insert(0, parameter(n.tensors[static_cast<std::size_t>(op.outputs[0])].shape));
      case OperatorKind::mean:
      case OperatorKind::sum:
      case OperatorKind::reduce_max:
      case OperatorKind::reduce_min:
        return insert(1, parameter(o.axes));
      case OperatorKind::arg_max:
      case OperatorKind::arg_min:
        return insert(1, parameter({o.axis}));
      case OperatorKind::split: {
        insert(1, parameter(o.sizes));
        return insert(2, parameter({o.axis}));
      }
      case OperatorKind::transpose:
        return insert(1, parameter(o.permutation));
      case OperatorKind::pad:
      case OperatorKind::mirror_pad: {
        std::vector<std::int64_t> pads;
        for (std::size_t i = 0; i < o.pad_before.size(); ++i)
          pads.push_back(o.pad_before[i]), pads.push_back(o.pad_after[i]);
        return insert(1, parameter(pads));
      }
      case OperatorKind::slice:
      case OperatorKind::strided_slice:
        insert(1, parameter(o.begin));
        insert(2, parameter(o.end));
        return insert(3, parameter(o.strides));
      default:
        return;
    }
  }
  std::vector<oracle::Tensor> own_;
  std::vector<bool> absent_;
};

std::string kind_of(const Operator& op) {
  if (op.kind == OperatorKind::split) return "SPLIT_V";
  if (op.kind == OperatorKind::slice) return "STRIDED_SLICE";
  if (op.kind == OperatorKind::identity || op.kind == OperatorKind::dropout) return "RESHAPE";
  return name_of(op.kind);
}

}  // namespace

TensorBytes run_by_oracle(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs, OracleState& state) {
  TensorBytes bytes(n.tensors.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) bytes.at(static_cast<std::size_t>(n.inputs.at(i))) = inputs[i];
  state.operators.resize(n.operators.size());
  if (state.variables.empty()) state.variables = initial_state(n);
  for (std::size_t k = 0; k < n.operators.size(); ++k) {
    const Operator& op = n.operators[k];
    const auto from = static_cast<std::size_t>(op.inputs.at(0)), to = static_cast<std::size_t>(op.outputs.at(0));
    if (op.kind == OperatorKind::read_variable) {
      bytes[to] = state.variables[from];
      continue;
    }
    if (op.kind == OperatorKind::assign_variable) {
      state.variables[to] = bytes[from];
      continue;
    }
    oracle::Options o = options_of(op.options);
    const Inputs in(n, op, bytes);
    if (op.inputs.size() > 1 && op.inputs[1] >= 0)
      for (const auto f : n.tensors[static_cast<std::size_t>(op.inputs[1])].quantization.correction)
        o.correction.push_back(f);
    std::vector<oracle::Tensor> outputs;
    for (const int t : op.outputs) outputs.push_back(tensor_of(n.tensors[static_cast<std::size_t>(t)], {}));
    if (o.correction.size() == 1)
      o.correction.assign(static_cast<std::size_t>(outputs.at(0).shape.back()), o.correction[0]);
    // A backward slice may end before the first element.
    for (std::size_t d = 0; d < op.options.end.size() && d < op.options.strides.size(); ++d)
      if (op.options.strides[d] < 0 && op.options.end[d] < 0) o.end_mask |= 1 << d;
    oracle::run(kind_of(op), o, in.pointers(), outputs, &state.operators[k]);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      bytes[static_cast<std::size_t>(op.outputs[i])] = outputs[i].bytes();
  }
  return bytes;
}

std::string first_difference(const Network& n, std::uint64_t seed, int steps) {
  TensorBytes state = initial_state(n);
  OracleState oracle_state;
  for (int step = 0; step < steps; ++step) {
    const auto inputs = seeded_inputs(n, seed, static_cast<std::uint64_t>(step));
    const TensorBytes got = interpret(n, inputs, state), want = run_by_oracle(n, inputs, oracle_state);
    for (const auto& op : n.operators)
      for (const int t : op.outputs)
        if (n.tensors[static_cast<std::size_t>(t)].kind == TensorKind::activation &&
            got[static_cast<std::size_t>(t)] != want[static_cast<std::size_t>(t)])
          return op.name + " in step " + std::to_string(step);
  }
  return {};
}

}  // namespace dse::nn::random_ops
