#include "models/nn/graph/check/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/nn/passes/rewrite.h"

namespace dse::nn {

void settle_outputs(Network& n) {
  std::set<int> taken;
  std::set<std::string> names;
  for (const Operator& op : n.operators) names.insert(op.name);
  const auto count = static_cast<int>(n.tensors.size());
  for (int& out : n.outputs) {
    if (out < 0 || out >= count) continue;
    const TensorKind kind = at(n, out).kind;
    const bool fresh = taken.insert(out).second;
    if (kind == TensorKind::activation && fresh) continue;
    Tensor like = at(n, out);
    like.kind = TensorKind::activation;
    like.data.clear(), like.fill.reset();
    Operator copy;
    copy.kind = kind == TensorKind::variable ? OperatorKind::read_variable : OperatorKind::reshape;
    for (int i = 0; copy.name.empty() || !names.insert(copy.name).second; ++i)
      copy.name = fmt::format("output_copy{}", i);
    copy.inputs = {out};
    out = add_tensor(n, like, "/copy");
    copy.outputs = {out};
    n.operators.push_back(std::move(copy));
  }
}

namespace {

const char* words_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::input:
      return "an input";
    case TensorKind::activation:
      return "made by an operator or by nobody";
    case TensorKind::constant:
      return "a constant";
    case TensorKind::variable:
      return "a variable";
  }
  return "";
}

}  // namespace

bool check_ports(const Network& n, const std::vector<bool>& made, const std::string& file, Diagnostics& diags) {
  bool ok = true;
  const auto fail = [&](const std::string& what) {
    diags.error({file, 0, 0}, what);
    ok = false;
  };
  const auto count = static_cast<int>(n.tensors.size());
  std::set<int> given;
  const auto check = [&](const std::vector<int>& ports, const char* role, bool is_input) {
    for (const int t : ports) {
      if (t < 0 || t >= count) {
        fail(fmt::format("network {} is tensor {}, but there are {} tensors", role, t, count));
      } else if (is_input && at(n, t).kind != TensorKind::input) {
        fail(fmt::format("network input '{}' is {}", at(n, t).name, words_of(at(n, t).kind)));
      } else if (is_input && !given.insert(t).second) {
        fail(fmt::format("network input '{}' is listed twice", at(n, t).name));
      } else if (!made[static_cast<std::size_t>(t)]) {
        fail(fmt::format("network {} '{}' is never made", role, at(n, t).name));
      }
    }
  };
  check(n.inputs, "input", true);
  for (int t = 0; t < count; ++t)
    if (at(n, t).kind == TensorKind::input && given.count(t) == 0)
      fail(fmt::format("tensor {} ('{}') is of kind input, but the network does not list it as one", t, at(n, t).name));
  check(n.outputs, "output", false);
  return ok;
}

}  // namespace dse::nn
