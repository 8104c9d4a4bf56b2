#include "models/nn/graph/gather.h"

#include <algorithm>
#include <numeric>

namespace dse::nn {
namespace {

using Shape = std::vector<std::int64_t>;
using K = OperatorKind;
constexpr std::size_t max_runs = 16;
constexpr std::int64_t max_copies = 64;

/// Evenly spaced indices.
struct Run {
  std::int64_t first = 0, step = 1, count = 0;
};

std::vector<Run> runs_of(const Shape& indices) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < indices.size();) {
    Run run{indices[i], 1, 1};
    if (i + 1 < indices.size() && indices[i + 1] != indices[i]) run.step = indices[i + 1] - indices[i];
    while (i + static_cast<std::size_t>(run.count) < indices.size() &&
           indices[i + static_cast<std::size_t>(run.count)] == run.first + run.count * run.step)
      ++run.count;
    i += static_cast<std::size_t>(run.count);
    runs.push_back(run);
  }
  return runs;
}

/// The number of groups whose channels are dealt out in turn; 0 where that is not what the indices do.
std::int64_t groups_of(const Shape& indices, std::int64_t extent) {
  if (static_cast<std::int64_t>(indices.size()) != extent) return 0;
  for (std::int64_t g = 2; 2 * g <= extent; ++g) {
    if (extent % g != 0) continue;
    bool equal = true;
    for (std::int64_t i = 0; equal && i < extent; ++i)
      equal = indices[static_cast<std::size_t>(i)] == i % g * (extent / g) + i / g;
    if (equal) return g;
  }
  return 0;
}

class Moves {
 public:
  Moves(Network& n, const std::string& type, const std::function<std::string()>& fresh_name)
      : n_(n), type_(type), fresh_name_(fresh_name) {}

  int append(Operator op, int from, Shape shape) {
    Tensor t;
    t.type = n_.tensors[static_cast<std::size_t>(from)].type;
    t.quantization = n_.tensors[static_cast<std::size_t>(from)].quantization;
    t.shape = std::move(shape);
    t.name = fresh_name_();
    n_.tensors.push_back(std::move(t));
    const auto made = static_cast<int>(n_.tensors.size()) - 1;
    op.type = type_;
    op.inputs = {from};
    op.outputs = {made};
    n_.operators.push_back(std::move(op));
    return made;
  }

 private:
  Network& n_;
  const std::string type_;
  const std::function<std::string()>& fresh_name_;
};

Operator slice_of(const Shape& in, std::size_t axis, const Run& run) {
  Operator op;
  op.kind = K::strided_slice;
  op.options.begin.assign(in.size(), 0);
  op.options.end = in;
  op.options.strides.assign(in.size(), 1);
  op.options.begin[axis] = run.first;
  op.options.strides[axis] = run.step;
  op.options.end[axis] = run.first + (run.count - 1) * run.step + (run.step > 0 ? 1 : -1);
  return op;
}

/// `op` becomes `last`, which reads `inputs`.
void finish(Operator& op, const Operator& last, std::vector<int> inputs) {
  op.kind = last.kind;
  op.options = last.options;
  op.inputs = std::move(inputs);
}

}  // namespace

bool gather_by_moves(Network& n, Operator& op, int from, std::size_t axis, const std::vector<std::int64_t>& indices,
                     bool scalar, const std::function<std::string()>& fresh_name) {
  const Shape in = n.tensors[static_cast<std::size_t>(from)].shape;
  Moves moves(n, op.type, fresh_name);
  const auto runs = runs_of(indices);
  if (runs.empty()) return false;
  const auto sliced = [&](const Run& run) {
    Shape out = in;
    out[axis] = run.count;
    return moves.append(slice_of(in, axis, run), from, std::move(out));
  };
  if (scalar) {
    Operator squeeze;
    squeeze.kind = K::squeeze;
    squeeze.options.axes = {static_cast<std::int64_t>(axis)};
    finish(op, squeeze, {sliced(runs[0])});
    return true;
  }
  if (runs.size() == 1) return finish(op, slice_of(in, axis, runs[0]), {from}), true;
  if (const std::int64_t groups = groups_of(indices, in[axis]); groups > 0 && in.size() < 6) {
    const auto at = static_cast<std::ptrdiff_t>(axis);
    Shape split = in, order(in.size() + 1);
    split[axis] = groups;
    split.insert(split.begin() + at + 1, in[axis] / groups);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::swap(order[axis], order[axis + 1]);
    Operator reshape, transpose;
    reshape.kind = K::reshape;
    transpose.kind = K::transpose;
    transpose.options.permutation = order;
    const int apart = moves.append(reshape, from, split);
    std::swap(split[axis], split[axis + 1]);
    finish(op, reshape, {moves.append(transpose, apart, split)});
    return true;
  }
  if (runs.size() > max_runs) return false;
  std::vector<int> parts;
  for (const Run& run : runs) parts.push_back(sliced(run));
  Operator join;
  join.kind = K::concatenation;
  join.options.axis = static_cast<int>(axis);
  finish(op, join, std::move(parts));
  return true;
}

bool repeat_by_moves(Operator& op, std::size_t axis, std::int64_t copies) {
  if (copies < 1 || copies > max_copies) return false;
  op.kind = K::concatenation;
  op.options.axis = static_cast<int>(axis);
  op.inputs.assign(static_cast<std::size_t>(copies), op.inputs[0]);
  return true;
}

std::vector<std::uint8_t> repeated(const std::vector<std::uint8_t>& data, const std::vector<std::int64_t>& in,
                                   const std::vector<std::int64_t>& out, std::int64_t size) {
  const std::int64_t elements = std::accumulate(out.begin(), out.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::uint8_t> to;
  to.reserve(static_cast<std::size_t>(elements * size));
  for (std::int64_t i = 0; i < elements; ++i) {
    std::int64_t rest = i, source = 0, stride = 1;
    for (std::size_t d = out.size(); d-- > 0; rest /= out[d], stride *= in[d]) source += rest % out[d] % in[d] * stride;
    to.insert(to.end(), data.begin() + source * size, data.begin() + (source + 1) * size);
  }
  return to;
}

}  // namespace dse::nn
