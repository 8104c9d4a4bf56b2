// CPU time and memory of ordering random graphs that look like networks, 100 to 3,000 operators: cells of searched
// architectures (every cell reads the two before it, five sums of two branches each, joined at the end) and random
// wiring (every node sums one to four of the 16 nodes before it and runs three operators); and tangles without
// structure, which are hard. Usage: bench_order [SEEDS].
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "plan/order/order.h"

namespace {

using namespace dse::plan;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

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
int branch(Maker& m, int from, std::int64_t bytes) {
  if (m.below(4) == 0) return m.op("AveragePool", bytes, {from});
  for (int i = 0, n = 1 + m.below(2); i < n; ++i) {
    from = m.op("Relu", m.bytes(from), {from}, true);
    from = m.op("Conv", m.bytes(from), {from});
    from = m.op("Conv", bytes, {from});
  }
  return from;
}

OrderProblem cells(int operators, std::uint64_t seed) {
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

OrderProblem random_wiring(int operators, std::uint64_t seed) {
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
OrderProblem tangle(int operators, std::uint64_t seed) {
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

long peak_mebibytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss / 1024;  // KiB on Linux; of the whole process so far
}

void run(const char* family, OrderProblem (*make)(int, std::uint64_t), int operators, int seeds, OrderRule rule) {
  int optimal = 0;
  double most = 0, sum = 0, gap = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto problem = make(operators, static_cast<std::uint64_t>(seed));
    const double begin = cpu_seconds();
    const auto found = find_order(problem, rule);
    const double took = cpu_seconds() - begin;
    sum += took, most = std::max(most, took), optimal += found.optimal;
    gap = std::max(gap, static_cast<double>(found.peak_bytes) / static_cast<double>(found.lower_bound_bytes) - 1);
  }
  std::printf("%-14s %-13s %9d %6d %8d %9.1f %8.3f %8.3f %6ld\n", family, name_of(rule), operators, seeds, optimal,
              100 * gap, sum / seeds, most, peak_mebibytes());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::printf("family         rule          operators graphs optimal  max gap%%    CPU s    max s    MiB\n");
  for (const int operators : {100, 300, 1000, 3000})
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) {
      run("cells", cells, operators, seeds, rule);
      run("random wiring", random_wiring, operators, seeds, rule);
      run("tangle", tangle, operators, seeds, rule);
    }
}
