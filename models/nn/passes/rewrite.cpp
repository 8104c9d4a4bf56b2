#include "models/nn/passes/rewrite.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"

namespace dse::nn {

Network unfinished(Network n) {
  for (auto& op : n.operators) {
    op.evaluation = Evaluation::none;
    op.kernel = {};
    op.calls.clear();
    op.channel_params.clear();
    op.table.clear();
    op.weights.clear();
    op.macs = 0;
    op.sum_bits = 0;
    op.cycles = -1;
  }
  return n;
}

Uses::Uses(const Network& n) : maker(n.tensors.size(), -1), readers(n.tensors.size()), is_output(n.tensors.size()) {
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    for (const int t : n.operators[o].inputs)
      if (t >= 0) readers[static_cast<std::size_t>(t)].push_back(static_cast<int>(o));
    for (const int t : n.operators[o].outputs)
      if (t >= 0) maker[static_cast<std::size_t>(t)] = static_cast<int>(o);
  }
  for (const int t : n.outputs) is_output[static_cast<std::size_t>(t)] = true;
}

int Uses::only_reader(int tensor) const {
  const auto i = static_cast<std::size_t>(tensor);
  return readers[i].size() == 1 && !is_output[i] ? readers[i][0] : -1;
}

int add_tensor(Network& n, const Tensor& like, const std::string& suffix) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(n.tensors.begin(), n.tensors.end(), [&](const Tensor& t) { return t.name == name; });
  };
  Tensor t = like;
  t.name += suffix;
  for (int i = 1; taken(t.name); ++i) t.name = like.name + suffix + std::to_string(i);
  n.tensors.push_back(std::move(t));
  return static_cast<int>(n.tensors.size()) - 1;
}

int add_constant(Network& n, const std::string& name, std::vector<std::int64_t> shape,
                 const std::vector<float>& values) {
  Tensor t;
  t.name = name;
  t.shape = std::move(shape);
  t.type = DataType::float32;
  t.kind = TensorKind::constant;
  set_values(t, values);
  return add_tensor(n, t, "");
}

bool well_wired(const Network& n) {
  const auto there = [&](int t) { return t >= 0 && static_cast<std::size_t>(t) < n.tensors.size(); };
  const auto there_or_left_out = [&](int t) { return t == -1 || there(t); };
  return std::all_of(n.inputs.begin(), n.inputs.end(), there) &&
         std::all_of(n.outputs.begin(), n.outputs.end(), there) &&
         std::all_of(n.operators.begin(), n.operators.end(), [&](const Operator& op) {
           return std::all_of(op.inputs.begin(), op.inputs.end(), there_or_left_out) &&
                  std::all_of(op.outputs.begin(), op.outputs.end(), there);
         });
}

void replace_reads(Network& n, int from, int to) {
  for (auto& op : n.operators) std::replace(op.inputs.begin(), op.inputs.end(), from, to);
  std::replace(n.outputs.begin(), n.outputs.end(), from, to);
}

void remove_dead(Network& n, const std::vector<bool>& dead) {
  std::vector<bool> used(n.tensors.size());
  const auto mark = [&](const std::vector<int>& tensors) {
    for (const int t : tensors)
      if (t >= 0) used[static_cast<std::size_t>(t)] = true;
  };
  mark(n.inputs);
  mark(n.outputs);
  std::vector<Operator> kept;
  for (std::size_t o = n.operators.size(); o-- > 0;) {
    Operator& op = n.operators[o];
    if (o < dead.size() && dead[o]) continue;
    // What cannot be run is kept for show; what writes a variable has an effect.
    const bool needed = std::any_of(op.outputs.begin(), op.outputs.end(), [&](int t) {
      return used[static_cast<std::size_t>(t)] || at(n, t).kind == TensorKind::variable;
    });
    if (!needed && op.unsupported.empty() && !op.outputs.empty()) continue;
    mark(op.inputs);
    mark(op.outputs);
    kept.push_back(std::move(op));
  }
  std::reverse(kept.begin(), kept.end());
  n.operators = std::move(kept);
  std::vector<int> place(used.size(), -1);
  std::vector<Tensor> tensors;
  for (std::size_t t = 0; t < used.size(); ++t) {
    if (!used[t]) continue;
    place[t] = static_cast<int>(tensors.size());
    tensors.push_back(std::move(n.tensors[t]));
  }
  n.tensors = std::move(tensors);
  const auto move = [&](std::vector<int>& indices) {
    for (int& t : indices)
      if (t >= 0) t = place[static_cast<std::size_t>(t)];
  };
  move(n.inputs);
  move(n.outputs);
  for (auto& op : n.operators) move(op.inputs), move(op.outputs);
}

void drop_unused_tensors(Network& n) {
  std::vector<int> place(n.tensors.size(), -1);
  const auto mark = [&](const std::vector<int>& tensors) {
    for (const int t : tensors)
      if (t >= 0) place[static_cast<std::size_t>(t)] = 0;
  };
  mark(n.inputs), mark(n.outputs);
  for (const Operator& op : n.operators) mark(op.inputs), mark(op.outputs);
  std::vector<Tensor> kept;
  for (std::size_t t = 0; t < place.size(); ++t) {
    if (place[t] < 0) continue;
    place[t] = static_cast<int>(kept.size());
    kept.push_back(std::move(n.tensors[t]));
  }
  n.tensors = std::move(kept);
  const auto move = [&](std::vector<int>& tensors) {
    for (int& t : tensors)
      if (t >= 0) t = place[static_cast<std::size_t>(t)];
  };
  move(n.inputs), move(n.outputs);
  for (Operator& op : n.operators) move(op.inputs), move(op.outputs);
}

bool keeps_order(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& permutation) {
  std::int64_t last = -1;
  for (const auto d : permutation) {
    if (shape[static_cast<std::size_t>(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

Tensor permuted(const Tensor& t, const std::vector<std::int64_t>& permutation) {
  Tensor out = t;
  const std::size_t rank = t.shape.size();
  for (std::size_t d = 0; d < rank; ++d) {
    out.shape[d] = t.shape[static_cast<std::size_t>(permutation[d])];
    if (t.quantization.scale.size() > 1 && permutation[d] == t.quantization.axis)
      out.quantization.axis = static_cast<int>(d);
  }
  if (t.kind != TensorKind::constant || keeps_order(t.shape, permutation)) return out;
  if (t.fill && t.fill->kind == Fill::Kind::value) return out;
  if (t.fill) set_values(out, values_of(t));
  const std::vector<std::uint8_t> from = out.data;
  const auto size = static_cast<std::size_t>(size_of(t.type));
  std::vector<std::size_t> stride(rank, size), step(rank), index(rank, 0);
  for (std::size_t d = rank; d-- > 1;) stride[d - 1] = stride[d] * static_cast<std::size_t>(t.shape[d]);
  for (std::size_t d = 0; d < rank; ++d) step[d] = stride[static_cast<std::size_t>(permutation[d])];
  std::size_t source = 0;
  for (std::size_t to = 0; to < out.data.size(); to += size) {
    std::memcpy(out.data.data() + to, from.data() + source, size);
    for (std::size_t d = rank; d-- > 0;) {
      source += step[d];
      if (++index[d] < static_cast<std::size_t>(out.shape[d])) break;
      source -= step[d] * index[d];
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace dse::nn
