// The order of the nodes of an ONNX graph, and each node's way into the network.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "models/nn/graph/price.h"
#include "models/nn/onnx/reader.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn::onnx_import {

std::string Reader::where(int node) const {
  const auto& n = graph_.node(node);
  return fmt::format("node {}{} ({})", node, n.name().empty() ? "" : " '" + n.name().substr(0, 128) + "'",
                     n.op_type().substr(0, 64));
}

bool Reader::report_cycle(const std::map<std::string, int>& makers, const std::vector<bool>& done) {
  // Every node that is left waits for another one that is left: following them leads into the cycle.
  std::vector<bool> seen(done.size());
  int at = static_cast<int>(std::find(done.begin(), done.end(), false) - done.begin());
  while (!seen[static_cast<std::size_t>(at)]) {
    seen[static_cast<std::size_t>(at)] = true;
    for (const auto& input : graph_.node(at).input()) {
      const auto maker = makers.find(input);
      if (maker == makers.end() || done[static_cast<std::size_t>(maker->second)]) continue;
      at = maker->second;
      break;
    }
  }
  return fail(where(at) + ": needs its own output, the graph has a cycle");
}

bool Reader::sort_nodes(std::vector<int>& order) {
  const int count = graph_.node_size();
  std::map<std::string, int> makers;
  for (int i = 0; i < count; ++i)
    for (const auto& output : graph_.node(i).output()) {
      if (output.empty()) continue;
      if (values_.count(output) || !makers.emplace(output, i).second)
        return fail(fmt::format("{}: its output '{}' is already made", where(i), output.substr(0, 128)));
    }
  std::vector<int> waiting(static_cast<std::size_t>(count), 0);
  std::vector<std::vector<int>> readers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    for (const auto& input : graph_.node(i).input()) {
      if (input.empty() || values_.count(input)) continue;
      const auto maker = makers.find(input);
      if (maker == makers.end())
        return fail(fmt::format("{}: its input '{}' is made by no node", where(i), input.substr(0, 128)));
      readers[static_cast<std::size_t>(maker->second)].push_back(i);
      ++waiting[static_cast<std::size_t>(i)];
    }
  // The file's order wherever it is one.
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; ++i)
    if (waiting[static_cast<std::size_t>(i)] == 0) ready.push(i);
  std::vector<bool> done(static_cast<std::size_t>(count));
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    order.push_back(i);
    done[static_cast<std::size_t>(i)] = true;
    for (const int r : readers[static_cast<std::size_t>(i)])
      if (--waiting[static_cast<std::size_t>(r)] == 0) ready.push(r);
  }
  return static_cast<int>(order.size()) == count || report_cycle(makers, done);
}

bool Reader::read_node(int index, int opset) {
  const auto& proto = graph_.node(index);
  Node n;
  n.proto = &proto;
  n.opset = opset;
  n.op.kind = OperatorKind::other;
  n.op.type = proto.op_type().substr(0, 64);
  if (!proto.name().empty() && node_names_[proto.name()] == 1) n.op.name = proto.name().substr(0, 128);
  for (const auto& input : proto.input()) {
    const auto value = values_.find(input);
    // An output that the standard does not give the node that claims it.
    if (!input.empty() && value == values_.end())
      return fail(fmt::format("{}: its input '{}' is no result of any operator", where(index), input.substr(0, 128)));
    n.inputs.push_back(input.empty() ? -1 : value->second);
  }
  if (proto.output_size() == 0 || proto.output_size() > 1024 || proto.input_size() > 1024)
    return fail(fmt::format("{}: has {} inputs and {} outputs", where(index), proto.input_size(), proto.output_size()));
  convert_node(n);
  if (!n.bad.empty()) return fail(where(index) + ": " + n.bad);
  return n.folded || finish_node(n, where(index));
}

void Reader::convert_node(Node& n) {
  const auto shapeless = std::find_if(n.inputs.begin(), n.inputs.end(), [&](int t) { return shapeless_.count(t) > 0; });
  if (shapeless != n.inputs.end()) {
    n.unsupported(fmt::format("the shape of its input '{}' is not known", tensor(*shapeless).name));
    return;
  }
  const auto foreign = std::find_if(n.inputs.begin(), n.inputs.end(), [&](int t) { return foreign_.count(t) > 0; });
  if (foreign != n.inputs.end()) {
    n.unsupported(foreign_.at(*foreign));
    return;
  }
  const std::string& domain = n.proto->domain();
  const bool one_result = n.proto->output_size() == 1 && !n.proto->output(0).empty();
  if (one_result && (domain.empty() || domain == "ai.onnx"))
    if (fold_constants(*this, n)) return;
  const Converter* c = find_converter(n.proto->op_type(), domain);
  if (!c) {
    n.unsupported("this operator is not supported");
    return;
  }
  const auto inputs = static_cast<int>(n.inputs.size());
  if (inputs < c->min_inputs || inputs > c->max_inputs) {
    n.fail(fmt::format("has {} inputs, expected {}{}", inputs, c->min_inputs,
                       c->min_inputs == c->max_inputs ? "" : fmt::format(" to {}", c->max_inputs)));
    return;
  }
  for (int i = 0; i < c->min_inputs; ++i)
    if (!n.has(static_cast<std::size_t>(i))) {
      n.fail(fmt::format("its input {} is left out", i));
      return;
    }
  for (int i = c->outputs; i < n.proto->output_size(); ++i)
    if (is_used(n.proto->output(i))) n.unsupported(fmt::format("its output {} is used", i));
  n.op.kind = c->kind;
  if (n.op.unsupported.empty()) lift_operands(n, c->kind);
  if (n.op.unsupported.empty() && !c->convert(*this, n)) n.fail("is malformed");
  if (!n.op.unsupported.empty()) n.op.kind = OperatorKind::other;
}

bool Reader::finish_node(Node& n, const std::string& where) {
  Operator& op = n.op;
  if (!n.operands_set) op.inputs = n.inputs;
  const bool runs = op.unsupported.empty();
  if (!runs) op.inputs.erase(std::remove(op.inputs.begin(), op.inputs.end(), -1), op.inputs.end());
  while (!op.inputs.empty() && op.inputs.back() < 0) op.inputs.pop_back();
  if (!runs && !options_.keep_unsupported && !options_.cut && !price_of(op, options_)) {
    // What follows from an operator that is not understood is not its own fault.
    const bool own = std::none_of(op.inputs.begin(), op.inputs.end(), [&](int t) { return shapeless_.count(t) > 0; });
    if (own) refuse(op, where);
  }
  return make_outputs(n, where);
}

void Reader::refuse(const Operator& op, const std::string& where) {
  const auto same = [&](const Refused& r) { return r.type == op.type && r.why == op.unsupported; };
  auto found = std::find_if(refused_.begin(), refused_.end(), same);
  if (found == refused_.end()) found = refused_.insert(refused_.end(), {op.type, op.unsupported, where, 0});
  ++found->count;
}

bool Reader::report_refused() {
  for (const auto& r : refused_)
    fail(fmt::format("{}: {}{}", r.first, r.why,
                     r.count == 1 ? "" : fmt::format("; so {} {} more", r.count == 2 ? "is" : "are", r.count - 1)));
  return refused_.empty();
}

bool Reader::make_outputs(Node& n, const std::string& where) {
  Operator& op = n.op;
  const bool runs = op.unsupported.empty();
  const Converter* c = runs ? find_converter(n.proto->op_type(), n.proto->domain()) : nullptr;
  const int count = c ? std::min(c->outputs, n.proto->output_size()) : n.proto->output_size();
  for (int i = 0; i < count; ++i) {
    const std::string& name = n.proto->output(i);
    Tensor t;
    t.name = name.empty() ? fresh_name("unnamed") : n.flat ? fresh_name(name) : name.substr(0, 256);
    t.type = n.type ? *n.type : op.inputs.empty() ? DataType::float32 : tensor(op.inputs[0]).type;
    if (static_cast<std::size_t>(i) < n.shapes.size()) t.shape = n.shapes[static_cast<std::size_t>(i)];
    if (n.quantization) t.quantization = *n.quantization;
    const auto info = infos_.find(name);
    bool known = runs;
    if (!runs && info != infos_.end()) {
      const auto& type = info->second->type().tensor_type();
      if (const auto element = element_type(type.elem_type())) t.type = *element;
      known = type.has_shape();
      for (const auto& d : type.shape().dim()) {
        t.shape.push_back(d.dim_value());
        known = known && d.dim_value() > 0 && d.dim_value() <= (1 << 24) && t.shape.size() <= 8;
      }
      if (!known) t.shape.clear();
    }
    const int index = add(std::move(t));
    if (!known) shapeless_.insert(index), network.tensors[static_cast<std::size_t>(index)].opaque = true;
    if (!known && !options_.keep_unsupported && !options_.cut && price_of(op, options_))
      fail(fmt::format("{}: cannot be priced: the shape of its output '{}' is not known", where, tensor(index).name));
    op.outputs.push_back(index);
    if (!add_value(name.empty() || n.flat ? tensor(index).name : name, index)) return false;
  }
  if (runs) {
    std::vector<Shape> shapes;
    std::string why;
    if (!infer_shapes(network, op, shapes, why)) return fail(where + ": " + why);
    if (shapes.size() != op.outputs.size())
      return fail(fmt::format("{}: has {} outputs, expected {}", where, op.outputs.size(), shapes.size()));
    for (std::size_t i = 0; i < shapes.size(); ++i) tensor(op.outputs[i]).shape = shapes[i];
  }
  network.operators.push_back(std::move(op));
  return !n.flat || squeeze_output(n.proto->output(0), network.operators.back().outputs[0]);
}

void Reader::remove_unused() {
  std::vector<bool> used(network.tensors.size());
  const auto mark = [&](const std::vector<int>& tensors) {
    for (const int t : tensors)
      if (t >= 0) used[static_cast<std::size_t>(t)] = true;
  };
  mark(network.inputs);
  mark(network.outputs);
  std::vector<Operator> kept;
  for (auto op = network.operators.rbegin(); op != network.operators.rend(); ++op) {
    const bool needed = std::any_of(op->outputs.begin(), op->outputs.end(),
                                    [&](int t) { return bool{used[static_cast<std::size_t>(t)]}; });
    if (!needed && op->unsupported.empty()) continue;
    mark(op->inputs);
    mark(op->outputs);
    kept.push_back(std::move(*op));
  }
  std::reverse(kept.begin(), kept.end());
  network.operators = std::move(kept);
  std::vector<int> place(used.size(), -1);
  std::vector<Tensor> tensors;
  for (std::size_t t = 0; t < used.size(); ++t) {
    if (!used[t]) continue;
    place[t] = static_cast<int>(tensors.size());
    tensors.push_back(std::move(network.tensors[t]));
  }
  network.tensors = std::move(tensors);
  const auto move = [&](std::vector<int>& indices) {
    for (int& t : indices)
      if (t >= 0) t = place[static_cast<std::size_t>(t)];
  };
  move(network.inputs);
  move(network.outputs);
  for (auto& op : network.operators) move(op.inputs), move(op.outputs);
}

}  // namespace dse::nn::onnx_import
