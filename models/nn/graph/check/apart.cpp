#include "models/nn/graph/check/apart.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::nn {
namespace {

/// The shortest text that reads back as this float: no two floats share it.
std::string text_of_entry(const Quantization& q, std::size_t i) {
  std::string out = i < q.scale.size() ? fmt::format("scale {}", q.scale[i]) : std::string("no scale");
  if (i < q.zero_point.size()) out += fmt::format(", zero point {}", q.zero_point[i]);
  return out;
}

}  // namespace

std::pair<std::string, std::string> quantized_apart(const Tensor& a, const Tensor& b) {
  const Quantization &p = a.quantization, &q = b.quantization;
  const std::size_t scales = p.scale.size();
  if (scales != q.scale.size()) return {fmt::format("{} scales", scales), fmt::format("{} scales", q.scale.size())};
  std::size_t at = 0;
  while (at + 1 < scales && text_of_entry(p, at) == text_of_entry(q, at)) ++at;
  const std::string which = scales > 1 ? fmt::format("scale {} of {}: ", at, scales) : "";
  return {which + text_of_entry(p, at), which + text_of_entry(q, at)};
}

std::string apart_text(const Tensor& a, const Tensor& b) {
  const auto [first, second] = quantized_apart(a, b);
  return first + "; " + second;
}

std::string input_apart_text(const Tensor& input, const Tensor& output) {
  return fmt::format("input '{}' and output '{}' are quantised differently ({})", input.name, output.name,
                     apart_text(input, output));
}

}  // namespace dse::nn
