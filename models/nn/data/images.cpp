#include "models/nn/data/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/made/fill.h"
#include "models/nn/made/splitmix.h"
#include "models/nn/shape.h"

namespace dse::nn::data {

Images Images::first(std::int64_t n) const {
  Images out = *this;
  const std::int64_t kept = std::min(n, count());
  out.pixels.resize(static_cast<std::size_t>(kept * image_bytes()));
  if (!labels.empty()) out.labels.resize(static_cast<std::size_t>(kept));
  return out;
}

std::vector<Tap> resize_taps(std::int64_t from, std::int64_t to) {
  std::vector<Tap> taps;
  for (std::int64_t d = 0; d < to; ++d) {
    const double at = (static_cast<double>(d) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const double low = std::floor(at);
    const auto clamp = [&](double v) { return std::clamp(static_cast<std::int64_t>(v), std::int64_t{0}, from - 1); };
    taps.push_back({clamp(low), clamp(low + 1), at - low});
  }
  return taps;
}

InputMaker::InputMaker(const Images& images, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& resize, const std::string& file, Diagnostics& diags) {
  std::int64_t elements = 1;
  for (const auto d : shape) elements *= d;
  std::int64_t h = 0, w = 0;
  if (shape.size() == 4) {
    h = shape[1], w = shape[2];
  } else if (resize.size() == 2) {
    h = resize[0], w = resize[1];
  } else if (elements == images.image_bytes()) {
    h = images.height, w = images.width;
  } else {
    while (h * h * images.channels < elements) ++h;
    w = h;
  }
  if (h * w * images.channels != elements) {
    diags.error({file, 0, 0},
                fmt::format("images of {} x {} x {} do not become an input of shape {}", images.height, images.width,
                            images.channels, text_of(shape)),
                "training: {resize: [16, 16]} makes them 16 x 16");
    return;
  }
  channels_ = images.channels;
  rows_ = resize_taps(images.height, h), columns_ = resize_taps(images.width, w);
}

void InputMaker::make(const Images& images, std::int64_t i, int down, int right, float* to) const {
  const std::uint8_t* image = images.pixels.data() + i * images.image_bytes();
  const auto pixel = [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    y -= down, x -= right;
    const bool inside = y >= 0 && y < images.height && x >= 0 && x < images.width;
    return inside ? static_cast<double>(image[(y * images.width + x) * channels_ + c]) / 255.0 : 0.0;
  };
  for (const Tap& r : rows_)
    for (const Tap& k : columns_)
      for (std::int64_t c = 0; c < channels_; ++c) {
        const double above = (1 - k.share) * pixel(r.low, k.low, c) + k.share * pixel(r.low, k.high, c);
        const double below = (1 - k.share) * pixel(r.high, k.low, c) + k.share * pixel(r.high, k.high, c);
        *to++ = static_cast<float>((1 - r.share) * above + r.share * below);
      }
}

namespace {

struct Spot {
  double y, x, radius, colour[4];
};

}  // namespace

DataSet made_set(std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t train, std::int64_t test,
                 std::uint64_t seed) {
  constexpr int classes = 10, spots = 4;
  SplitMix64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random.draw() >> 11) * 0x1p-53; };
  std::vector<std::vector<Spot>> kinds(classes);
  for (auto& kind : kinds)
    for (int s = 0; s < spots; ++s) {
      Spot spot{uniform(), uniform(), 0.08 + 0.1 * uniform(), {}};
      for (double& c : spot.colour) c = 0.3 + 0.7 * uniform();
      kind.push_back(spot);
    }
  const auto draw = [&](std::int64_t count) {
    Images out;
    out.height = height, out.width = width, out.channels = channels;
    out.pixels.reserve(static_cast<std::size_t>(count * out.image_bytes()));
    for (std::int64_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::size_t>(random.draw() % classes);
      const double dy = 0.24 * uniform() - 0.12, dx = 0.24 * uniform() - 0.12;
      out.labels.push_back(static_cast<std::uint8_t>(label));
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
          for (std::int64_t c = 0; c < channels; ++c) {
            double v = 0.9 * (uniform() - 0.5);
            for (const Spot& s : kinds[label]) {
              const double py = (static_cast<double>(y) + 0.5) / static_cast<double>(height) - s.y - dy;
              const double px = (static_cast<double>(x) + 0.5) / static_cast<double>(width) - s.x - dx;
              v += 0.6 * s.colour[c % 4] * std::exp(-(py * py + px * px) / (2 * s.radius * s.radius));
            }
            out.pixels.push_back(static_cast<std::uint8_t>(std::clamp(std::lround(255 * v), 0L, 255L)));
          }
    }
    return out;
  };
  DataSet set;
  set.name = "made", set.classes = classes;
  set.train = draw(train), set.test = draw(test);
  return set;
}

}  // namespace dse::nn::data
