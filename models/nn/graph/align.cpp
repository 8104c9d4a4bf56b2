#include "models/nn/graph/align.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "models/nn/summary/summary.h"

namespace dse::nn {
namespace {

using Forms = std::vector<LayerForm>;

std::string form_of(const Tensor& t) {
  std::string out = name_of(t.type);
  for (const auto d : t.shape) out += fmt::format(" {}", d);
  return out + ";";
}

std::string options_of(const OperatorOptions& options) {
  std::vector<std::string> plain;
  const auto texts = [](const OperatorOptions& from) {
    std::vector<std::string> out;
    for_each_option(from, [&](const char* name, const auto& field) {
      using Field = std::decay_t<decltype(field)>;
      std::string text = std::string(name) + "=";
      if constexpr (std::is_same_v<Field, std::vector<std::int64_t>>)
        for (const auto v : field) text += fmt::format("{},", v);
      else if constexpr (std::is_enum_v<Field>)
        text += fmt::format("{}", static_cast<int>(field));
      else
        text += fmt::format("{}", field);
      out.push_back(std::move(text));
    });
    return out;
  };
  const auto mine = texts(options), usual = texts(OperatorOptions{});
  std::string out;
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (mine[i] != usual[i]) out += (out.empty() ? "" : " ") + mine[i];
  return out;
}

/// How much alike two operators are. The same form is worth more than two that are half alike, so that a layer put in
/// front moves the others instead of being mixed with them. 0: they are not the same operator.
std::int64_t likeness(const LayerForm& a, const LayerForm& b) {
  constexpr std::int64_t kSame = 100, kParameters = 60, kWeights = 12, kOutputs = 12, kInputs = 8, kOptions = 8,
                         kKind = 2;
  if (a.kind != b.kind) return 0;
  const bool options = a.options == b.options, weights = a.weights == b.weights, inputs = a.inputs == b.inputs,
             outputs = a.outputs == b.outputs;
  if (options && weights && inputs && outputs) return kSame;
  if (options && weights && !a.weights.empty()) return kParameters;
  const bool alike = inputs || outputs || (weights && !a.weights.empty()) || (options && a.weights.empty());
  if (!alike) return 0;
  return kKind + (options ? kOptions : 0) + (inputs ? kInputs : 0) + (outputs ? kOutputs : 0) +
         (weights && !a.weights.empty() ? kWeights : 0);
}

/// Operators from the inputs to the outputs, each after what it reads: those of an operand together, the first operand
/// first. What is put into one branch moves nothing in another.
std::vector<int> wired_order(const Forms& forms) {
  std::vector<char> read(forms.size(), 0), done(forms.size(), 0);
  for (const auto& f : forms)
    for (const int from : f.from)
      if (from >= 0) read[static_cast<std::size_t>(from)] = 1;
  std::vector<int> order;
  struct Step {
    int node;
    std::size_t next;
  };
  std::vector<Step> stack;
  const auto enter = [&](int node) {
    if (node < 0 || done[static_cast<std::size_t>(node)]) return;
    done[static_cast<std::size_t>(node)] = 1;
    stack.push_back({node, 0});
  };
  for (std::size_t root = 0; root < forms.size(); ++root) {
    if (read[root]) continue;
    enter(static_cast<int>(root));
    while (!stack.empty()) {
      auto& top = stack.back();
      const auto& from = forms[static_cast<std::size_t>(top.node)].from;
      if (top.next < from.size()) {
        enter(from[top.next++]);
      } else {
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

bool reads(const LayerForm& f, int from) { return std::find(f.from.begin(), f.from.end(), from) != f.from.end(); }

/// The best common sequence: by likeness, then by neighbours that stay neighbours, then by names.
class Sequence {
 public:
  Sequence(const Forms& a, const Forms& b) : a_(a), b_(b), rows_(wired_order(a)), columns_(wired_order(b)) {}

  std::vector<int> matches() {
    const std::size_t n = rows_.size(), m = columns_.size();
    trace_.assign((n + 1) * (m + 1), 0);
    // Per row: the best with the last two matched to each other, and the best without.
    std::vector<std::int64_t> joined_above(m + 1, kNever), free_above(m + 1, 0), joined, free;
    for (std::size_t i = 1; i <= n; ++i) {
      joined.assign(m + 1, kNever), free.assign(m + 1, 0);
      for (std::size_t j = 1; j <= m; ++j) {
        auto& trace = trace_[i * (m + 1) + j];
        const auto up = std::max(joined_above[j], free_above[j]), left = std::max(joined[j - 1], free[j - 1]);
        free[j] = std::max(up, left);
        if (up < left) trace |= kFreeFromLeft;
        const auto worth = likeness(row(i), column(j));
        if (worth == 0) continue;
        const auto after_pair = joined_above[j - 1] + (neighbours(i, j) ? kNeighbours : 0);
        if (after_pair > free_above[j - 1]) trace |= kJoinedAfterPair;
        joined[j] =
            std::max(after_pair, free_above[j - 1]) + worth * kLikeness + (row(i).name == column(j).name ? kName : 0);
        if (joined[j] >= free[j]) trace |= kJoinedIsBest;
      }
      joined.swap(joined_above), free.swap(free_above);
    }
    return walk_back();
  }

 private:
  static constexpr std::int64_t kName = 1, kNeighbours = std::int64_t{1} << 14, kLikeness = std::int64_t{1} << 28,
                                kNever = -(std::int64_t{1} << 60);
  enum : std::uint8_t { kFreeFromLeft = 1, kJoinedAfterPair = 2, kJoinedIsBest = 4 };

  const LayerForm& row(std::size_t i) const { return a_[static_cast<std::size_t>(rows_[i - 1])]; }
  const LayerForm& column(std::size_t j) const { return b_[static_cast<std::size_t>(columns_[j - 1])]; }
  bool neighbours(std::size_t i, std::size_t j) const {
    return i > 1 && j > 1 && reads(row(i), rows_[i - 2]) && reads(column(j), columns_[j - 2]);
  }

  std::vector<int> walk_back() const {
    const std::size_t m = columns_.size();
    std::vector<int> out(a_.size(), -1);
    bool must_join = false, must_be_free = false;
    for (std::size_t i = rows_.size(), j = m; i > 0 && j > 0;) {
      const auto trace = trace_[i * (m + 1) + j];
      if (must_join || (!must_be_free && (trace & kJoinedIsBest))) {
        out[static_cast<std::size_t>(rows_[i - 1])] = columns_[j - 1];
        must_join = (trace & kJoinedAfterPair) != 0, must_be_free = !must_join;
        --i, --j;
      } else {
        (trace & kFreeFromLeft ? j : i) -= 1;
        must_be_free = false;
      }
    }
    return out;
  }

  const Forms &a_, &b_;
  std::vector<int> rows_, columns_;
  std::vector<std::uint8_t> trace_;
};

/// Joins what the common sequence left over, as branches that changed places, wherever neighbours are joined already.
class Leftovers {
 public:
  Leftovers(const Forms& a, const Forms& b, std::vector<int>& of_a)
      : a_(a), b_(b), of_a_(of_a), of_b_(b.size(), -1), read_a_(readers(a)), read_b_(readers(b)) {
    for (std::size_t i = 0; i < of_a.size(); ++i)
      if (of_a[i] >= 0) of_b_[static_cast<std::size_t>(of_a[i])] = static_cast<int>(i);
  }

  void join() {
    while (join_one()) {
    }
  }

 private:
  using Edges = std::vector<std::vector<int>>;

  static Edges readers(const Forms& forms) {
    Edges out(forms.size());
    for (std::size_t i = 0; i < forms.size(); ++i)
      for (const int from : forms[i].from)
        if (from >= 0) out[static_cast<std::size_t>(from)].push_back(static_cast<int>(i));
    return out;
  }

  int shared(const std::vector<int>& in_a, const std::vector<int>& in_b) const {
    int count = 0;
    for (const int i : in_a)
      if (i >= 0 && of_a_[static_cast<std::size_t>(i)] >= 0 &&
          std::find(in_b.begin(), in_b.end(), of_a_[static_cast<std::size_t>(i)]) != in_b.end())
        ++count;
    return count;
  }

  /// The two that are most alike among those with a joined neighbour. @returns whether there were any.
  bool join_one() {
    std::int64_t best = 0;
    std::size_t best_a = 0, best_b = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (of_a_[i] >= 0) continue;
      for (std::size_t j = 0; j < b_.size(); ++j) {
        if (of_b_[j] >= 0) continue;
        const auto alike = likeness(a_[i], b_[j]);
        const auto near = alike == 0 ? 0 : shared(a_[i].from, b_[j].from) + shared(read_a_[i], read_b_[j]);
        if (near == 0) continue;
        const auto worth = (alike * 64 + near) * 2 + (a_[i].name == b_[j].name ? 1 : 0);
        if (worth > best) best = worth, best_a = i, best_b = j;
      }
    }
    if (best == 0) return false;
    of_a_[best_a] = static_cast<int>(best_b), of_b_[best_b] = static_cast<int>(best_a);
    return true;
  }

  const Forms &a_, &b_;
  std::vector<int>& of_a_;
  std::vector<int> of_b_;
  Edges read_a_, read_b_;
};

}  // namespace

std::vector<LayerForm> layer_forms(const Network& n) {
  const auto summary = summarize(n);
  std::vector<int> maker(n.tensors.size(), -1);
  for (std::size_t o = 0; o < n.operators.size(); ++o)
    for (const int t : n.operators[o].outputs) maker[static_cast<std::size_t>(t)] = static_cast<int>(o);
  std::vector<LayerForm> out;
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const auto& op = n.operators[o];
    LayerForm f{op.name, type_of(op), options_of(op.options), {}, {}, {}, {}};
    for (const int t : op.inputs) {
      if (t < 0) continue;
      const auto& tensor = n.tensors[static_cast<std::size_t>(t)];
      if (tensor.kind == TensorKind::constant) {
        f.weights += form_of(tensor);
      } else {
        f.inputs += form_of(tensor);
        f.from.push_back(maker[static_cast<std::size_t>(t)]);
      }
    }
    for (const int t : summary.layers[o].outputs) f.outputs += form_of(n.tensors[static_cast<std::size_t>(t)]);
    out.push_back(std::move(f));
  }
  return out;
}

std::vector<int> align(const std::vector<LayerForm>& a, const std::vector<LayerForm>& b) {
  auto out = Sequence(a, b).matches();
  Leftovers(a, b, out).join();
  return out;
}

}  // namespace dse::nn
