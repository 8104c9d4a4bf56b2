#include "explore/calibrate/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <vector>

#include "models/nn/import.h"

namespace dse::explore {
namespace {

/// Heights, widths and channels; 1 where nothing is said.
struct Extent {
  int h = 1, w = 1, c = 0;
};

/// "25x5x64", or "64".
std::optional<Extent> extent(const std::string& text) {
  Extent e;
  int end = 0;
  const auto all = [&] { return end == static_cast<int>(text.size()); };
  if (std::sscanf(text.c_str(), "%6dx%6dx%6d%n", &e.h, &e.w, &e.c, &end) == 3 && all()) return e;
  e = {}, end = 0;
  if (std::sscanf(text.c_str(), "%6d%n", &e.c, &end) == 1 && all()) return e;
  return std::nullopt;
}

/// "3x3", or "3".
std::optional<std::array<int, 2>> pair(const std::string& text) {
  std::array<int, 2> p{};
  int end = 0;
  const auto all = [&] { return end == static_cast<int>(text.size()); };
  if (std::sscanf(text.c_str(), "%6dx%6d%n", &p[0], &p[1], &end) == 2 && all()) return p;
  end = 0;
  if (std::sscanf(text.c_str(), "%6d%n", &p[0], &end) == 1 && all()) return std::array{p[0], p[0]};
  return std::nullopt;
}

/// "64x512", two numbers.
std::optional<std::array<int, 2>> matrix(const std::string& text) {
  return std::count(text.begin(), text.end(), 'x') == 1 ? pair(text) : std::nullopt;
}

/// "128>256", channels.
std::optional<std::array<int, 2>> from_to(const std::string& text) {
  std::array<int, 2> c{};
  int end = 0;
  if (std::sscanf(text.c_str(), "%6d>%6d%n", &c[0], &c[1], &end) == 2 && end == static_cast<int>(text.size())) return c;
  return std::nullopt;
}

struct Shape {
  Extent in, out;
  std::array<int, 2> kernel{0, 0}, stride{1, 1};
  int multiplier = 1;
  bool has_out = false, has_kernel = false, matrices = false;
};

/// "in 58x13x1 out 25x5x64 k10x4 s2x2 multiplier 64", "32x32x64 k3 oc64", "32x32 16>64 k3", "512 × 256", "n4096".
std::optional<Shape> shape_of(const std::string& text) {
  Shape s;
  std::istringstream words(text);
  std::string word, before;
  bool has_in = false;
  const auto side = [&](const Extent& e, bool out) { (out ? s.out : s.in) = e, (out ? s.has_out : has_in) = true; };
  for (; words >> word; before = word) {
    if (word == "in" || word == "out" || word == "multiplier" || word == "x" || word == "×") continue;
    const auto number = word.size() > 1 ? pair(word.substr(1)) : std::nullopt;
    if (before == "multiplier" && pair(word))
      s.multiplier = (*pair(word))[0];
    else if (const auto channels = from_to(word); channels && s.matrices && s.in.h == 1)
      s.in = {s.in.w, s.in.c, (*channels)[0]}, s.out = {s.in.h, s.in.w, (*channels)[1]}, s.matrices = false,
      s.has_out = true;
    else if (const auto m = matrix(word); m && before != "in" && before != "out" && !s.has_out)
      side(has_in ? Extent{1, s.in.w, (*m)[0]} : Extent{1, (*m)[0], (*m)[1]}, has_in), s.matrices = true;
    else if (const auto e = extent(word); e && !(has_in && s.has_out))
      side(*e, before == "out" || (has_in && before != "in"));
    else if (word[0] == 'k' && number)
      s.kernel = *number, s.has_kernel = true;
    else if (word[0] == 's' && number)
      s.stride = *number;
    else if (word[0] == 'n' && number)
      side({1, 1, (*number)[0]}, false);
    else if (word.rfind("oc", 0) == 0 && pair(word.substr(2)))
      side({s.in.h, s.in.w, (*pair(word.substr(2)))[0]}, true);
    else
      return std::nullopt;
  }
  if (!has_in) return std::nullopt;
  return s;
}

/// Words are for networks of small devices; what they say could otherwise be any size.
constexpr std::int64_t kMostWeights = std::int64_t{1} << 22;  // of an operator
constexpr int kMostLayers = 500;

bool plausible(const Extent& e) {
  return e.h > 0 && e.w > 0 && e.c > 0 && e.h <= 4096 && e.w <= 4096 && e.c <= 65536 &&
         std::int64_t{e.h} * e.w * e.c <= std::int64_t{1} << 26;
}

/// Of rows or columns: how much is added before and behind so that windows come out as said. Nothing: they cannot.
std::optional<std::array<int, 2>> padding(int in, int out, int kernel, int stride) {
  const int all = (out - 1) * stride + kernel - in;
  if (all >= 2 * kernel || all <= -stride) return std::nullopt;
  return std::array{std::max(0, all) / 2, std::max(0, all) - std::max(0, all) / 2};
}

/// kernel, stride and padding as the fields of a layer.
std::optional<std::string> window(const Shape& s) {
  const auto rows = padding(s.in.h, s.out.h, s.kernel[0], s.stride[0]),
             columns = padding(s.in.w, s.out.w, s.kernel[1], s.stride[1]);
  if (!rows || !columns) return std::nullopt;
  return fmt::format("kernel: [{}, {}], stride: [{}, {}], padding: [{}, {}, {}, {}]", s.kernel[0], s.kernel[1],
                     s.stride[0], s.stride[1], (*rows)[0], (*rows)[1], (*columns)[0], (*columns)[1]);
}

std::string map_of(const Extent& e) { return fmt::format("[1, {}, {}, {}]", e.h, e.w, e.c); }

/// A layer with a window; the output's extent, where it is not said, that of `same` padding.
nn::NetworkPtr windowed(const std::string& kind, Shape s, bool wide) {
  const bool pool = kind == "AVERAGE_POOL_2D" || kind == "MAX_POOL_2D";
  if (!s.has_out) s.out = {s.in.h, s.in.w, s.in.c};
  if (kind == "CONV_2D" && s.matrices) s.kernel = {1, 1};
  if (pool && !s.has_kernel) {
    s.kernel = {s.in.h / std::max(1, s.out.h), s.in.w / std::max(1, s.out.w)};
    s.stride = s.kernel;
  }
  if (!plausible(s.in) || !plausible(s.out) || s.kernel[0] < 1 || s.kernel[1] < 1 || s.stride[0] < 1 ||
      s.stride[1] < 1 || s.kernel[0] > 512 || s.kernel[1] > 512 || s.stride[0] > 512 || s.stride[1] > 512)
    return nullptr;
  const auto w = window(s);
  const std::int64_t weights = pool ? 0 : std::int64_t{s.kernel[0]} * s.kernel[1] * s.in.c * s.out.c;
  if (!w || weights > kMostWeights) return nullptr;
  if (kind == "CONV_2D")
    return network_of_layers(kind, map_of(s.in), fmt::format("  - conv: {{filters: {}, {}}}\n", s.out.c, *w), wide);
  if (pool)
    return network_of_layers(kind, map_of(s.in),
                             fmt::format("  - {}: {{{}}}\n", kind[0] == 'A' ? "average_pool" : "max_pool", *w), wide);
  if (s.out.c % s.in.c != 0) return nullptr;
  return network_of_layers(kind, map_of(s.in),
                           fmt::format("  - depthwise: {{multiplier: {}, {}}}\n", s.out.c / s.in.c, *w), wide);
}

/// A layer of a chain, and what it says of the input.
struct Step {
  std::string layer, input;
  int units = 0;  // of a fully connected layer
};

std::optional<Step> step_of(const std::string& text, bool first, bool& flat) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string::npos) return std::nullopt;
  const char* p = text.c_str() + from;
  char kind[8] = {};
  int kh = 0, kw = 0, stride = 0, h = 0, w = 0, c = 0, f = 0;
  Step step;
  if (std::sscanf(p, "%4[convdw]%6dx%6d/s%6d %6dx%6dx%6d>%*6dx%*6dx%6d", kind, &kh, &kw, &stride, &h, &w, &c, &f) ==
      8) {
    const std::string which = kind;
    const bool sizes = plausible({h, w, c}) && stride > 0 && stride <= 512 && f > 0 && f <= 65536 && kh > 0 &&
                       kh <= 512 && kw > 0 && kw <= 512;
    if (!sizes || std::int64_t{kh} * kw * c * f > kMostWeights || (which != "conv" && which != "dw"))
      return std::nullopt;
    step.input = map_of({h, w, c});
    const auto common = fmt::format("kernel: [{}, {}], stride: {}, activation: relu", kh, kw, stride);
    if (which == "conv")
      step.layer = fmt::format("  - conv: {{filters: {}, {}}}\n", f, common);
    else if (f % c == 0)
      step.layer = fmt::format("  - depthwise: {{multiplier: {}, {}}}\n", f / c, common);
  } else if (std::sscanf(p, "%3[axmvg]pool%6d/s%6d", kind, &kh, &stride) == 3) {
    step.layer =
        fmt::format("  - {}_pool: {{kernel: {}, stride: {}}}\n", kind[0] == 'm' ? "max" : "average", kh, stride);
  } else if (std::sscanf(p, "gap>%6d", &c) == 1) {
    step.layer = "  - mean: {keep_dims: false}\n", flat = true;
  } else if (std::sscanf(p, "fc %6d>%6d", &c, &f) == 2 && plausible({1, 1, c}) && plausible({1, 1, f}) &&
             std::int64_t{c} * f <= kMostWeights) {
    step.input = fmt::format("[1, {}]", c);
    if (!first && !flat) step.layer = fmt::format("  - reshape: {{shape: [1, {}]}}\n", c);
    step.layer += fmt::format("  - fully_connected: {{units: {}}}\n", f);
    step.units = f, flat = true;
  } else if (std::string(p) == "softmax") {
    step.layer = "  - softmax: {}\n";
  }
  return step.layer.empty() ? std::nullopt : std::optional(std::move(step));
}

}  // namespace

nn::NetworkPtr network_of_layers(const std::string& name, const std::string& input, const std::string& layers,
                                 bool wide) {
  std::string plain;
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ? c : '-';
  Diagnostics ignored;
  return nn::import_yaml(fmt::format("format: 1\nname: {}\nseed: 1\ninput: {{shape: {}, {}}}\nlayers:\n{}",
                                     plain.empty() ? "network" : plain, input,
                                     wide ? "type: int16" : "scale: 0.0078, zero_point: 0", layers),
                         "shape", ignored);
}

nn::NetworkPtr operator_of_shape(const std::string& name, const std::string& text, bool wide) {
  const auto space = std::min(name.find(' '), name.size());
  const auto kind = name.substr(0, space);
  auto s = shape_of(text + name.substr(space));
  if (!s || s->stride[0] < 1 || s->stride[1] < 1 || (s->has_kernel && (s->kernel[0] < 1 || s->kernel[1] < 1)))
    return nullptr;
  if (kind == "CONV_2D" || kind == "DEPTHWISE_CONV_2D" || kind == "AVERAGE_POOL_2D" || kind == "MAX_POOL_2D")
    return windowed(kind, *s, wide);
  if (!plausible(s->in)) return nullptr;
  const int all = s->in.h * s->in.w * s->in.c;
  const auto flat = fmt::format("[1, {}]", all);
  if (kind == "FULLY_CONNECTED" && s->has_out && plausible(s->out) && std::int64_t{all} * s->out.c <= kMostWeights)
    return network_of_layers(kind, flat, fmt::format("  - fully_connected: {{units: {}}}\n", s->out.c), wide);
  if (kind == "SOFTMAX") return network_of_layers(kind, flat, "  - softmax: {}\n", wide);
  if (kind == "RESHAPE")
    return network_of_layers(kind, map_of(s->in), fmt::format("  - reshape: {{shape: {}}}\n", flat), wide);
  if (kind == "ADD") return network_of_layers(kind, map_of(s->in), "  - add: {from: input, with: input}\n", wide);
  return nullptr;
}

nn::NetworkPtr network_of_shape(const std::string& name, const std::string& shape, bool wide) {
  std::string layers, input;
  std::istringstream parts(shape);
  bool flat = false;
  int units = 0, steps = 0;
  for (std::string part; std::getline(parts, part, ';');) {
    const auto step = step_of(part, layers.empty(), flat);
    if (!step || ++steps > kMostLayers) return nullptr;
    if (layers.empty()) input = step->input;
    layers += step->layer, units = step->units;
  }
  if (input.empty()) return nullptr;
  if (units == 10) layers += "  - softmax: {}\n";
  return network_of_layers(name, input, layers, wide);
}

}  // namespace dse::explore
