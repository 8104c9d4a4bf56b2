#include "tests/plan/segment/planner/random_layers.h"

#include <algorithm>
#include <string>

#include "plan/segment/planner/strips.h"

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
    const auto wide = pick(0, 1) * pick(4, 9);
    for (std::int64_t i = 0; i < sources; ++i) {
      add(pick(6, 14), pick(1, 9), std::max<std::int64_t>(1, wide));
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
  int add(std::int64_t rows, std::int64_t channels, std::int64_t columns = 1) {
    Layer l;
    l.name = "l" + std::to_string(g_.layers.size()), l.rows = rows, l.row_elements = channels * columns;
    l.columns = columns;
    g_.layers.push_back(l);
    return static_cast<int>(g_.layers.size()) - 1;
  }
  void connect(int from, int to, Window w, Window across = {1, 1, 0, true}) {
    g_.edges.push_back({from, to, at(from).rows, at(from).row_elements, w, from, across});
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
      // Columns, where there are any, have a window of their own.
      const auto kernel_w = pick(1, 4), stride_w = pick(1, 2), pad_w = pick(0, kernel_w / 2);
      const auto room_w = at(x).columns + 2 * pad_w - kernel_w;
      const auto columns = at(x).columns > 1 && room_w >= 0 ? room_w / stride_w + 1 : 1;
      connect(x, add(room / stride + 1, pick(1, 9), columns), {kernel, stride, pad, false},
              {kernel_w, stride_w, pad_w, columns == 1});
    }
  }
  void join(int x) {
    std::vector<int> with{x};
    for (int l = static_cast<int>(g_.layers.size()) - 1; l >= 0 && with.size() < 3; --l)
      if (l != x && at(l).rows == at(x).rows && pick(1, 2) == 1) with.push_back(l);
    const bool columns = std::all_of(with.begin(), with.end(), [&](int l) { return at(l).columns == at(x).columns; });
    const int to = add(at(x).rows, pick(1, 9), columns ? at(x).columns : 1);
    for (const int l : with) connect(l, to, {}, {1, 1, 0, at(to).columns == 1});
  }

  std::mt19937& random_;
  LayerGraph g_;
};

}  // namespace

LayerGraph random_layers(std::mt19937& random, int most) { return Maker(random).make(most); }

std::vector<RowSegment> random_segments(std::mt19937& random, const LayerGraph& g, bool streamed) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<RowSegment> out;
  const int count = static_cast<int>(g.layer_count());
  std::vector<int> layers;
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
    if (!g.layers[static_cast<std::size_t>(l)].source) layers.push_back(l);
  for (int at = 0; at < count;) {
    RowSegment s;
    s.first = at, s.last = std::min(count - 1, at + pick(0, 4));
    s.rows = pick(0, 3);
    s.halo = pick(1, 3) == 1 ? Halo::recomputed : Halo::cached;
    if (s.halo == Halo::cached && pick(0, 2) > 0) {  // strips, of fewer layers where it must be
      s.strips = pick(2, 4);
      for (auto last = s.last; last >= s.first; --last) {
        const std::vector<int> members(layers.begin() + s.first, layers.begin() + last + 1);
        if (!std::holds_alternative<Strips>(strips_of(g, members, s.strips, streamed))) continue;
        s.last = last;
        break;
      }
      const std::vector<int> members(layers.begin() + s.first, layers.begin() + s.last + 1);
      if (!std::holds_alternative<Strips>(strips_of(g, members, s.strips, streamed))) s.strips = 1;
    }
    if (s.halo == Halo::cached && pick(0, 1) == 1)
      for (int l = s.first; l < s.last; ++l) s.grain.push_back(pick(0, 2));
    at = s.last + 1;
    out.push_back(s);
  }
  return out;
}

}  // namespace dse::plan::shared::test
