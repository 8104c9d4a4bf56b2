// One operator's operands while they are written (operands.cpp): what stands in OperatorOptions here is a constant
// tensor in the file.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/write/writing.h"

namespace dse::nn {

class OperandWriter {
 public:
  OperandWriter(TfliteWriting& to, const Operator& op, TfliteOperator& out, std::string& why)
      : to_(to), op_(op), o_(op.options), out_(out), why_(why) {}

  bool write();

  // The rows of codecs.cpp name these.
  bool weighted();
  bool pool();
  bool transpose_conv();
  bool expand_dims();
  bool transpose() { return append("permutation", o_.permutation); }
  bool pad();
  bool paddings();
  bool reduction() { return append("axes", o_.axes); }
  bool arg_extreme() { return append("axis", {}, {o_.axis}); }
  bool along_last_axis();
  bool split();
  bool slice();
  bool strided_slice();
  bool resize();
  bool elu() { return o_.alpha == 1 || fail(fmt::format("has alpha {}", o_.alpha)); }
  bool assign_variable() {
    out_.inputs = {op_.outputs[0], op_.inputs[0]}, out_.outputs = {};
    return true;
  }

 private:
  using Integers = std::vector<std::int64_t>;

  bool fail(const std::string& what) {
    why_ = what;
    return false;
  }
  const Integers& shape(int t) const { return to_.tensor(t).shape; }
  bool append(const char* role, const Integers& shape, const Integers& values) {
    out_.inputs.push_back(to_.constant(op_.name + "/" + role, shape, values));
    return true;
  }
  bool append(const char* role, const Integers& values) {
    return append(role, {static_cast<std::int64_t>(values.size())}, values);
  }
  /// Another builtin computes the same.
  void become(std::int32_t code) { out_.codec = tflite_codec(code), out_.builtin = code; }

  bool window(int kernel_h, int kernel_w);
  void pad_first();

  TfliteWriting& to_;
  const Operator& op_;
  const OperatorOptions& o_;
  TfliteOperator& out_;
  std::string& why_;
};

}  // namespace dse::nn
