#include "models/nn/graph/ends/integer_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/nn/graph/price.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

using K = OperatorKind;

/// Makes of integers brought to FLOAT32 what people read.
bool is_function(K kind) { return kind == K::softmax || kind == K::log_softmax || kind == K::logistic; }
bool belongs_to_an_end(K kind) { return is_function(kind) || is_view(kind) || kind == K::transpose; }

/// One scale and zero point on integers that kernels know.
bool is_quantized(const Tensor& t) {
  const bool integers = t.type == DataType::int8 || t.type == DataType::uint8 || t.type == DataType::int16;
  return integers && !t.opaque && t.quantization.scale.size() == 1 && t.quantization.zero_point.size() == 1;
}

class Ends {
 public:
  Ends(Network n, const LoadOptions& options, std::vector<std::string>& said)
      : n_(std::move(n)),
        uses_(n_),
        options_(options),
        said_(said),
        behind_(n_.operators.size()),
        before_(n_.operators.size()) {}

  Network run() {
    find_behind();
    find_before();
    for (std::size_t o = 0; o < n_.operators.size(); ++o)
      if (behind_[o] || before_[o]) leave(n_.operators[o], before_[o]);
    if (left_ == 0) return std::move(n_);
    read_integers();
    give_integers();
    std::vector<Operator> kept;
    for (std::size_t o = 0; o < n_.operators.size(); ++o)
      if (!behind_[o] && !before_[o]) kept.push_back(std::move(n_.operators[o]));
    n_.operators = std::move(kept);
    drop_unused_tensors(n_);
    return std::move(n_);
  }

 private:
  const Operator& op(int o) const { return n_.operators[static_cast<std::size_t>(o)]; }
  int maker(int t) const { return uses_.maker[static_cast<std::size_t>(t)]; }
  const std::vector<int>& readers(int t) const { return uses_.readers[static_cast<std::size_t>(t)]; }
  bool is_output(int t) const { return uses_.is_output[static_cast<std::size_t>(t)]; }
  bool is_behind(int o) const { return o >= 0 && behind_[static_cast<std::size_t>(o)]; }

  /// Has one operand that is no constant, one result, and nothing of its own to say.
  bool simple(const Operator& op) const {
    if (op.inputs.empty() || op.inputs[0] < 0 || op.outputs.size() != 1 || !op.unsupported.empty()) return false;
    const bool constants = std::all_of(op.inputs.begin() + 1, op.inputs.end(),
                                       [&](int t) { return t < 0 || at(n_, t).kind == TensorKind::constant; });
    return constants && !price_of(op, options_);
  }

  bool may_be_behind(const Operator& op) const {
    if (!simple(op) || at(n_, op.outputs[0]).kind != TensorKind::activation) return false;
    const Tensor &in = at(n_, op.inputs[0]), &out = at(n_, op.outputs[0]);
    if (in.kind != TensorKind::activation || maker(op.inputs[0]) < 0) return false;
    // What a function makes may be brought to integers once more, as exporters do around every operator.
    if (op.kind == K::quantize) return is_function(this->op(maker(op.inputs[0])).kind) && is_quantized(out);
    if (out.type != DataType::float32) return false;
    return op.kind == K::dequantize ? is_quantized(in) : in.type == DataType::float32 && belongs_to_an_end(op.kind);
  }

  /// What it makes goes only on to such operators, and what it reads comes from one, or is integers.
  bool stays_behind(const Operator& op) const {
    const int out = op.outputs[0];
    if (readers(out).empty() && !is_output(out)) return false;
    if (!std::all_of(readers(out).begin(), readers(out).end(), [&](int r) { return is_behind(r); })) return false;
    return op.kind == K::dequantize || is_behind(maker(op.inputs[0]));
  }

  void find_behind() {
    for (std::size_t o = 0; o < behind_.size(); ++o) behind_[o] = may_be_behind(n_.operators[o]);
    for (bool changed = true; std::exchange(changed, false);)
      for (std::size_t o = behind_.size(); o-- > 0;)
        if (behind_[o] && !stays_behind(n_.operators[o])) behind_[o] = false, changed = true;
  }

  /// The integers that every reader of network input `t` makes of it; -1: they do something else with it as well.
  int integers_of(int t) const {
    const Tensor& real = at(n_, t);
    if (real.kind != TensorKind::input || real.type != DataType::float32 || is_output(t) || readers(t).empty() ||
        std::count(n_.inputs.begin(), n_.inputs.end(), t) != 1)
      return -1;
    int made = -1;
    for (const int r : readers(t)) {
      if (op(r).kind != K::quantize || !simple(op(r)) || op(r).inputs[0] != t) return -1;
      const int out = op(r).outputs[0];
      if (at(n_, out).kind != TensorKind::activation || !is_quantized(at(n_, out)) || is_output(out)) return -1;
      if (readers(out).empty() ||
          std::any_of(readers(out).begin(), readers(out).end(), [&](int k) { return is_behind(k); }))
        return -1;
      if (made >= 0 && !same_values(at(n_, made), at(n_, out))) return -1;
      if (made < 0) made = out;
    }
    return made;
  }

  void find_before() {
    for (const int t : n_.inputs) {
      integers_.push_back(integers_of(t));
      if (integers_.back() < 0) continue;
      for (const int r : readers(t)) before_[static_cast<std::size_t>(r)] = true;
    }
  }

  void leave(const Operator& op, bool before) {
    const bool converts = op.kind == K::quantize || op.kind == K::dequantize;
    n_.host.push_back({op.name, op.type.empty() ? name_of(op.kind) : op.type,
                       converts ? "it only converts what the network " + std::string(before ? "reads" : "makes")
                                : "it computes in FLOAT32 on what the network makes",
                       before});
    ++left_;
  }

  void say(const char* role, int real, int integers) {
    said_.push_back(fmt::format("{} '{}' is '{}' ({})", role, at(n_, real).name, at(n_, integers).name,
                                name_of(at(n_, integers).type)));
  }

  void give_integers() {
    std::vector<int> outputs;
    for (int t : n_.outputs) {
      const int real = t;
      const bool ours = is_behind(maker(t));
      while (is_behind(maker(t))) t = op(maker(t)).inputs[0];
      if (ours) say("output", real, t);
      const bool known = std::find(outputs.begin(), outputs.end(), t) != outputs.end();
      if (!(known && (ours || listed_for_its_end(t)))) outputs.push_back(t);
    }
    n_.outputs = std::move(outputs);
  }

  /// Is an output beside one that was made of it.
  bool listed_for_its_end(int t) const {
    return std::any_of(readers(t).begin(), readers(t).end(), [&](int r) { return is_behind(r); });
  }

  void read_integers() {
    for (std::size_t i = 0; i < integers_.size(); ++i) {
      const int made = integers_[i];
      if (made < 0) continue;
      for (const int r : readers(n_.inputs[i]))
        if (op(r).outputs[0] != made) replace_reads(n_, op(r).outputs[0], made);
      say("input", n_.inputs[i], made);
      at(n_, made).kind = TensorKind::input;
      n_.inputs[i] = made;
    }
  }

  Network n_;
  const Uses uses_;
  const LoadOptions& options_;
  std::vector<std::string>& said_;
  std::vector<char> behind_, before_;
  std::vector<int> integers_;  // per input: what stands in for it, or -1
  int left_ = 0;
};

}  // namespace

Network integer_ends(Network n, const LoadOptions& options, std::vector<std::string>& said) {
  if (!options.integer_io || !well_wired(n)) return n;
  return Ends(std::move(n), options, said).run();
}

}  // namespace dse::nn
