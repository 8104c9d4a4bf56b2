#include "tests/verify/odd_graphs.h"

#include <algorithm>

#include "models/nn/passes/passes.h"
#include "tests/nn/tflite/tflite_writer.h"

namespace dse::test {
namespace {

using nn::Network;
using nn::Operator;
using nn::OperatorKind;
using nn::Tensor;
using nn::TensorKind;

Tensor& tensor(Network& n, int t) { return n.tensors[static_cast<std::size_t>(t)]; }

int add(Network& n, const std::string& name, TensorKind kind, std::vector<std::int64_t> shape = {1, 4}) {
  Tensor t;
  t.name = name, t.shape = std::move(shape), t.kind = kind, t.quantization = {{0.5f}, {0}, 0};
  if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.elements()), 3);
  n.tensors.push_back(std::move(t));
  return static_cast<int>(n.tensors.size()) - 1;
}

void add(Network& n, OperatorKind kind, std::vector<int> inputs, int output) {
  Operator op;
  op.kind = kind, op.inputs = std::move(inputs), op.outputs = {output};
  n.operators.push_back(std::move(op));
}

std::vector<int> of_kind(const Network& n, TensorKind kind) {
  std::vector<int> out;
  for (std::size_t t = 0; t < n.tensors.size(); ++t)
    if (n.tensors[t].kind == kind) out.push_back(static_cast<int>(t));
  return out;
}

template <class T>
T& any_of(std::vector<T>& list, Random& r) {
  return list[static_cast<std::size_t>(pick(r, 0, static_cast<int>(list.size()) - 1))];
}

int made(Network& n, Random& r) {
  auto tensors = of_kind(n, TensorKind::activation);
  return tensors.empty() ? add(n, "lonely", TensorKind::activation) : any_of(tensors, r);
}

/// A tensor like `t` made by an operator that nobody reads.
int sink(Network& n, int t) {
  const Tensor like = tensor(n, t);
  const int out = add(n, "nobody" + std::to_string(n.tensors.size()), TensorKind::activation, like.shape);
  tensor(n, out).type = like.type, tensor(n, out).quantization = like.quantization;
  add(n, OperatorKind::relu, {t}, out);
  return out;
}

struct Way {
  const char* what;
  void (*bend)(Network&, Random&);
  bool wires = false;
};

const Way ways[] = {
    {"an input is an output too", [](Network& n, Random&) { n.outputs.push_back(n.inputs[0]); }},
    {"the input is the output", [](Network& n, Random&) { n.outputs = n.inputs; }},
    {"an output twice", [](Network& n, Random&) { n.outputs.push_back(n.outputs.front()); }},
    {"an output four times", [](Network& n, Random&) { n.outputs.insert(n.outputs.begin(), 3, n.outputs.back()); }},
    {"an intermediate output", [](Network& n, Random& r) { n.outputs.insert(n.outputs.begin(), made(n, r)); }},
    {"a constant output",
     [](Network& n, Random&) {
       n.outputs.push_back(add(n, "c", TensorKind::constant, {1, 5}));
     }},
    {"only a constant output",
     [](Network& n, Random&) {
       n.outputs = {add(n, "c", TensorKind::constant, {2, 3})};
     }},
    {"weights as an output",
     [](Network& n, Random& r) {
       auto constants = of_kind(n, TensorKind::constant);
       if (!constants.empty()) n.outputs.push_back(any_of(constants, r));
     }},
    {"an output that nobody makes",
     [](Network& n, Random&) { n.outputs.push_back(add(n, "nowhere", TensorKind::activation)); }},
    {"only an output that nobody makes",
     [](Network& n, Random&) { n.outputs = {add(n, "nowhere", TensorKind::activation)}; }},
    {"an input twice", [](Network& n, Random&) { n.inputs.push_back(n.inputs[0]); }},
    {"an input that nobody reads", [](Network& n, Random&) { n.inputs.push_back(add(n, "idle", TensorKind::input)); }},
    {"first an input that nobody reads",
     [](Network& n, Random&) {
       n.inputs.insert(n.inputs.begin(), add(n, "idle", TensorKind::input, {1, 7, 3, 2}));
     }},
    {"an input that nobody reads is an output",
     [](Network& n, Random&) {
       n.inputs.push_back(add(n, "idle", TensorKind::input));
       n.outputs.insert(n.outputs.begin(), n.inputs.back());
     }},
    {"no input", [](Network& n, Random&) { n.inputs.clear(); }},
    {"no output", [](Network& n, Random&) { n.outputs.clear(); }},
    {"an operator whose output nobody reads", [](Network& n, Random& r) { sink(n, made(n, r)); }},
    {"operators in a row that nobody reads", [](Network& n, Random& r) { sink(n, sink(n, made(n, r))); }},
    {"an operator on the input that nobody reads", [](Network& n, Random&) { sink(n, n.inputs[0]); }},
    {"no operators", [](Network& n, Random&) { n.operators.clear(); }},
    {"no operators, the input is the output",
     [](Network& n, Random&) {
       n.operators.clear();
       n.outputs = n.inputs;
     }},
    {"a constant as an input", [](Network& n, Random&) { n.inputs.push_back(add(n, "c", TensorKind::constant)); }},
    {"a made tensor as an input", [](Network& n, Random& r) { n.inputs.push_back(made(n, r)); }},
    {"an operator reads what it makes",
     [](Network& n, Random& r) {
       if (n.operators.empty()) return;
       Operator& op = any_of(n.operators, r);
       op.inputs[0] = op.outputs[0];
     },
     true},
    {"an operator twice",
     [](Network& n, Random& r) {
       if (!n.operators.empty()) n.operators.push_back(any_of(n.operators, r));
     },
     true},
    {"an operator is missing",
     [](Network& n, Random& r) {
       if (!n.operators.empty())
         n.operators.erase(n.operators.begin() + pick(r, 0, static_cast<int>(n.operators.size()) - 1));
     },
     true},
    {"operators in the wrong order", [](Network& n, Random&) { std::reverse(n.operators.begin(), n.operators.end()); },
     true},
    {"an output index below 0", [](Network& n, Random&) { n.outputs[0] = -1; }},
    {"an output index beyond the tensors", [](Network& n, Random&) { n.outputs.push_back(9999); }},
    {"an input index beyond the tensors", [](Network& n, Random&) { n.inputs.push_back(9999); }},
    {"an operator makes the input",
     [](Network& n, Random& r) {
       if (!n.operators.empty()) any_of(n.operators, r).outputs[0] = n.inputs[0];
     },
     true},
    {"an operator makes a constant",
     [](Network& n, Random& r) {
       const int c = add(n, "c", TensorKind::constant);
       if (!n.operators.empty()) any_of(n.operators, r).outputs[0] = c;
     },
     true},
    {"an input that is not listed", [](Network& n, Random&) { add(n, "hidden", TensorKind::input); }},
    {"an input that is not listed is read",
     [](Network& n, Random&) { n.outputs.push_back(sink(n, add(n, "hidden", TensorKind::input))); }},
    {"a variable as an output",
     [](Network& n, Random&) { n.outputs.push_back(add(n, "state", TensorKind::variable)); }},
    {"a variable as an input", [](Network& n, Random&) { n.inputs.push_back(add(n, "state", TensorKind::variable)); }},
    {"an operator on constants alone",
     [](Network& n, Random&) { n.outputs.push_back(sink(n, add(n, "c", TensorKind::constant))); }},
    {"an operator on constants that nobody reads",
     [](Network& n, Random&) { sink(n, add(n, "c", TensorKind::constant)); }},
    {"an operator without inputs",
     [](Network& n, Random& r) {
       if (!n.operators.empty()) any_of(n.operators, r).inputs.clear();
     },
     true},
    {"an operator without outputs",
     [](Network& n, Random& r) {
       if (!n.operators.empty()) any_of(n.operators, r).outputs.clear();
     },
     true},
    {"an input left out where it must not be",
     [](Network& n, Random& r) {
       if (!n.operators.empty() && !n.operators.front().inputs.empty()) any_of(n.operators, r).inputs[0] = -1;
     }},
    {"a tensor without elements", [](Network& n, Random& r) { tensor(n, made(n, r)).shape[0] = 0; }},
    {"an output of rank 0",
     [](Network& n, Random&) { n.outputs.push_back(add(n, "scalar", TensorKind::constant, {})); }},
};

nn::NetworkPtr base(std::uint64_t seed) {
  if (seed % 4 == 0) return nn::test::every_operator();
  if (seed % 4 == 1) return nn::test::running_sum(5);
  Random random(seed);
  return random_network(random);
}

}  // namespace

bool bends_wires(int way) { return ways[way].wires; }

int odd_ways() { return static_cast<int>(std::size(ways)); }

std::string bend(Network& n, int way, Random& random) {
  const Way& w = ways[way];
  // What an earlier bend took away cannot be bent.
  if (n.inputs.empty() || n.outputs.empty()) return std::string();
  for (const auto* ports : {&n.inputs, &n.outputs})
    for (const int t : *ports)
      if (t < 0 || static_cast<std::size_t>(t) >= n.tensors.size()) return std::string();
  w.bend(n, random);
  return w.what;
}

OddGraph odd_graph(std::uint64_t seed) {
  const auto count = static_cast<std::uint64_t>(odd_ways());
  const auto network = base(seed < 4 * count ? seed / count : seed);
  Random random(seed);
  OddGraph g{network->name, nn::unfinished(*network)};
  const int times = seed < 4 * count ? 1 : pick(random, 2, 3);
  for (int i = 0; i < times; ++i) {
    const int way = times == 1 ? static_cast<int>(seed % count) : pick(random, 0, odd_ways() - 1);
    if (const auto what = bend(g.network, way, random); !what.empty()) g.what += "; " + what;
  }
  return g;
}

}  // namespace dse::test
