#include "models/nn/graph/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

constexpr std::int64_t kForced = std::numeric_limits<std::int64_t>::max() / 4;

/// A minimum cut between two nodes, by shortest augmenting paths.
class MinCut {
 public:
  explicit MinCut(std::size_t nodes) : out_(nodes) {}

  void edge(int from, int to, std::int64_t capacity) {
    out_[static_cast<std::size_t>(from)].push_back(static_cast<int>(arcs_.size()));
    arcs_.push_back({to, capacity});
    out_[static_cast<std::size_t>(to)].push_back(static_cast<int>(arcs_.size()));
    arcs_.push_back({from, 0});
  }

  /// Per node: on the source's side.
  std::vector<bool> run(int source, int sink) {
    std::vector<int> by;
    while (reach(source, by), by[static_cast<std::size_t>(sink)] >= 0) {
      std::int64_t most = kForced;
      const auto along = [&](auto&& f) {
        for (int node = sink; node != source;) {
          const int arc = by[static_cast<std::size_t>(node)];
          f(arc);
          node = arcs_[static_cast<std::size_t>(arc ^ 1)].to;
        }
      };
      along([&](int arc) { most = std::min(most, arcs_[static_cast<std::size_t>(arc)].left); });
      along([&](int arc) {
        arcs_[static_cast<std::size_t>(arc)].left -= most, arcs_[static_cast<std::size_t>(arc ^ 1)].left += most;
      });
    }
    std::vector<bool> side(out_.size());
    for (std::size_t i = 0; i < side.size(); ++i) side[i] = by[i] >= 0 || static_cast<int>(i) == source;
    return side;
  }

 private:
  struct Arc {
    int to;
    std::int64_t left;
  };

  /// The arc by which each node is reached; -1: it is not.
  void reach(int source, std::vector<int>& by) const {
    by.assign(out_.size(), -1);
    std::vector<int> queue = {source};
    for (std::size_t q = 0; q < queue.size(); ++q)
      for (const int arc : out_[static_cast<std::size_t>(queue[q])]) {
        const Arc& a = arcs_[static_cast<std::size_t>(arc)];
        if (a.left <= 0 || a.to == source || by[static_cast<std::size_t>(a.to)] >= 0) continue;
        by[static_cast<std::size_t>(a.to)] = arc;
        queue.push_back(a.to);
      }
  }

  std::vector<std::vector<int>> out_;
  std::vector<Arc> arcs_;
};

std::int64_t work_of(const Network& n, const Operator& op) {
  std::int64_t work = 1 + op.macs;
  for (const int t : op.outputs) work += at(n, t).elements();
  return work;
}

/// Calls f(a, b) where operator b reads what a makes, and both ways where they share a variable.
template <class F>
void for_each_wire(const Network& n, F&& f) {
  const Uses uses(n);
  for (std::size_t t = 0; t < n.tensors.size(); ++t) {
    if (n.tensors[t].kind != TensorKind::variable) {
      for (const int reader : uses.readers[t])
        if (uses.maker[t] >= 0) f(uses.maker[t], reader);
      continue;
    }
    int before = -1;
    for (std::size_t o = 0; o < n.operators.size(); ++o) {
      const Operator& op = n.operators[o];
      const auto here = static_cast<int>(t);
      if (std::count(op.inputs.begin(), op.inputs.end(), here) + std::count(op.outputs.begin(), op.outputs.end(), here))
        if (const int last = std::exchange(before, static_cast<int>(o)); last >= 0) f(last, before), f(before, last);
    }
  }
}

}  // namespace

std::vector<Side> sides_of(const Network& n) {
  // Two nodes per operator: on the source's side mean "not before the device" and "after the device".
  const auto count = static_cast<int>(n.operators.size());
  const int source = 2 * count, sink = source + 1;
  MinCut cut(static_cast<std::size_t>(sink) + 1);
  for (int o = 0; o < count; ++o) {
    const Operator& op = n.operators[static_cast<std::size_t>(o)];
    cut.edge(2 * o + 1, 2 * o, kForced);
    if (op.evaluation != Evaluation::kernel) {
      cut.edge(2 * o, 2 * o + 1, kForced);  // before or after
      continue;
    }
    cut.edge(source, 2 * o, work_of(n, op));
    cut.edge(2 * o + 1, sink, work_of(n, op));
  }
  for_each_wire(n, [&](int a, int b) {
    cut.edge(2 * a, 2 * b, kForced);
    cut.edge(2 * a + 1, 2 * b + 1, kForced);
  });
  const auto with_source = cut.run(source, sink);
  std::vector<Side> sides;
  for (std::size_t o = 0; o < n.operators.size(); ++o)
    sides.push_back(!with_source[2 * o] ? Side::host_before : with_source[2 * o + 1] ? Side::host_after : Side::device);
  return sides;
}

namespace {

/// Why an operator that could run is the host's all the same.
std::string why_dragged(Side side) {
  return side == Side::host_before ? "an operator that cannot be run reads what comes of it"
                                   : "it reads what comes of an operator that cannot be run";
}

}  // namespace

std::optional<Network> cut_network(const Network& whole) {
  const auto sides = sides_of(whole);
  Network n = unfinished(whole);
  if (std::count(sides.begin(), sides.end(), Side::device) == static_cast<std::ptrdiff_t>(sides.size())) return n;
  const auto on_device = [&](int op) { return op >= 0 && sides[static_cast<std::size_t>(op)] == Side::device; };
  const Uses uses(whole);
  std::vector<int> inputs, outputs;
  const auto read_here = [&](int t) {
    const auto& readers = uses.readers[static_cast<std::size_t>(t)];
    return std::any_of(readers.begin(), readers.end(), on_device);
  };
  for (const int t : whole.inputs)
    if (read_here(t)) inputs.push_back(t);
  for (const int t : whole.outputs)
    if (on_device(uses.maker[static_cast<std::size_t>(t)])) outputs.push_back(t);
  std::vector<Operator> kept;
  for (std::size_t o = 0; o < sides.size(); ++o) {
    const Operator& op = whole.operators[o];
    for (const int t : op.outputs) {
      if (at(whole, t).kind != TensorKind::activation) continue;
      const auto& readers = uses.readers[static_cast<std::size_t>(t)];
      const bool read_by_host = std::any_of(readers.begin(), readers.end(), [&](int r) { return !on_device(r); });
      if (sides[o] != Side::device && read_here(t)) inputs.push_back(t), at(n, t).kind = TensorKind::input;
      if (sides[o] == Side::device && read_by_host && !uses.is_output[static_cast<std::size_t>(t)])
        outputs.push_back(t);
    }
    if (sides[o] == Side::device) {
      kept.push_back(std::move(n.operators[o]));
      continue;
    }
    n.host.push_back({op.name, op.type.empty() ? name_of(op.kind) : op.type,
                      op.evaluation == Evaluation::none ? op.unsupported : why_dragged(sides[o]),
                      sides[o] == Side::host_before});
  }
  if (kept.empty()) return std::nullopt;
  n.operators = std::move(kept);
  n.inputs = std::move(inputs), n.outputs = std::move(outputs);
  drop_unused_tensors(n);
  return n;
}

namespace {

/// Names come from files.
std::string in_print(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

std::string host_text(const Network& n) {
  if (n.host.empty()) return {};
  constexpr std::size_t kNamed = 12;
  const auto named = [&](bool before) {
    std::vector<std::string> names;
    for (const auto& h : n.host)
      if (h.before == before) names.push_back(in_print(fmt::format("{} ({})", h.name, h.type)));
    if (names.empty()) return std::string();
    const std::size_t shown = std::min(names.size(), kNamed), more = names.size() - shown;
    names.resize(shown);
    return fmt::format(" {} {}{}", before ? "before the device" : "after the device", fmt::join(names, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  };
  const auto before = named(true), after = named(false);
  return fmt::format("{} operator{} the host's:{}{}{}", n.host.size(), n.host.size() == 1 ? " is" : "s are", before,
                     before.empty() || after.empty() ? "" : ";", after);
}

}  // namespace dse::nn
