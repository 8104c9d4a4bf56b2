#include "explore/calibrate/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "explore/calibrate/shapes.h"

namespace dse::explore {
namespace {

class Layers {
 public:
  void conv(int filters, int kernel, int stride, const char* activation, const std::string& more = {}) {
    text_ += fmt::format("  - conv: {{filters: {}, kernel: {}, stride: {}, activation: {}{}}}\n", filters, kernel,
                         stride, activation, more);
  }
  void depthwise(int stride) {
    text_ += fmt::format("  - depthwise: {{kernel: 3, stride: {}, activation: relu6}}\n", stride);
  }
  void add(const std::string& name, const std::string& with) {
    text_ += fmt::format("  - add: {{name: {}, with: {}}}\n", name, with);
  }
  /// A map of side x side, `depth` channels, to classes.
  void classify(int side, int depth, int classes) {
    text_ += fmt::format("  - average_pool: {{kernel: {}}}\n  - reshape: {{shape: [1, {}]}}\n", side, depth);
    text_ += fmt::format("  - fully_connected: {{units: {}}}\n  - softmax\n", classes);
  }
  nn::NetworkPtr network(const std::string& name, int side) const {
    return network_of_layers(name, fmt::format("[1, {}, {}, 3]", side, side), text_);
  }

 private:
  std::string text_;
};

int half(int side) { return (side + 1) / 2; }

nn::NetworkPtr mobilenet_v1(const std::string& name, double width, int side, int classes) {
  const auto channels = [&](int c) { return std::max(8, static_cast<int>(c * width)); };
  Layers layers;
  layers.conv(channels(32), 3, 2, "relu6");
  int at = half(side), depth = 0;
  constexpr std::pair<int, int> kBlocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                                             {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  for (const auto& [filters, stride] : kBlocks) {
    layers.depthwise(stride);
    layers.conv(depth = channels(filters), 1, 1, "relu6");
    if (stride == 2) at = half(at);
  }
  layers.classify(at, depth, classes);
  return layers.network(name, side);
}

nn::NetworkPtr mobilenet_v2(const std::string& name, double width, int side, int classes) {
  // To the nearest multiple of eight, never below nine tenths.
  const auto channels = [&](int c) {
    const double wanted = c * width;
    const int near = std::max(8, static_cast<int>(wanted + 4) / 8 * 8);
    return near < 0.9 * wanted ? near + 8 : near;
  };
  Layers layers;
  int depth = channels(32), at = half(side), number = 0;
  layers.conv(depth, 3, 2, "relu6", ", name: stem");
  std::string before = "stem";
  struct Stage {
    int expansion, filters, blocks, stride;
  };
  for (const Stage& s :
       {Stage{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}})
    for (int b = 0; b < s.blocks; ++b) {
      const int stride = b == 0 ? s.stride : 1, out = channels(s.filters);
      const auto block = fmt::format("block{}", number++);
      if (s.expansion > 1) layers.conv(depth * s.expansion, 1, 1, "relu6");
      layers.depthwise(stride);
      const bool sum = stride == 1 && out == depth;
      layers.conv(out, 1, 1, "none", ", name: " + block + (sum ? "_out" : ""));
      if (sum) layers.add(block, before);
      if (stride == 2) at = half(at);
      before = block, depth = out;
    }
  const int last = width > 1 ? channels(1280) : 1280;
  layers.conv(last, 1, 1, "relu6");
  layers.classify(at, last, classes);
  return layers.network(name, side);
}

}  // namespace

nn::NetworkPtr network_of_family(const std::string& name) {
  int version = 0, side = 0, classes = 1001, end = 0;
  double width = 0;
  const int length = static_cast<int>(name.size());
  if (std::sscanf(name.c_str(), "mobilenet-v%1d-%8lf-%6d%n", &version, &width, &side, &end) != 3) return nullptr;
  if (end != length) {
    int rest = 0;
    if (std::sscanf(name.c_str() + end, "x%6d%n", &classes, &rest) != 1 || end + rest != length) return nullptr;
  }
  if (!(width >= 0.05 && width <= 2) || side < 32 || side > 512 || classes < 1 || classes > 100000) return nullptr;
  if (version == 1) return mobilenet_v1(name, width, side, classes);
  return version == 2 ? mobilenet_v2(name, width, side, classes) : nullptr;
}

}  // namespace dse::explore
