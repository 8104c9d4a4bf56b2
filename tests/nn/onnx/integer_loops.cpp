#include "integer_loops.h"

#include <algorithm>
#include <cmath>

namespace loops {

std::vector<std::uint8_t> Map::bytes_last() const {
  std::vector<std::uint8_t> out;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int ch = 0; ch < c; ++ch) out.push_back(static_cast<std::uint8_t>(at(ch, y, x)));
  return out;
}

std::int64_t half_even(Wide numerator, Wide denominator) {
  Wide floor = numerator / denominator;
  if (numerator % denominator < 0) --floor;
  const Wide twice = 2 * (numerator - floor * denominator);
  if (twice > denominator || (twice == denominator && floor % 2 != 0)) ++floor;
  return static_cast<std::int64_t>(floor);
}

namespace {

/// real = mantissa / 2^(31 - exponent), mantissa in [2^30, 2^31).
void split(double real, std::int64_t& mantissa, int& exponent) {
  const double part = std::frexp(real, &exponent);
  mantissa = std::llround(part * 2147483648.0);
  if (mantissa == std::int64_t{1} << 31) mantissa /= 2, ++exponent;
}

int clamp(std::int64_t v, const Map& y) { return static_cast<int>(std::clamp<std::int64_t>(v + y.zero, y.lo, y.hi)); }

}  // namespace

int requantised(std::int64_t value, double real, std::int64_t divisor, const Map& like) {
  std::int64_t mantissa = 0;
  int exponent = 0;
  split(real, mantissa, exponent);
  return clamp(half_even(static_cast<Wide>(value) * mantissa, (static_cast<Wide>(1) << (31 - exponent)) * divisor),
               like);
}

void conv(const Map& x, const std::vector<int>& weights, const std::vector<double>& scales,
          const std::vector<int>& zeros, const std::vector<std::int32_t>& bias, const Window& win, Map& y) {
  const int reach = (win.kernel - 1) * win.dilation + 1, in = x.c / win.groups, out = y.c / win.groups;
  y.h = (x.h + win.top + win.bottom - reach) / win.stride + 1;
  y.w = (x.w + win.left + win.right - reach) / win.stride + 1;
  y.q.clear();
  for (int o = 0; o < y.c; ++o)
    for (int oy = 0; oy < y.h; ++oy)
      for (int ox = 0; ox < y.w; ++ox) {
        const auto per = static_cast<std::size_t>(o);
        std::int64_t acc = bias.empty() ? 0 : bias[per];
        for (int i = 0; i < in; ++i)
          for (int ky = 0; ky < win.kernel; ++ky)
            for (int kx = 0; kx < win.kernel; ++kx) {
              const int iy = oy * win.stride + ky * win.dilation - win.top;
              const int ix = ox * win.stride + kx * win.dilation - win.left;
              if (iy < 0 || ix < 0 || iy >= x.h || ix >= x.w) continue;
              const int w = weights[static_cast<std::size_t>(((o * in + i) * win.kernel + ky) * win.kernel + kx)];
              acc += (x.at(o / out * in + i, iy, ix) - x.zero) * (w - zeros[zeros.size() == 1 ? 0 : per]);
            }
        y.q.push_back(requantised(acc, x.scale * scales[scales.size() == 1 ? 0 : per] / y.scale, 1, y));
      }
}

void conv_transpose(const Map& x, const std::vector<int>& weights, double scale, const std::vector<std::int32_t>& bias,
                    const Window& win, Map& y) {
  y.h = (x.h - 1) * win.stride + win.kernel - win.top - win.bottom;
  y.w = (x.w - 1) * win.stride + win.kernel - win.left - win.right;
  std::vector<std::int64_t> acc;
  for (int o = 0; o < y.c; ++o)
    acc.insert(acc.end(), static_cast<std::size_t>(y.h * y.w), bias[static_cast<std::size_t>(o)]);
  for (int i = 0; i < x.c; ++i)
    for (int iy = 0; iy < x.h; ++iy)
      for (int ix = 0; ix < x.w; ++ix)
        for (int o = 0; o < y.c; ++o)
          for (int ky = 0; ky < win.kernel; ++ky)
            for (int kx = 0; kx < win.kernel; ++kx) {
              const int oy = iy * win.stride + ky - win.top, ox = ix * win.stride + kx - win.left;
              if (oy < 0 || ox < 0 || oy >= y.h || ox >= y.w) continue;
              const int w = weights[static_cast<std::size_t>(((i * y.c + o) * win.kernel + ky) * win.kernel + kx)];
              acc[static_cast<std::size_t>((o * y.h + oy) * y.w + ox)] += (x.at(i, iy, ix) - x.zero) * w;
            }
  y.q.clear();
  for (const auto a : acc) y.q.push_back(requantised(a, x.scale * scale / y.scale, 1, y));
}

void relu(Map& y) {
  for (int& v : y.q) v = std::max(v, y.zero);
}

void max_pool(const Map& x, const Window& win, Map& y) {
  y.c = x.c, y.scale = x.scale, y.zero = x.zero, y.lo = x.lo, y.hi = x.hi;
  y.h = (x.h + win.top + win.bottom - win.kernel) / win.stride + 1;
  y.w = (x.w + win.left + win.right - win.kernel) / win.stride + 1;
  y.q.clear();
  for (int c = 0; c < y.c; ++c)
    for (int oy = 0; oy < y.h; ++oy)
      for (int ox = 0; ox < y.w; ++ox) {
        int best = x.lo;
        for (int ky = 0; ky < win.kernel; ++ky)
          for (int kx = 0; kx < win.kernel; ++kx) {
            const int iy = oy * win.stride + ky - win.top, ix = ox * win.stride + kx - win.left;
            if (iy >= 0 && ix >= 0 && iy < x.h && ix < x.w) best = std::max(best, x.at(c, iy, ix));
          }
        y.q.push_back(best);
      }
}

void average_pool(const Map& x, const Window& win, bool count_include_pad, Map& y) {
  y.c = x.c;
  y.h = (x.h + win.top + win.bottom - win.kernel) / win.stride + 1;
  y.w = (x.w + win.left + win.right - win.kernel) / win.stride + 1;
  y.q.clear();
  for (int c = 0; c < y.c; ++c)
    for (int oy = 0; oy < y.h; ++oy)
      for (int ox = 0; ox < y.w; ++ox) {
        std::int64_t sum = 0, count = 0;
        for (int ky = 0; ky < win.kernel; ++ky)
          for (int kx = 0; kx < win.kernel; ++kx) {
            const int iy = oy * win.stride + ky - win.top, ix = ox * win.stride + kx - win.left;
            const bool inside = iy >= 0 && ix >= 0 && iy < x.h && ix < x.w;
            if (inside) sum += x.at(c, iy, ix) - x.zero;
            count += inside || count_include_pad;
          }
        y.q.push_back(requantised(sum, x.scale / y.scale, count, y));
      }
}

void global_average_pool(const Map& x, Map& y) {
  y.c = x.c, y.h = y.w = 1;
  y.q.clear();
  for (int c = 0; c < x.c; ++c) {
    std::int64_t sum = 0;
    for (int iy = 0; iy < x.h; ++iy)
      for (int ix = 0; ix < x.w; ++ix) sum += x.at(c, iy, ix) - x.zero;
    y.q.push_back(requantised(sum, x.scale / y.scale, x.h * x.w, y));
  }
}

void add(const Map& a, const Map& b, int sign, Map& y) {
  const double ra = a.scale / y.scale, rb = b.scale / y.scale;
  int k = 40;
  while (!(std::ldexp(std::max(ra, rb), k) < 1073741824.0)) --k;
  const std::int64_t ma = std::llround(std::ldexp(ra, k)), mb = std::llround(std::ldexp(rb, k));
  y.c = a.c, y.h = a.h, y.w = a.w;
  y.q.clear();
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    const Wide sum = static_cast<Wide>(a.q[i] - a.zero) * ma + sign * static_cast<Wide>(b.q[i] - b.zero) * mb;
    y.q.push_back(clamp(k >= 0 ? half_even(sum, static_cast<Wide>(1) << k) : static_cast<std::int64_t>(sum << -k), y));
  }
}

void mul(const Map& a, const Map& b, Map& y) {
  y.c = a.c, y.h = a.h, y.w = a.w;
  y.q.clear();
  for (int c = 0; c < a.c; ++c)
    for (int i = 0; i < a.h; ++i)
      for (int j = 0; j < a.w; ++j) {
        const int other = b.h == 1 && b.w == 1 ? b.at(c, 0, 0) : b.at(c, i, j);
        y.q.push_back(
            requantised(std::int64_t{a.at(c, i, j) - a.zero} * (other - b.zero), a.scale * b.scale / y.scale, 1, y));
      }
}

void requantise(const Map& x, Map& y) {
  y.c = x.c, y.h = x.h, y.w = x.w;
  y.q.clear();
  for (const int v : x.q) y.q.push_back(requantised(v - x.zero, x.scale / y.scale, 1, y));
}

void table(const Map& x, const std::function<double(double)>& f, Map& y) {
  y.c = x.c, y.h = x.h, y.w = x.w;
  y.q.clear();
  for (const int v : x.q) {
    const double real = f(x.scale * (v - x.zero)) / y.scale;
    y.q.push_back(clamp(static_cast<std::int64_t>(std::nearbyint(std::clamp(real, -1e9, 1e9))), y));
  }
}

void matmul(const std::vector<int>& x, int in, const std::vector<int>& weights, const std::vector<double>& scales,
            const std::vector<std::int32_t>& bias, const Map& like_x, Map& y) {
  const int out = static_cast<int>(weights.size()) / in, rows = static_cast<int>(x.size()) / in;
  y.q.clear();
  for (int r = 0; r < rows; ++r)
    for (int o = 0; o < out; ++o) {
      std::int64_t acc = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
      for (int i = 0; i < in; ++i)
        acc += (x[static_cast<std::size_t>(r * in + i)] - like_x.zero) * weights[static_cast<std::size_t>(i * out + o)];
      const double scale = scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(o)];
      y.q.push_back(requantised(acc, like_x.scale * scale / y.scale, 1, y));
    }
}

}  // namespace loops
