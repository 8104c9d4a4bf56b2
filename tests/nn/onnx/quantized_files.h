// What tests of quantised ONNX files share: maps of integers as operands of a file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "integer_loops.h"
#include "onnx_writer.h"

namespace dse::nn::test {

using loops::Map;
using loops::Window;

inline constexpr int i8 = onnx::TensorProto::INT8, u8 = onnx::TensorProto::UINT8;

inline Map map_of(int c, int h, int w, double scale, int zero, bool is_signed, std::uint64_t seed) {
  Map m{c, h, w, static_cast<double>(static_cast<float>(scale)), zero, is_signed ? -128 : 0, is_signed ? 127 : 255, {}};
  m.q = integers(static_cast<std::size_t>(c * h * w), m.lo, m.hi, seed);
  return m;
}

inline Map like(double scale, int zero, bool is_signed) { return map_of(0, 0, 0, scale, zero, is_signed, 0); }

/// Scale "<name>_s" and zero point "<name>_z".
inline void add_quantization(OnnxModel& m, const std::string& name, const Map& map) {
  m.scalar(name + "_s", static_cast<float>(map.scale));
  if (map.lo < 0)
    m.int8s(name + "_z", {}, {map.zero});
  else
    m.uint8s(name + "_z", {}, {map.zero});
}

inline void add_weights(OnnxModel& m, const Shape& shape, const std::vector<int>& w,
                        const std::vector<double>& scales) {
  m.int8s("w", shape, w);
  std::vector<float> s(scales.begin(), scales.end());
  const std::vector<int> z(s.size(), 0);
  m.floats("w_s", s.size() == 1 ? Shape{} : Shape{static_cast<std::int64_t>(s.size())}, s);
  m.int8s("w_z", s.size() == 1 ? Shape{} : Shape{static_cast<std::int64_t>(s.size())}, z);
}

inline std::vector<double> scales_of(std::size_t count, std::uint64_t seed) {
  std::vector<double> out;
  for (const float v : noise(count, seed)) out.push_back(static_cast<double>(0.02f + 0.01f * v));
  return out;
}

inline std::vector<std::uint8_t> run(const Imported& n, const std::vector<std::vector<std::uint8_t>>& inputs) {
  const auto values = interpret(*n.network, inputs);
  return values[static_cast<std::size_t>(n->outputs.at(0))];
}

inline std::vector<std::uint8_t> narrow(const std::vector<int>& q) {
  std::vector<std::uint8_t> out;
  for (const int v : q) out.push_back(static_cast<std::uint8_t>(v));
  return out;
}

inline std::string types(const Network& n) {
  std::string text;
  for (const auto& op : n.operators) text += (text.empty() ? "" : " ") + std::string(key_of(op.kind));
  return text;
}

}  // namespace dse::nn::test
