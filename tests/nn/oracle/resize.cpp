// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: 2.15, 2.16.
#include <algorithm>
#include <cmath>

#include "families.h"

namespace dse::nn::oracle {
namespace {

struct Position {
  std::int64_t lo, hi, fraction;  // fraction in 1/1024 of the way from lo to hi
};

Position position(const Options& o, std::int64_t in, std::int64_t out, std::int64_t i) {
  const bool align = o.align_corners && out > 1;
  const std::int64_t scale = align ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1) : (1024 * in + out / 2) / out;
  const std::int64_t at = o.half_pixel_centers ? i * scale + scale / 2 - 512 : i * scale;
  Position p{};
  p.lo = std::max<std::int64_t>(at / 1024, 0);
  p.hi = std::min<std::int64_t>((at + 1023) / 1024, in - 1);
  p.fraction = at - 1024 * p.lo;
  return p;
}

std::int64_t nearest(const Options& o, std::int64_t in, std::int64_t out, std::int64_t i) {
  const bool align = o.align_corners && out > 1;
  const float scale = align ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                            : static_cast<float>(in) / static_cast<float>(out);
  const float at = (static_cast<float>(i) + (o.half_pixel_centers ? 0.5f : 0.0f)) * scale;
  auto index = static_cast<std::int64_t>(o.align_corners ? std::round(at) : std::floor(at));
  index = std::min(index, in - 1);
  return o.half_pixel_centers ? std::max<std::int64_t>(0, index) : index;
}

/// binary32, every operation rounded by itself: the products of two are exact in binary64, and sums round alike.
float product(float a, float b) { return static_cast<float>(static_cast<double>(a) * static_cast<double>(b)); }
float sum(float a, float b) { return static_cast<float>(static_cast<double>(a) + static_cast<double>(b)); }

struct RealPosition {
  std::int64_t lo, hi;
  float fraction;
};

RealPosition real_position(const Options& o, std::int64_t in, std::int64_t out, std::int64_t i) {
  const bool align = o.align_corners && out > 1;
  const float scale = align ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                            : static_cast<float>(in) / static_cast<float>(out);
  const auto at = static_cast<float>(i);
  const float place = o.half_pixel_centers ? sum(product(sum(at, 0.5f), scale), -0.5f) : product(at, scale);
  RealPosition p{};
  p.lo = std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(place)), 0);
  p.hi = std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(place)), in - 1);
  p.fraction = sum(place, -static_cast<float>(p.lo));
  return p;
}

/// The reference has integers for INT8 only: the others are interpolated in binary32 and cut off.
std::int64_t bilinear_of_bytes(const Call& c, const Index& i) {
  const Tensor &x = c.x(), &y = c.y();
  const RealPosition v = real_position(c.o, x.dim(1), y.dim(1), i[1]), h = real_position(c.o, x.dim(2), y.dim(2), i[2]);
  const auto part = [&](std::int64_t py, std::int64_t px, float by_row, float by_column) {
    return product(product(static_cast<float>(at(x, i[0], py, px, i[3])), by_row), by_column);
  };
  const float up = sum(1, -v.fraction), left = sum(1, -h.fraction);
  float all = sum(part(v.lo, h.lo, up, left), part(v.hi, h.lo, v.fraction, left));
  all = sum(all, part(v.lo, h.hi, up, h.fraction));
  return static_cast<std::int64_t>(sum(all, part(v.hi, h.hi, v.fraction, h.fraction)));
}

}  // namespace

bool run_resize(const Call& c) {
  const bool bilinear = c.kind == "RESIZE_BILINEAR";
  if (!bilinear && c.kind != "RESIZE_NEAREST_NEIGHBOR") return false;
  const Tensor& x = c.x();
  Tensor& y = c.y();
  each(y.shape, [&](const Index& i) {
    const auto pixel = [&](std::int64_t py, std::int64_t px) { return Wide{at(x, i[0], py, px, i[3])}; };
    if (!bilinear) {
      y.q.push_back(static_cast<std::int64_t>(
          pixel(nearest(c.o, x.dim(1), y.dim(1), i[1]), nearest(c.o, x.dim(2), y.dim(2), i[2]))));
      return;
    }
    if (x.type == Type::u8) {
      y.q.push_back(bilinear_of_bytes(c, i));
      return;
    }
    const Position v = position(c.o, x.dim(1), y.dim(1), i[1]), h = position(c.o, x.dim(2), y.dim(2), i[2]);
    const Wide sum = pixel(v.lo, h.lo) * (1024 - v.fraction) * (1024 - h.fraction) +
                     pixel(v.hi, h.lo) * v.fraction * (1024 - h.fraction) +
                     pixel(v.lo, h.hi) * (1024 - v.fraction) * h.fraction + pixel(v.hi, h.hi) * v.fraction * h.fraction;
    const Wide r = c.o.mode == Mode::single ? half_up(sum, power(20)) : half_away(sum, power(20));
    y.q.push_back(static_cast<std::int8_t>(r));
  });
  return true;
}

}  // namespace dse::nn::oracle
