// Random graphs that look like networks, and some that do not: what the benchmarks of memory planning order and place.
#pragma once
#include <algorithm>
#include <random>

#include "methods/order/order.h"

namespace dse::bench {

using plan::OrderOperator;
using plan::OrderProblem;

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {
    problem_.tensors.push_back({"input", 150'528, true, false, -1});
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  int size() const { return static_cast<int>(problem_.operators.size()); }
  std::int64_t bytes(int t) const { return problem_.tensors[static_cast<std::size_t>(t)].bytes; }

  int op(const char* type, std::int64_t bytes, std::vector<int> inputs, bool elementwise = false) {
    OrderOperator o;
    o.type = type, o.name = type + std::to_string(size()), o.inputs = std::move(inputs), o.elementwise = elementwise;
    o.outputs = {static_cast<int>(problem_.tensors.size())};
    problem_.tensors.push_back({o.name, bytes, false, false, -1});
    problem_.operators.push_back(std::move(o));
    return problem_.operators.back().outputs[0];
  }
  OrderProblem finish(int last) {
    problem_.tensors[static_cast<std::size_t>(last)].kept = true;
    return std::move(problem_);
  }

 private:
  std::mt19937_64 random_;
  OrderProblem problem_;
};

/// A branch of a cell: pooling, or one or two separable convolutions.
inline int branch(Maker& m, int from, std::int64_t bytes) {
  if (m.below(4) == 0) return m.op("AveragePool", bytes, {from});
  for (int i = 0, n = 1 + m.below(2); i < n; ++i) {
    from = m.op("Relu", m.bytes(from), {from}, true);
    from = m.op("Conv", m.bytes(from), {from});
    from = m.op("Conv", bytes, {from});
  }
  return from;
}

inline OrderProblem cells(int operators, std::uint64_t seed) {
  Maker m(seed);
  std::int64_t bytes = 65'536;
  int before = m.op("Conv", bytes, {0}), last = m.op("Conv", bytes, {before});
  for (int cell = 0; m.size() < operators; ++cell) {
    if (cell % 6 == 5) bytes = std::max<std::int64_t>(2048, bytes / 2);
    std::vector<int> made{m.op("Conv", bytes, {before}), m.op("Conv", bytes, {last})}, unread;
    std::vector<int> reads(7, 0);
    for (int node = 0; node < 5; ++node) {
      const int a = m.below(static_cast<int>(made.size())), b = m.below(static_cast<int>(made.size()));
      ++reads[static_cast<std::size_t>(a)], ++reads[static_cast<std::size_t>(b)];
      const int left = branch(m, made[static_cast<std::size_t>(a)], bytes);
      made.push_back(m.op("Add", bytes, {left, branch(m, made[static_cast<std::size_t>(b)], bytes)}, true));
    }
    for (std::size_t i = 0; i < made.size(); ++i)
      if (reads[i] == 0) unread.push_back(made[i]);
    before = last;
    last = m.op("Concat", bytes * static_cast<std::int64_t>(unread.size()), unread);
  }
  return m.finish(m.op("GlobalAveragePool", 1024, {last}));
}

inline OrderProblem random_wiring(int operators, std::uint64_t seed) {
  Maker m(seed);
  std::vector<int> nodes{m.op("Conv", 65'536, {0})}, unread;
  std::vector<char> read{0};
  while (m.size() < operators) {
    const std::int64_t bytes =
        std::max<std::int64_t>(2048, (65'536 >> (4 * m.size() / operators)) * (2 + m.below(3)) / 4);
    std::vector<int> from;
    for (int i = 0, n = 1 + m.below(4); i < n; ++i) {
      const auto pick =
          nodes.size() - 1 - static_cast<std::size_t>(m.below(std::min(16, static_cast<int>(nodes.size()))));
      from.push_back(nodes[pick]), read[pick] = 1;
    }
    const int relu = m.op("Relu", m.bytes(from[0]), {m.op("Sum", m.bytes(from[0]), from)}, true);
    nodes.push_back(m.op("Conv", bytes, {m.op("Conv", m.bytes(relu), {relu})}));
    read.push_back(0);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!read[i]) unread.push_back(nodes[i]);
  return m.finish(m.op("Concat", 2048, unread));
}

/// No network at all: every operator reads one to three of the 60 tensors before it, of any size from 1 to 64 KiB. The
/// exact search has to give up here.
inline OrderProblem tangle(int operators, std::uint64_t seed) {
  Maker m(seed);
  std::vector<int> made{0};
  while (m.size() < operators) {
    std::vector<int> from;
    for (int i = 0, n = 1 + m.below(3); i < n; ++i)
      from.push_back(
          made[made.size() - 1 - static_cast<std::size_t>(m.below(std::min(60, static_cast<int>(made.size()))))]);
    made.push_back(m.op("Op", 1024 * (1 + m.below(64)), from, m.below(2) == 0));
  }
  return m.finish(made.back());
}

/// Blocks of three convolutions around a skip connection; one in eight halves the map and widens the skip by a
/// convolution of its own (ResNet).
inline OrderProblem residual(int operators, std::uint64_t seed) {
  Maker m(seed);
  std::int64_t bytes = 65'536;
  int last = m.op("Conv", bytes, {0});
  while (m.size() < operators) {
    const bool narrows = m.below(8) == 0;
    if (narrows) bytes = std::max<std::int64_t>(2048, bytes / 2);
    const int skip = narrows ? m.op("Conv", bytes, {last}) : last;
    const int mid = m.op("Conv", bytes / 4, {m.op("Conv", bytes / 4, {last})});
    last = m.op("Relu", bytes, {m.op("Add", bytes, {m.op("Conv", bytes, {mid}), skip}, true)}, true);
  }
  return m.finish(m.op("GlobalAveragePool", 1024, {last}));
}

/// Modules of four branches of one to three operators, joined by a concatenation (Inception).
inline OrderProblem inception(int operators, std::uint64_t seed) {
  Maker m(seed);
  std::int64_t bytes = 65'536;
  int last = m.op("Conv", bytes, {0});
  for (int module = 0; m.size() < operators; ++module) {
    if (module % 5 == 4) last = m.op("MaxPool", bytes = std::max<std::int64_t>(2048, bytes / 2), {last});
    const std::int64_t quarter = bytes / 16;
    std::vector<int> ends;
    std::int64_t sum = 0;
    for (int b = 0; b < 4; ++b) {
      int at = last;
      for (int k = m.below(3); k > 0; --k) at = m.op("Conv", quarter * (1 + m.below(6)), {at});
      ends.push_back(m.op("Conv", quarter * (2 + m.below(5)), {at}));
      sum += m.bytes(ends.back());
    }
    last = m.op("Concat", sum, ends);
  }
  return m.finish(m.op("GlobalAveragePool", 1024, {last}));
}

/// Blocks of layers that each read all before them in the block, through a concatenation; a transition halves between
/// blocks (DenseNet).
inline OrderProblem dense(int operators, std::uint64_t seed) {
  Maker m(seed);
  std::int64_t grown = 8'192;
  int last = m.op("Conv", 2 * grown, {0});
  while (m.size() < operators) {
    std::vector<int> made{last};
    std::int64_t sum = m.bytes(last);
    for (int layer = 0, n = 6 + m.below(12); layer < n; ++layer) {
      const int joined = made.size() == 1 ? last : m.op("Concat", sum, made);
      made.push_back(m.op("Conv", grown, {m.op("Conv", 4 * grown, {joined})}));
      sum += grown;
    }
    grown = std::max<std::int64_t>(512, grown / 2);
    last = m.op("AveragePool", sum / 8, {m.op("Conv", sum / 2, {m.op("Concat", sum, made)})});
  }
  return m.finish(m.op("GlobalAveragePool", 1024, {last}));
}

/// A series-parallel part of `operators` operators or a few more that reads `from`: one operator, two parts in a row,
/// or two to four beside each other and their sum. Returns what the last one makes.
inline int part(Maker& m, int from, int operators) {
  if (operators <= 1) return m.op("Conv", 1024 * (1 + m.below(64)), {from});
  if (operators == 2 || m.below(2) == 0) {
    const int first = 1 + m.below(operators - 1);
    return part(m, part(m, from, first), operators - first);
  }
  std::vector<int> ends;
  for (int left = operators - 1, branches = 2 + m.below(3); left > 0 && branches > 0; --branches) {
    const int n = branches == 1 ? left : 1 + m.below(left);
    ends.push_back(part(m, from, n));
    left -= n;
  }
  return m.op("Sum", 1024 * (1 + m.below(64)), ends);
}

inline OrderProblem series_parallel(int operators, std::uint64_t seed) {
  Maker m(seed);
  const int last = part(m, 0, operators - 1);
  return m.finish(m.op("GlobalAveragePool", 1024, {last}));
}

}  // namespace dse::bench
