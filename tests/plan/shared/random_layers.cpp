#include "tests/plan/shared/random_layers.h"

#include <string>

namespace dse::plan::shared::test {
namespace {

using phases::Edge;
using phases::Layer;
using phases::LayerGraph;
using phases::Window;

class Maker {
 public:
  explicit Maker(std::mt19937& random) : random_(random) {}

  LayerGraph make(int most) {
    const auto sources = pick(1, 4) == 1 ? 2 : 1;
    for (std::int64_t i = 0; i < sources; ++i) {
      add(pick(6, 14), pick(1, 9));
      g_.layers.back().source = true;
    }
    const auto count = pick(2, most);
    for (std::int64_t i = 0; i < count; ++i) layer();
    g_.layers.back().output = true;
    for (auto& l : g_.layers)
      if (!l.source && pick(1, 12) == 1) l.output = true;
    return g_;
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  /// Mostly recent ones.
  int any() {
    const auto last = static_cast<std::int64_t>(g_.layers.size()) - 1;
    return static_cast<int>(last - std::min(last, pick(0, 2) * pick(0, 2)));
  }
  const Layer& at(int l) const { return g_.layers[static_cast<std::size_t>(l)]; }
  int add(std::int64_t rows, std::int64_t row_elements) {
    Layer l;
    l.name = "l" + std::to_string(g_.layers.size()), l.rows = rows, l.row_elements = row_elements;
    g_.layers.push_back(l);
    return static_cast<int>(g_.layers.size()) - 1;
  }
  void connect(int from, int to, Window w) {
    g_.edges.push_back({from, to, at(from).rows, at(from).row_elements, w, from});
  }

  void layer() {
    const int x = any();
    const auto kind = pick(1, 10);
    if (kind == 1) {
      connect(x, add(pick(1, 3), pick(1, 9)), {1, 1, 0, true});
      g_.layers.back().at_once = true;
    } else if (kind <= 4) {
      join(x);
    } else {
      const auto kernel = pick(1, 5), stride = pick(1, 3), pad = pick(-1, kernel / 2);
      const auto room = at(x).rows + 2 * pad - kernel;
      if (room < 0) return connect(x, add(at(x).rows, pick(1, 9)), {});
      connect(x, add(room / stride + 1, pick(1, 9)), {kernel, stride, pad, false});
    }
  }
  void join(int x) {
    std::vector<int> with{x};
    for (int l = static_cast<int>(g_.layers.size()) - 1; l >= 0 && with.size() < 3; --l)
      if (l != x && at(l).rows == at(x).rows && pick(1, 2) == 1) with.push_back(l);
    const int to = add(at(x).rows, pick(1, 9));
    for (const int l : with) connect(l, to, {});
  }

  std::mt19937& random_;
  LayerGraph g_;
};

}  // namespace

LayerGraph random_layers(std::mt19937& random, int most) { return Maker(random).make(most); }

std::vector<Segment> random_segments(std::mt19937& random, const LayerGraph& g) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<Segment> out;
  const int count = static_cast<int>(g.layer_count());
  for (int at = 0; at < count;) {
    Segment s;
    s.first = at, s.last = std::min(count - 1, at + pick(0, 4));
    s.rows = pick(0, 3);
    s.halo = pick(1, 3) == 1 ? Halo::recomputed : Halo::cached;
    if (s.halo == Halo::cached && pick(0, 1) == 1)
      for (int l = s.first; l < s.last; ++l) s.grain.push_back(pick(0, 2));
    at = s.last + 1;
    out.push_back(s);
  }
  return out;
}

}  // namespace dse::plan::shared::test
