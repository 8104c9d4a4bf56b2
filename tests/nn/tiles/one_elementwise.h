// A network of one operator, built argument by argument, run on numbers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "models/nn/network.h"

namespace dse::nn::test {

class OneOperator {
 public:
  explicit OneOperator(OperatorKind kind) { op_.kind = kind; }
  OperatorOptions& options() { return op_.options; }
  OneOperator& input(DataType type, std::vector<std::int64_t> shape, float scale, std::int64_t zero_point = 0);
  OneOperator& real_input(std::vector<std::int64_t> shape);
  OneOperator& output(DataType type, std::vector<std::int64_t> shape, float scale, std::int64_t zero_point = 0);
  /// @returns null when the operator cannot be run: see problems().
  NetworkPtr finish();
  std::string problems() const { return diags_.text(); }
  /// Raw values of the inputs, in order; after finish(). @returns those of the output.
  std::vector<std::int64_t> run(const std::vector<std::vector<std::int64_t>>& inputs) const;
  std::vector<std::int64_t> run_reals(const std::vector<float>& input) const;

 private:
  int add(DataType type, std::vector<std::int64_t> shape, TensorKind kind);
  std::vector<std::int64_t> outputs(const std::vector<std::vector<std::uint8_t>>& inputs) const;
  Network network_;
  Operator op_;
  Diagnostics diags_;
  NetworkPtr finished_;
};

std::string text_of_shape(const std::vector<std::int64_t>& shape);

}  // namespace dse::nn::test
