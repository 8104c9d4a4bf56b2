#include "tests/methods/dataflow/networks.h"

#include <initializer_list>
#include <vector>

namespace dse::plan::phases::test {
namespace {

/// Adds square layers; every call returns the new layer.
class Builder {
 public:
  Builder(const std::string& name, std::int64_t size, std::int64_t channels) {
    g_.name = name;
    add("data", size, channels);
    g_.layers.back().source = true;
  }

  int window(const std::string& op, int x, std::int64_t channels, std::int64_t out, Window w) {
    const int to = add(op, out, channels);
    connect(x, to, w);
    g_.layers.back().at_once = w.whole || (w.kernel >= g_.edges.back().rows && w.pad == 0);
    return to;
  }
  int conv(int x, std::int64_t channels, std::int64_t k, std::int64_t stride, std::int64_t pad) {
    return window("conv", x, channels, (size(x) + 2 * pad - k) / stride + 1, {k, stride, pad, false});
  }
  int pool(int x, std::int64_t k, std::int64_t stride, std::int64_t pad, std::int64_t out) {
    return window("pool", x, channels(x), out, {k, stride, pad, false});
  }
  int each(const std::string& op, int x) {
    const int to = window(op, x, channels(x), size(x), {});
    g_.layers.back().elementwise = true, g_.layers.back().at_once = false;
    return to;
  }
  /// Reads everything and makes one row of `channels`.
  int all(const std::string& op, int x, std::int64_t channels) { return window(op, x, channels, 1, {1, 1, 0, true}); }
  int join(const std::string& op, std::initializer_list<int> xs, std::int64_t channels) {
    const int to = add(op, size(*xs.begin()), channels);
    for (const int x : xs) connect(x, to, {});
    return to;
  }
  int conv_relu(int x, std::int64_t channels, std::int64_t k, std::int64_t stride, std::int64_t pad) {
    return each("relu", conv(x, channels, k, stride, pad));
  }
  int conv_bn(int x, std::int64_t channels, std::int64_t k, std::int64_t stride, std::int64_t pad) {
    return each("bn", conv(x, channels, k, stride, pad));
  }
  std::int64_t size(int x) const { return g_.layers[static_cast<std::size_t>(x)].rows; }
  std::int64_t channels(int x) const { return channels_[static_cast<std::size_t>(x)]; }
  LayerGraph build() {
    g_.layers.back().output = true;
    return g_;
  }

 private:
  int add(const std::string& op, std::int64_t size, std::int64_t channels) {
    Layer l;
    l.name = op + std::to_string(g_.layers.size());
    l.rows = size, l.row_elements = size * channels;
    g_.layers.push_back(l), channels_.push_back(channels);
    return static_cast<int>(g_.layers.size()) - 1;
  }
  void connect(int from, int to, Window w) {
    const auto& maker = g_.layers[static_cast<std::size_t>(from)];
    g_.edges.push_back({from, to, maker.rows, maker.row_elements, w, from});
  }

  LayerGraph g_;
  std::vector<std::int64_t> channels_;
};

}  // namespace

LayerGraph example41() {
  LayerGraph g;
  g.name = "example41";
  const auto layer = [&](const char* name, std::int64_t rows, std::int64_t row_elements) {
    g.layers.push_back({name, rows, row_elements, false, false, false, false});
  };
  layer("l1", 32, 32), layer("l2", 16, 64), layer("l3", 4, 12), layer("l4", 1, 2), layer("l5", 1, 1);
  g.layers[0].source = true;
  g.layers[3].at_once = g.layers[4].at_once = true;
  g.edges = {{0, 1, 32, 32, {17, 1, 0, false}, 0},
             {1, 2, 16, 64, {5, 3, -1, false}, 1},
             {2, 3, 4, 12, {4, 1, 0, false}, 2},
             {3, 4, 1, 2, {1, 1, 0, false}, 3}};
  return g;
}

LayerGraph resnet18() {
  Builder b("resnet18", 224, 3);
  int x = b.each("relu", b.conv_bn(0, 64, 7, 2, 3));
  x = b.pool(x, 3, 2, 1, 56);
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < 2; ++block) {
      const std::int64_t c = 64 << stage, stride = stage > 0 && block == 0 ? 2 : 1;
      int y = b.each("relu", b.conv_bn(x, c, 3, stride, 1));
      y = b.conv_bn(y, c, 3, 1, 1);
      if (stride == 2) x = b.conv_bn(x, c, 1, 2, 0);
      x = b.each("relu", b.join("add", {y, x}, c));
    }
  b.all("fc", b.all("gap", x, 512), 1000);
  return b.build();
}

LayerGraph googlenet(bool floor_pooling) {
  Builder b(floor_pooling ? "inception_v1" : "googlenet", 224, 3);
  // 3x3 pools of stride 2: 112 rows become 55 or 56, and so on.
  const auto halve = [&](int x) {
    const auto in = b.size(x);
    return b.pool(x, 3, 2, 0, floor_pooling ? (in - 3) / 2 + 1 : (in - 3 + 1) / 2 + 1);
  };
  const auto inception = [&](int x, std::int64_t c1, std::int64_t c3r, std::int64_t c3, std::int64_t c5r,
                             std::int64_t c5, std::int64_t cp) {
    const int a = b.conv_relu(x, c1, 1, 1, 0);
    const int t = b.conv_relu(b.conv_relu(x, c3r, 1, 1, 0), c3, 3, 1, 1);
    const int f = b.conv_relu(b.conv_relu(x, c5r, 1, 1, 0), c5, 5, 1, 2);
    const int p = b.conv_relu(b.pool(x, 3, 1, 1, b.size(x)), cp, 1, 1, 0);
    return b.join("concat", {a, t, f, p}, c1 + c3 + c5 + cp);
  };
  int x = b.each("lrn", halve(b.conv_relu(0, 64, 7, 2, 3)));
  x = halve(b.each("lrn", b.conv_relu(b.conv_relu(x, 64, 1, 1, 0), 192, 3, 1, 1)));
  x = inception(inception(x, 64, 96, 128, 16, 32, 32), 128, 128, 192, 32, 96, 64);
  x = inception(halve(x), 192, 96, 208, 16, 48, 64);
  x = inception(inception(x, 160, 112, 224, 24, 64, 64), 128, 128, 256, 24, 64, 64);
  x = inception(inception(x, 112, 144, 288, 32, 64, 64), 256, 160, 320, 32, 128, 128);
  x = inception(inception(halve(x), 256, 160, 320, 32, 128, 128), 384, 192, 384, 48, 128, 128);
  x = b.each("dropout", b.all("average", x, 1024));
  b.each("softmax", b.all("fc", b.each("reshape", x), 1000));
  return b.build();
}

LayerGraph tiny_yolo_v2() {
  Builder b("tinyyolov2", 416, 3);
  int x = b.each("add", b.each("mul", 0));
  for (const std::int64_t c : {16, 32, 64, 128, 256, 512}) {
    x = b.each("leaky", b.conv_bn(x, c, 3, 1, 1));
    x = c < 512 ? b.pool(x, 2, 2, 0, b.size(x) / 2) : b.pool(x, 2, 1, 0, b.size(x));
  }
  for (int i = 0; i < 2; ++i) x = b.each("leaky", b.conv_bn(x, 1024, 3, 1, 1));
  b.conv(x, 125, 1, 1, 0);
  return b.build();
}

LayerGraph vgg19() {
  Builder b("vgg19", 224, 3);
  int x = 0;
  const std::vector<std::pair<int, std::int64_t>> stages{{2, 64}, {2, 128}, {4, 256}, {4, 512}, {4, 512}};
  for (const auto& [convs, c] : stages) {
    for (int i = 0; i < convs; ++i) x = b.conv_relu(x, c, 3, 1, 1);
    x = b.pool(x, 2, 2, 0, b.size(x) / 2);
  }
  x = b.all("reshape", x, 25088);
  for (int i = 0; i < 2; ++i) x = b.each("dropout", b.each("relu", b.all("fc", x, 4096)));
  b.each("softmax", b.all("fc", x, 1000));
  return b.build();
}

LayerGraph densenet121() {
  Builder b("densenet121", 224, 3);
  const auto padded = [&](int x, std::int64_t pad) {
    return b.window("pad", x, b.channels(x), b.size(x) + 2 * pad, {1, 1, pad, false});
  };
  const auto bn_relu = [&](int x) { return b.each("relu", b.each("bn", x)); };
  int x = bn_relu(b.conv(padded(0, 3), 64, 7, 2, 0));
  x = b.pool(padded(x, 1), 3, 2, 0, 56);
  const std::vector<int> blocks{6, 12, 24, 16};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (int l = 0; l < blocks[i]; ++l) {
      const int y = b.conv(bn_relu(b.conv(bn_relu(x), 128, 1, 1, 0)), 32, 3, 1, 1);
      x = b.join("concat", {x, y}, b.channels(x) + 32);
    }
    if (i + 1 == blocks.size()) break;
    x = b.conv(bn_relu(x), b.channels(x) / 2, 1, 1, 0);
    x = b.pool(x, 2, 2, 0, b.size(x) / 2);
  }
  b.all("fc", b.all("gap", bn_relu(x), b.channels(x)), 1000);
  return b.build();
}

LayerGraph squeezenet11() {
  Builder b("squeezenet", 224, 3);
  const auto pool = [&](int x) { return b.pool(x, 3, 2, 0, (b.size(x) - 3) / 2 + 1); };
  const auto fire = [&](int x, std::int64_t squeeze, std::int64_t expand) {
    const int s = b.conv_relu(x, squeeze, 1, 1, 0);
    const int one = b.conv_relu(s, expand, 1, 1, 0), three = b.conv_relu(s, expand, 3, 1, 1);
    return b.join("concat", {one, three}, 2 * expand);
  };
  int x = pool(b.conv_relu(0, 64, 3, 2, 0));
  x = pool(fire(fire(x, 16, 64), 16, 64));
  x = pool(fire(fire(x, 32, 128), 32, 128));
  x = fire(fire(fire(fire(x, 48, 192), 48, 192), 64, 256), 64, 256);
  x = b.conv_relu(b.each("dropout", x), 1000, 1, 1, 0);
  b.each("softmax", b.all("gap", x, 1000));
  return b.build();
}

}  // namespace dse::plan::phases::test
