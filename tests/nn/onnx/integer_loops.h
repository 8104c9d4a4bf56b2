// The arithmetic of docs/how/arithmetic.md, mode onnx, as plain loops over [N, C, H, W]: written for these tests,
// without any code of the project.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace loops {

__extension__ typedef __int128 Wide;

/// Integers with a scale and a zero point; batch 1.
struct Map {
  int c = 1, h = 1, w = 1;
  double scale = 1;
  int zero = 0;
  int lo = -128, hi = 127;
  std::vector<int> q;
  int at(int ch, int y, int x) const { return q[static_cast<std::size_t>((ch * h + y) * w + x)]; }
  /// The bytes in the order [H, W, C].
  std::vector<std::uint8_t> bytes_last() const;
};

struct Window {
  int kernel = 1, stride = 1, dilation = 1, top = 0, left = 0, bottom = 0, right = 0, groups = 1;
};

/// Nearest integer of numerator / denominator (> 0), ties to even.
std::int64_t half_even(Wide numerator, Wide denominator);
/// clamp(half_even(value * real) + zero), real as mantissa and exponent.
int requantised(std::int64_t value, double real, std::int64_t divisor, const Map& like);

/// Weights [out][in / groups][kernel][kernel]; one scale and zero point or one per output channel.
void conv(const Map& x, const std::vector<int>& weights, const std::vector<double>& scales,
          const std::vector<int>& zeros, const std::vector<std::int32_t>& bias, const Window& win, Map& y);
/// Weights [in][out][kernel][kernel]; one scale.
void conv_transpose(const Map& x, const std::vector<int>& weights, double scale, const std::vector<std::int32_t>& bias,
                    const Window& win, Map& y);
void relu(Map& y);
void max_pool(const Map& x, const Window& win, Map& y);
void average_pool(const Map& x, const Window& win, bool count_include_pad, Map& y);
void global_average_pool(const Map& x, Map& y);
/// sign -1: a - b.
void add(const Map& a, const Map& b, int sign, Map& y);
void mul(const Map& a, const Map& b, Map& y);
void requantise(const Map& x, Map& y);
void table(const Map& x, const std::function<double(double)>& f, Map& y);
/// Rows of x times weights [in][out].
void matmul(const std::vector<int>& x, int in, const std::vector<int>& weights, const std::vector<double>& scales,
            const std::vector<std::int32_t>& bias, const Map& like_x, Map& y);

}  // namespace loops
