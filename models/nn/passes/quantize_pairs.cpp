// DEQUANTIZE -> operator -> QUANTIZE as one integer operator.
#include "models/nn/passes/quantize_pairs.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>

#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

using K = OperatorKind;

class Folder {
 public:
  explicit Folder(Network n) : n_(std::move(n)), uses_(n_), dead_(n_.operators.size()), place_(n_.operators.size()) {
    std::iota(place_.begin(), place_.end(), std::size_t{0});
  }

  Network run() {
    const std::size_t count = n_.operators.size();
    for (std::size_t o = 0; o < count; ++o) prepare(o);
    for (std::size_t o = 0; o < count; ++o) {
      if (dead_[o] || !n_.operators[o].unsupported.empty()) continue;
      if (pairs::moves_values(n_, n_.operators[o]))
        push_down(o);
      else if (pairs::computes(n_, n_.operators[o]))
        fold(o);
    }
    for (std::size_t o = 0; o < n_.operators.size(); ++o) requantize(o);
    sort();
    remove_dead(n_, dead_);
    pairs::fold_constants(n_);
    pairs::propagate_quantization(n_);
    return std::move(n_);
  }

 private:
  Operator& op(int o) { return n_.operators[static_cast<std::size_t>(o)]; }
  int maker(int t) const { return uses_.maker[static_cast<std::size_t>(t)]; }
  std::vector<int>& readers(int t) { return uses_.readers[static_cast<std::size_t>(t)]; }

  void read_instead(int from, int to) {
    for (const int o : readers(from)) {
      std::replace(op(o).inputs.begin(), op(o).inputs.end(), from, to);
      readers(to).push_back(o);
    }
    readers(from).clear();
  }

  int new_tensor(const Tensor& like, const std::string& suffix) {
    const int t = add_tensor(n_, like, suffix);
    uses_.maker.push_back(-1);
    uses_.readers.emplace_back();
    uses_.is_output.push_back(false);
    return t;
  }

  /// Constants are quantised here and now; QUANTIZE operators that say the same of the same tensor become one.
  void prepare(std::size_t o) {
    const Operator& q = n_.operators[o];
    if (q.kind != K::quantize || !q.unsupported.empty()) return;
    const int in = q.inputs[0], out = q.outputs[0];
    const Tensor& to = at(n_, out);
    if (at(n_, in).kind == TensorKind::constant && at(n_, in).type == DataType::float32 &&
        !uses_.is_output[static_cast<std::size_t>(out)] && to.type != DataType::int16) {
      at(n_, out).data = pairs::quantized_values(at(n_, in), to.type, to.quantization);
      at(n_, out).kind = TensorKind::constant;
      uses_.maker[static_cast<std::size_t>(out)] = -1;
      dead_[o] = true;
      return;
    }
    if (!pairs::is_quantized(to) || uses_.is_output[static_cast<std::size_t>(out)]) return;
    const auto key = std::make_tuple(in, to.type, to.quantization.scale[0], to.quantization.zero_point[0]);
    const auto [known, fresh] = quantized_.emplace(key, out);
    if (fresh) return;
    read_instead(out, known->second);
    auto& all = readers(in);
    all.erase(std::find(all.begin(), all.end(), static_cast<int>(o)));
    dead_[o] = true;
  }

  /// The 8-bit tensor that `t` is the value of; -1 if there is none.
  int quantized(int t) const {
    const int m = t < 0 ? -1 : maker(t);
    if (m < 0) return -1;
    const Operator& dq = n_.operators[static_cast<std::size_t>(m)];
    if (dq.kind != K::dequantize || !dq.unsupported.empty()) return -1;
    return pairs::is_quantized(at(n_, dq.inputs[0])) ? dq.inputs[0] : -1;
  }

  /// DEQUANTIZE, move -> move, DEQUANTIZE.
  void push_down(std::size_t o) {
    const int source = quantized(n_.operators[o].inputs[0]);
    if (source < 0 || at(n_, source).kind == TensorKind::constant) return;
    drop_reader(n_.operators[o].inputs[0], o);
    n_.operators[o].inputs[0] = source;
    readers(source).push_back(static_cast<int>(o));
    for (std::size_t i = 0; i < n_.operators[o].outputs.size(); ++i) {
      const int real = n_.operators[o].outputs[i];
      Tensor like = at(n_, source);
      like.name = at(n_, real).name;
      like.shape = at(n_, real).shape;
      like.kind = TensorKind::activation;
      const int made = new_tensor(like, "_quantized");
      n_.operators[o].outputs[i] = made;
      uses_.maker[static_cast<std::size_t>(made)] = static_cast<int>(o);
      Operator dq;
      dq.kind = K::dequantize;
      dq.type = "DequantizeLinear";
      dq.inputs = {made};
      dq.outputs = {real};
      const auto index = static_cast<int>(n_.operators.size());
      readers(made).push_back(index);
      uses_.maker[static_cast<std::size_t>(real)] = index;
      n_.operators.push_back(std::move(dq));
      dead_.push_back(false);
      place_.push_back(o);
    }
  }

  void drop_reader(int t, std::size_t o) {
    auto& all = readers(t);
    const auto found = std::find(all.begin(), all.end(), static_cast<int>(o));
    if (found != all.end()) all.erase(found);
  }

  /// The constant behind operand `i`: itself, or what its DEQUANTIZE reads. -1 if it is no constant.
  int constant_behind(const Operator& from, std::size_t i) const {
    if (i >= from.inputs.size() || from.inputs[i] < 0) return -1;
    int t = from.inputs[i];
    const int m = maker(t);
    if (m >= 0 && n_.operators[static_cast<std::size_t>(m)].kind == K::dequantize)
      t = n_.operators[static_cast<std::size_t>(m)].inputs[0];
    return at(n_, t).kind == TensorKind::constant ? t : -1;
  }

  /// Operands of the integer operator; empty if it cannot be one.
  std::vector<int> integer_operands(const Operator& from) {
    std::vector<int> operands;
    const bool weighted = from.kind == K::conv_2d || from.kind == K::transpose_conv || from.kind == K::gemm;
    for (std::size_t i = 0; i < from.inputs.size() && !(weighted && i > 0); ++i) {
      int t = quantized(from.inputs[i]);
      if (t < 0 && from.kind == K::batch_matmul && i == 1) t = weights_behind(from);
      if (t < 0) return {};
      operands.push_back(t);
    }
    if (!weighted) return operands;
    const int w = weights_behind(from);
    if (w < 0) return {};
    operands.push_back(w);
    if (from.inputs.size() < 3 || from.inputs[2] < 0) return operands;
    const int b = constant_behind(from, 2);
    const auto& out = at(n_, from.outputs[0]).shape;
    const std::int64_t channels = out[1];  // [N, C, H, W] or [rows, C]
    if (b < 0) return {};
    // A scale per output channel of a group does not say which channel of the bias it belongs to.
    if (from.kind == K::transpose_conv && from.options.groups > 1 && at(n_, w).quantization.scale.size() > 1) return {};
    const auto bias = pairs::integer_bias(at(n_, b), at(n_, operands[0]).quantization.scale[0], at(n_, w), channels);
    if (!bias) return {};
    Tensor t;
    t.name = at(n_, b).name;
    t.shape = {channels};
    t.type = DataType::int32;
    t.kind = TensorKind::constant;
    t.data.resize(4 * bias->size());
    std::memcpy(t.data.data(), bias->data(), t.data.size());
    operands.push_back(new_tensor(t, "_int32"));
    return operands;
  }

  int weights_behind(const Operator& from) const {
    const int w = constant_behind(from, 1);
    if (w < 0) return -1;
    const Tensor& t = at(n_, w);
    const bool eight_bits = t.type == DataType::int8 || t.type == DataType::uint8;
    return eight_bits && !t.quantization.scale.empty() ? w : -1;
  }

  /// Folds operator `o` with its DEQUANTIZEs, the QUANTIZE behind it, and an activation in between.
  void fold(std::size_t o) {
    const int real = n_.operators[o].outputs[0];
    int next = uses_.only_reader(real);
    if (next < 0) return;
    int cut = -1;
    Activation activation = Activation::none;
    if (op(next).kind != K::quantize) {
      const int after = op(next).outputs.empty() ? -1 : uses_.only_reader(op(next).outputs[0]);
      if (after < 0 || op(after).kind != K::quantize || !takes_activation(n_.operators[o].kind)) return;
      const Tensor& out = at(n_, op(after).outputs[0]);
      if (!pairs::is_quantized(out)) return;
      const auto as = pairs::activation_as(op(next), out);
      if (!as || !op(next).unsupported.empty()) return;
      activation = *as;
      cut = next;
      next = after;
    }
    const int out = op(next).outputs[0];
    if (!pairs::is_quantized(at(n_, out)) || !op(next).unsupported.empty()) return;
    if (n_.operators[o].kind == K::softmax && !softmax_output(at(n_, out))) return;
    const auto operands = integer_operands(n_.operators[o]);
    if (operands.empty()) return;
    for (const int t : n_.operators[o].inputs)
      if (t >= 0) drop_reader(t, o);
    for (const int t : operands) readers(t).push_back(static_cast<int>(o));
    Operator& folded = n_.operators[o];
    folded.inputs = operands;
    folded.outputs = {out};
    if (activation != Activation::none) folded.options.activation = activation;
    uses_.maker[static_cast<std::size_t>(out)] = static_cast<int>(o);
    dead_[static_cast<std::size_t>(next)] = true;
    if (cut >= 0) dead_[static_cast<std::size_t>(cut)] = true;
  }

  static bool takes_activation(K k) {
    return k == K::conv_2d || k == K::transpose_conv || k == K::gemm || k == K::batch_matmul || k == K::add ||
           k == K::sub || k == K::mul || k == K::average_pool_2d;
  }

  /// The integer softmax makes TensorFlow Lite's scale and zero point only.
  static bool softmax_output(const Tensor& t) {
    return t.quantization.scale[0] == 1.0f / 256 &&
           t.quantization.zero_point[0] == (t.type == DataType::uint8 ? 0 : -128);
  }

  /// QUANTIZE of a DEQUANTIZE: nothing, or from one integer to the other.
  void requantize(std::size_t o) {
    if (dead_[o] || n_.operators[o].kind != K::quantize || !n_.operators[o].unsupported.empty()) return;
    const int source = quantized(n_.operators[o].inputs[0]), out = n_.operators[o].outputs[0];
    if (source < 0 || at(n_, source).kind == TensorKind::constant || !pairs::is_quantized(at(n_, out))) return;
    n_.operators[o].inputs[0] = source;
    if (!same_values(at(n_, source), at(n_, out))) return;
    if (!uses_.is_output[static_cast<std::size_t>(out)]) {
      read_instead(out, source);
    } else {
      // The maker of what only this operator reads makes the network's output itself.
      const int made_by = maker(source);
      const auto& all = n_.operators;
      const auto reads = [&](std::size_t i) {
        return !dead_[i] && std::count(all[i].inputs.begin(), all[i].inputs.end(), source) > 0 && i != o &&
               all[i].kind != K::dequantize;
      };
      bool shared = made_by < 0 || uses_.is_output[static_cast<std::size_t>(source)];
      for (std::size_t i = 0; !shared && i < all.size(); ++i) shared = reads(i);
      if (shared) return;
      std::replace(op(made_by).outputs.begin(), op(made_by).outputs.end(), source, out);
      uses_.maker[static_cast<std::size_t>(out)] = made_by;
      read_instead(source, out);
    }
    dead_[o] = true;
  }

  /// New operators stand right behind those that they belong to.
  void sort() {
    std::vector<std::size_t> order(n_.operators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place_[a] < place_[b]; });
    std::vector<Operator> operators;
    std::vector<bool> dead;
    for (const auto o : order) {
      operators.push_back(std::move(n_.operators[o]));
      dead.push_back(dead_[o]);
    }
    n_.operators = std::move(operators);
    dead_ = std::move(dead);
  }

  Network n_;
  Uses uses_;
  std::vector<bool> dead_;
  std::vector<std::size_t> place_;
  std::map<std::tuple<int, DataType, float, std::int64_t>, int> quantized_;
};

}  // namespace

Network fold_quantize_pairs(Network n) {
  n = Folder(unfinished(std::move(n))).run();
  for (auto& op : n.operators) op.options.rounding = Rounding::onnx;
  return n;
}

}  // namespace dse::nn
