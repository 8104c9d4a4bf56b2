// Operators of ONNX that repeat or pick elements, by operators that only move values.
#include <fmt/format.h>

#include "models/nn/graph/derivation.h"
#include "models/nn/graph/gather.h"
#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {

/// Repeated along one dimension it is laid end to end.
bool convert_tile(Reader& r, Node& n) {
  const Shape& in = r.shape(n, 0);
  const auto times = r.integers(n.inputs[1]);
  if (!times) return n.unsupported("its repeats are not constant");
  n.op.inputs = {n.inputs[0]};
  n.operands_set = true;
  if (times->size() != in.size()) return n.fail(fmt::format("its repeats are not those of {}", text_of(in)));
  std::vector<std::size_t> stretched;
  for (std::size_t d = 0; d < in.size(); ++d)
    if ((*times)[d] != 1) stretched.push_back(d);
  if (stretched.empty()) return true;
  if (stretched.size() == 1 && repeat_by_moves(n.op, stretched[0], (*times)[stretched[0]])) return true;
  return n.unsupported(fmt::format("{} repeated {} times", text_of(in), text_of(*times)));
}

bool convert_gather(Reader& r, Node& n) {
  const Shape in = r.shape(n, 0), picks = r.shape(n, 1);
  std::int64_t axis = n.integer("axis", 0);
  if (!normalise_axis(n, axis, in.size())) return false;
  auto indices = r.integers(n.inputs[1]);
  if (!indices || indices->empty() || picks.size() > 1)
    return n.unsupported(picks.size() > 1 ? "indices of several dimensions" : "its indices are not constant");
  const auto at = static_cast<std::size_t>(axis);
  for (auto& i : *indices) {
    if (i < -in[at] || i >= in[at]) return n.fail(fmt::format("index {} is outside the {} elements", i, in[at]));
    if (i < 0) i += in[at];
  }
  n.operands_set = true;
  n.op.inputs = {n.inputs[0]};
  if (!gather_by_moves(r.network, n.op, n.inputs[0], at, *indices, picks.empty(),
                       [&] { return r.fresh_name("picked"); }))
    return n.unsupported("indices that no few slices are");
  Shape out = in;
  out[at] = static_cast<std::int64_t>(indices->size());
  if (n.op.kind == OperatorKind::reshape) n.shapes = {out};
  return true;
}

}  // namespace dse::nn::onnx_import
