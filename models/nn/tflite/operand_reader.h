// One operator's operands while they are read (operands.cpp): checks and indices that many kinds share.
#pragma once
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "models/nn/graph/derivation.h"
#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/reading.h"

namespace dse::nn {

using Integers = std::vector<std::int64_t>;

class OperandReader {
 public:
  OperandReader(const Network& n, const tflite::Operator& from, Operator& op)
      : n_(n), from_(from), op_(op), to_(op.options), file_inputs_(op.inputs) {}

  void read(const TfliteCodec& codec) {
    if (!codec.operands.read || (this->*codec.operands.read)()) return;
    // The tensors that the file lists stay visible; the kind's own rules for inputs do not apply to them.
    op_.kind = OperatorKind::other;
    op_.inputs = file_inputs_;
    op_.options = {};
  }

  // The rows of codecs.cpp name these. Each moves what says what to do into the options.
  bool drop_shape();
  bool squeeze();
  bool expand_dims();
  bool transpose();
  bool pad() { return paddings(2); }
  bool pad_with_value() { return paddings(3); }
  bool reduction();
  bool arg_extreme();
  bool split();
  bool split_v();
  bool slice();
  bool strided_slice();
  bool transpose_conv();
  bool resize();
  bool along_axis() { return has_first() && normalise_axis(to_.axis, rank(0)); }
  /// The format's softmax runs along the last axis.
  bool along_last_axis() { return has_first() && normalise_axis(-1, rank(0)); }
  bool along_new_axis() { return has_first() && normalise_axis(to_.axis, rank(0) + 1); }
  bool lstm() {
    // Early files end after the states; what is not there is refused by the number of inputs.
    if (op_.inputs.size() >= 20 && op_.inputs.size() < 24) op_.inputs.resize(24, -1);
    return true;
  }

 private:
  bool fail(const std::string& what) {
    if (op_.unsupported.empty()) op_.unsupported = what;
    return false;
  }
  const Tensor& tensor(int i) const { return n_.tensors[static_cast<std::size_t>(i)]; }
  const Integers& shape(std::size_t input) const { return tensor(op_.inputs[input]).shape; }
  std::int64_t rank(std::size_t input) const { return static_cast<std::int64_t>(shape(input).size()); }
  const Integers& output_shape() const { return tensor(op_.outputs[0]).shape; }

  bool has_first() { return (!op_.inputs.empty() && op_.inputs[0] >= 0) || fail("has no input"); }

  /// So many inputs are there, none of them left out, and an output.
  bool has(std::size_t least, std::size_t most) {
    if (op_.inputs.size() < least || op_.inputs.size() > most)
      return fail(fmt::format("has {} inputs, expected {}{}", op_.inputs.size(), least,
                              least == most ? "" : fmt::format(" to {}", most)));
    for (std::size_t i = 0; i < least; ++i)
      if (op_.inputs[i] < 0) return fail(fmt::format("input {} is left out", i));
    return !op_.outputs.empty() || fail("has no output");
  }

  bool integers(std::size_t input, const char* role, Integers& out) {
    if (constant_integers(n_, op_.inputs[input], out)) return true;
    return fail(fmt::format("{} '{}' is no constant of type INT32 or INT64", role, tensor(op_.inputs[input]).name));
  }

  bool integers(std::size_t input, const char* role, std::size_t count, Integers& out) {
    if (!integers(input, role, out)) return false;
    return out.size() == count || fail(fmt::format("{} has {} values, expected {}", role, out.size(), count));
  }

  /// A negative axis counts from the end.
  bool normalise(std::int64_t& axis, std::int64_t rank) {
    if (axis < -rank || axis >= rank) return fail(fmt::format("axis {} of a tensor of rank {}", axis, rank));
    if (axis < 0) axis += rank;
    return true;
  }
  bool normalise_axis(std::int64_t axis, std::int64_t rank) {
    if (!normalise(axis, rank)) return false;
    to_.axis = static_cast<int>(axis);
    return true;
  }
  bool normalise_axes(Integers axes, std::int64_t rank) {
    for (auto& a : axes)
      if (!normalise(a, rank)) return false;
    const std::set<std::int64_t> ordered(axes.begin(), axes.end());
    to_.axes.assign(ordered.begin(), ordered.end());
    return true;
  }

  bool paddings(std::size_t most);

  const Network& n_;
  const tflite::Operator& from_;
  Operator& op_;
  OperatorOptions& to_;
  const std::vector<int> file_inputs_;
};

}  // namespace dse::nn
