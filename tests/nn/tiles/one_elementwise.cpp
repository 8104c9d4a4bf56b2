#include "tests/nn/tiles/one_elementwise.h"

#include <cstring>

namespace dse::nn::test {

int OneOperator::add(DataType type, std::vector<std::int64_t> shape, TensorKind kind) {
  Tensor t;
  t.name = "t" + std::to_string(network_.tensors.size());
  t.type = type, t.shape = std::move(shape), t.kind = kind;
  network_.tensors.push_back(t);
  return static_cast<int>(network_.tensors.size()) - 1;
}

OneOperator& OneOperator::input(DataType type, std::vector<std::int64_t> shape, float scale, std::int64_t zero_point) {
  const int i = add(type, std::move(shape), TensorKind::input);
  network_.tensors.back().quantization = {{scale}, {zero_point}};
  network_.inputs.push_back(i), op_.inputs.push_back(i);
  return *this;
}

OneOperator& OneOperator::real_input(std::vector<std::int64_t> shape) {
  const int i = add(DataType::float32, std::move(shape), TensorKind::input);
  network_.inputs.push_back(i), op_.inputs.push_back(i);
  return *this;
}

OneOperator& OneOperator::output(DataType type, std::vector<std::int64_t> shape, float scale, std::int64_t zero_point) {
  const int i = add(type, std::move(shape), TensorKind::activation);
  network_.tensors.back().quantization = {{scale}, {zero_point}};
  network_.outputs.push_back(i), op_.outputs.push_back(i);
  return *this;
}

NetworkPtr OneOperator::finish() {
  Network n = network_;
  n.operators = {op_};
  return finished_ = finish_network(std::move(n), diags_, "one");
}

std::vector<std::int64_t> OneOperator::outputs(const std::vector<std::vector<std::uint8_t>>& inputs) const {
  if (!finished_) return {};
  const auto bytes = interpret(*finished_, inputs);
  const auto index = static_cast<std::size_t>(finished_->outputs[0]);
  const Tensor& t = finished_->tensors[index];
  const auto size = static_cast<std::size_t>(size_of(t.type));
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < bytes[index].size(); i += size) {
    std::uint64_t v = 0;
    for (std::size_t b = 0; b < size; ++b) v |= std::uint64_t{bytes[index][i + b]} << (8 * b);
    const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
    const bool negative = t.type != DataType::uint8 && (v & sign) != 0;
    values.push_back(static_cast<std::int64_t>(v) - (negative ? static_cast<std::int64_t>(2 * sign) : 0));
  }
  return values;
}

std::vector<std::int64_t> OneOperator::run(const std::vector<std::vector<std::int64_t>>& inputs) const {
  std::vector<std::vector<std::uint8_t>> bytes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto size =
        static_cast<std::size_t>(size_of(network_.tensors[static_cast<std::size_t>(network_.inputs[i])].type));
    bytes.emplace_back();
    for (const std::int64_t v : inputs[i])
      for (std::size_t b = 0; b < size; ++b)
        bytes.back().push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(v) >> (8 * b)));
  }
  return outputs(bytes);
}

std::vector<std::int64_t> OneOperator::run_reals(const std::vector<float>& input) const {
  std::vector<std::uint8_t> bytes(4 * input.size());
  std::memcpy(bytes.data(), input.data(), bytes.size());
  return outputs({bytes});
}

std::string text_of_shape(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const auto d : shape) text += std::to_string(d) + " ";
  return text + "]";
}

}  // namespace dse::nn::test
