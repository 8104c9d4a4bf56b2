#include "models/nn/graph/check/tensors.h"

#include <fmt/format.h>

#include "models/nn/graph/derivation.h"

namespace dse::nn {
namespace {

/// Tensors that something reads or makes: others (what is internal to an operator, say) may be without elements.
std::vector<bool> used_tensors(const Network& n) {
  std::vector<bool> used(n.tensors.size());
  const auto mark = [&](const std::vector<int>& tensors) {
    for (const int t : tensors)
      if (t >= 0 && static_cast<std::size_t>(t) < used.size()) used[static_cast<std::size_t>(t)] = true;
  };
  mark(n.inputs), mark(n.outputs);
  for (const Operator& op : n.operators) mark(op.inputs), mark(op.outputs);
  return used;
}

}  // namespace

bool check_tensors(const Network& n, const std::string& file, Diagnostics& diags) {
  bool ok = true;
  const std::vector<bool> used = used_tensors(n);
  for (std::size_t i = 0; i < n.tensors.size(); ++i) {
    const Tensor& t = n.tensors[i];
    const auto fail = [&](const std::string& what) {
      diags.error({file, 0, 0}, fmt::format("tensor {} ('{}'): {}", i, t.name, what));
      ok = false;
    };
    std::int64_t elements = 1;
    const std::int64_t limit = t.kind == TensorKind::constant ? max_constant_elements : max_elements;
    const std::int64_t least = used[i] ? 1 : 0;
    for (const auto d : t.shape) {
      if (d < least || (elements > 0 && d > limit / elements)) {
        fail(d < least ? fmt::format("shape {} has an extent below {}", text_of(t.shape), least)
                       : fmt::format("shape {} has more than {} M elements", text_of(t.shape), limit >> 20));
        elements = -1;
        break;
      }
      elements *= d;
    }
    if (t.fill && (t.kind != TensorKind::constant || !t.data.empty())) fail("only a constant without data has a fill");
    if (t.fill && !t.opaque && t.type != DataType::float32) fail("only a float32 constant has a fill");
    if (elements > 0 && t.kind == TensorKind::variable && !t.data.empty() &&
        static_cast<std::int64_t>(t.data.size()) != t.bytes())
      fail(fmt::format("variable starts with {} bytes, shape {} needs {}", t.data.size(), text_of(t.shape), t.bytes()));
    if (elements >= 0 && t.kind == TensorKind::constant && !t.fill &&
        static_cast<std::int64_t>(t.data.size()) != t.bytes())
      fail(fmt::format("constant has {} bytes of data, shape {} needs {}", t.data.size(), text_of(t.shape), t.bytes()));
  }
  return ok;
}

}  // namespace dse::nn
