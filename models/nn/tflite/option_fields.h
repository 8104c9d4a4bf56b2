// Fields of option tables beside what they say here. A list of fields (codecs.cpp) calls the same functions of either
// class, so that one list reads and writes.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "models/nn/tflite/reading.h"

namespace dse::nn {

inline constexpr std::pair<tflite::ActivationFunctionType, Activation> tflite_activations[] = {
    {tflite::ActivationFunctionType::NONE, Activation::none},
    {tflite::ActivationFunctionType::RELU, Activation::relu},
    {tflite::ActivationFunctionType::RELU6, Activation::relu6},
    {tflite::ActivationFunctionType::RELU_N1_TO_1, Activation::relu_n1_to_1}};

/// From the file to the operator. What has no counterpart here goes to Operator::unsupported, the first of it.
class OptionReader {
 public:
  explicit OptionReader(Operator& op) : o(op.options), op_(op) {}

  OperatorOptions& o;

  void fail(const std::string& what) {
    if (op_.unsupported.empty()) op_.unsupported = what;
  }
  void field(std::int32_t file, int& here) { here = file; }
  void field(bool file, bool& here) { here = file; }
  void field(const std::vector<std::int32_t>& file, std::vector<std::int64_t>& here) {
    here.assign(file.begin(), file.end());
  }
  /// A float that takes part in arithmetic: the file may hold anything.
  void field(float file, float& here, const char* what) {
    here = std::isfinite(file) ? file : 0;
    if (!std::isfinite(file)) fail(fmt::format("{} is {}", what, file));
  }
  void activation(tflite::ActivationFunctionType file) {
    for (const auto& [theirs, ours] : tflite_activations)
      if (theirs == file) {
        o.activation = ours;
        return;
      }
    fail(fmt::format("fused activation {} is not supported", static_cast<int>(file)));
  }
  /// One of two words.
  template <class Word>
  void choice(Word file, bool& here, Word yes, Word no, const char* what) {
    if (file != yes && file != no) fail(fmt::format("{} {} is unknown", what, static_cast<int>(file)));
    here = file == yes;
  }
  /// The only value that is computed.
  template <class Value>
  void only(Value file, Value value, const char* message) {
    if (file != value) fail(fmt::format(fmt::runtime(message), static_cast<int>(file)));
  }
  void refuse(bool wrong, const std::string& what) {
    if (wrong) fail(what);
  }
  /// What follows from the operator's tensors.
  template <class Field, class F>
  void derived(const Field&, F&&) {}

 private:
  Operator& op_;
};

/// From the operator to the file.
class OptionWriter {
 public:
  OptionWriter(const Network& n, const Operator& op, bool same_padding) : o(op.options), n_(n), op_(op) {
    o.same_padding = same_padding;
  }

  OperatorOptions o;

  template <class Field>
  void field(Field& file, const Field& here, const char* = nullptr) {
    file = here;
  }
  void field(std::vector<std::int32_t>& file, const std::vector<std::int64_t>& here) {
    file.assign(here.begin(), here.end());
  }
  void activation(tflite::ActivationFunctionType& file) {
    for (const auto& [theirs, ours] : tflite_activations)
      if (ours == o.activation) file = theirs;
  }
  template <class Word>
  void choice(Word& file, bool here, Word yes, Word no, const char*) {
    file = here ? yes : no;
  }
  template <class Value>
  void only(Value& file, Value value, const char*) {
    file = value;
  }
  void refuse(bool, const std::string&) {}
  template <class Field, class F>
  void derived(Field& file, F&& f) {
    file = static_cast<Field>(f(n_, op_));
  }

 private:
  const Network& n_;
  const Operator& op_;
};

}  // namespace dse::nn
