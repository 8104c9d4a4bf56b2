// FLOAT32 that is only moved next to a conversion, as integers that are moved.
#include <algorithm>
#include <utility>

#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

using K = OperatorKind;

/// Every element of the operand once.
bool rearranges(K kind) { return is_view(kind) || kind == K::transpose; }

/// Some of them.
bool picks(K kind) { return kind == K::slice || kind == K::strided_slice; }

class Mover {
 public:
  explicit Mover(Network n) : n_(std::move(n)) {}

  Network run() {
    // A round takes every conversion past one move; files that go on for longer than this are made to.
    constexpr int rounds = 32;
    for (int round = 0; round < rounds && (convert_before_moves() || convert_behind_moves()); ++round) continue;
    return std::move(n_);
  }

 private:
  Operator& op(int o) { return n_.operators[static_cast<std::size_t>(o)]; }
  static bool one_to_one(const Operator& op) {
    return op.unsupported.empty() && op.inputs.size() == 1 && op.outputs.size() == 1 && op.inputs[0] >= 0;
  }
  bool flows(int t) const { return at(n_, t).kind == TensorKind::activation || at(n_, t).kind == TensorKind::input; }
  bool is_real(int t) const { return flows(t) && at(n_, t).type == DataType::float32; }
  bool is_quantized(int t) const {
    return flows(t) && at(n_, t).type != DataType::float32 && at(n_, t).quantization.scale.size() == 1;
  }

  /// The values of `t` as `like` has them.
  int converted(int t, int like) {
    Tensor made = at(n_, like);
    made.kind = TensorKind::activation;
    made.shape = at(n_, t).shape, made.name = at(n_, t).name;
    return add_tensor(n_, made, "_quantized");
  }

  /// move, QUANTIZE -> QUANTIZE, move.
  bool convert_before_moves() {
    const Uses uses(n_);
    std::vector<bool> moved(n_.operators.size());
    bool any = false;
    for (std::size_t o = 0; o < moved.size(); ++o) {
      Operator& q = n_.operators[o];
      if (moved[o] || q.kind != K::quantize || !one_to_one(q) || !is_real(q.inputs[0]) || !is_quantized(q.outputs[0]))
        continue;
      const int between = q.inputs[0], maker = uses.maker[static_cast<std::size_t>(between)];
      if (maker < 0 || static_cast<std::size_t>(maker) >= o || moved[static_cast<std::size_t>(maker)] ||
          uses.only_reader(between) < 0)
        continue;
      Operator& move = op(maker);
      if (!rearranges(move.kind) || !one_to_one(move) || !is_real(move.inputs[0])) continue;
      const int real = move.inputs[0], integers = q.outputs[0], first = converted(real, integers);
      q.inputs = {real}, q.outputs = {first};
      move.inputs = {first}, move.outputs = {integers};
      std::swap(q, move);
      moved[o] = moved[static_cast<std::size_t>(maker)] = any = true;
    }
    return any;
  }

  /// DEQUANTIZE, move -> move, DEQUANTIZE.
  bool convert_behind_moves() {
    const Uses uses(n_);
    const std::vector<Operator> all = std::exchange(n_.operators, {});
    std::vector<Operator>& done = n_.operators;
    std::vector<bool> moved(n_.tensors.size());
    bool any = false;
    for (Operator move : all) {
      const int real = one_to_one(move) ? move.inputs[0] : -1;
      const int maker = real < 0 ? -1 : uses.maker[static_cast<std::size_t>(real)];
      const bool moves = (rearranges(move.kind) || picks(move.kind)) && maker >= 0 && is_real(real);
      const Operator* dq = moves ? &all[static_cast<std::size_t>(maker)] : nullptr;
      if (!dq || dq->kind != K::dequantize || !one_to_one(*dq) || dq->outputs[0] != real ||
          !is_quantized(dq->inputs[0])) {
        done.push_back(std::move(move));
        continue;
      }
      Operator back = *dq;
      if (uses.only_reader(real) < 0) back.name.clear();
      moved[static_cast<std::size_t>(real)] = true;
      const int result = move.outputs[0], integers = converted(result, dq->inputs[0]);
      move.inputs = dq->inputs, move.outputs = {integers};
      back.inputs = {integers}, back.outputs = {result};
      done.push_back(std::move(move)), done.push_back(std::move(back));
      any = true;
    }
    if (any) drop_idle_conversions(moved);
    return any;
  }

  /// Those whose results, `moved`, nobody reads any more.
  void drop_idle_conversions(const std::vector<bool>& moved) {
    const Uses uses(n_);
    std::vector<Operator> kept;
    for (Operator& o : n_.operators) {
      const auto out = static_cast<std::size_t>(o.outputs.empty() ? 0 : o.outputs[0]);
      const bool idle = o.kind == K::dequantize && !o.outputs.empty() && out < moved.size() && moved[out] &&
                        uses.readers[out].empty() && !uses.is_output[out];
      if (!idle) kept.push_back(std::move(o));
    }
    n_.operators = std::move(kept);
  }

  Network n_;
};

}  // namespace

Network moves_on_integers(Network n) { return well_wired(n) ? Mover(std::move(n)).run() : n; }

}  // namespace dse::nn
