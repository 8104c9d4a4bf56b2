#include "models/nn/tflite/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/nn/graph/derivation.h"
#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/names.h"

namespace dse::nn {

namespace fb = tflite;

namespace {

std::int32_t code_of(const fb::Model& model, const fb::Operator& op) {
  if (op.opcode_index() >= length(model.operator_codes())) return -1;
  const fb::OperatorCode& code = *model.operator_codes()->Get(op.opcode_index());
  return std::max<std::int32_t>(code.deprecated_builtin_code(), code.builtin_code());
}

/// A variable without a value of its own starts with every byte at its zero point, as interpreters for microcontrollers
/// do it; those of INT8 by initial_state().
void fill_with_zero_point(Tensor& variable) {
  const auto& zeros = variable.quantization.zero_point;
  if (variable.type != DataType::uint8 || zeros.empty() || zeros[0] == 0) return;
  std::int64_t elements = 1;
  for (const auto d : variable.shape) {
    if (d < 1 || d > max_elements / elements) return;  // refused for its shape
    elements *= d;
  }
  variable.data.assign(static_cast<std::size_t>(elements), static_cast<std::uint8_t>(zeros[0]));
}

void refuse(Operator& op, const std::string& why) {
  op.kind = OperatorKind::other;
  op.unsupported = why;
}

}  // namespace

bool TfliteVariables::name_of(const fb::Operator& from, Name& name) {
  const auto* options = from.builtin_options_as_VarHandleOptions();
  if (!options) return false;
  if (options->container()) name.first = options->container()->str().substr(0, max_tflite_name);
  if (options->shared_name()) name.second = options->shared_name()->str().substr(0, max_tflite_name);
  return reading_.spend(name.first.size() + name.second.size());
}

std::string TfliteVariables::handle(const fb::Operator& from) {
  Name name;
  if (!name_of(from, name)) return "its options are missing or of another operator";
  if (length(from.outputs()) != 1) return "makes not one handle";
  const int out = from.outputs()->Get(0);
  if (!reading_.valid(out)) return "its output is not a tensor";
  if (reading_.network.tensors[static_cast<std::size_t>(out)].kind != TensorKind::activation || handles_.count(out))
    return "its output is made elsewhere";
  handles_[out] = tensors_.emplace(std::move(name), out).first->second;
  return {};
}

std::string TfliteVariables::call_once(const fb::Operator& from) {
  const auto* options = from.builtin_options_as_CallOnceOptions();
  if (!options) return "its options are missing or of another operator";
  const auto* graphs = reading_.model.subgraphs();
  const std::int64_t index = options->init_subgraph_index();
  if (index < 1 || index >= static_cast<std::int64_t>(length(graphs))) return fmt::format("calls subgraph {}", index);
  const fb::SubGraph& graph = *graphs->Get(static_cast<flatbuffers::uoffset_t>(index));
  std::map<std::int32_t, Name> handles;
  for (flatbuffers::uoffset_t i = 0; i < length(graph.operators()); ++i) {
    const fb::Operator& op = *graph.operators()->Get(i);
    const std::int32_t code = code_of(reading_.model, op);
    if (code == builtin::var_handle) {
      Name name;
      if (length(op.outputs()) != 1 || !name_of(op, name)) return "its subgraph makes a handle without a name";
      handles[op.outputs()->Get(0)] = name;
      continue;
    }
    if (code != builtin::assign_variable)
      return fmt::format("its subgraph does more than assign constants: {}", builtin_operator_name(code));
    if (length(op.inputs()) != 2) return "its subgraph assigns without a value";
    const auto handle = handles.find(op.inputs()->Get(0));
    const std::int32_t value = op.inputs()->Get(1);
    if (handle == handles.end() || value < 0 || static_cast<std::size_t>(value) >= length(graph.tensors()))
      return "its subgraph assigns what it does not have";
    std::string problem;
    const fb::Tensor& tensor = *graph.tensors()->Get(static_cast<flatbuffers::uoffset_t>(value));
    Tensor initial = read_tflite_tensor(reading_, tensor, fmt::format("subgraph {} tensor {}", index, value), problem);
    if (reading_.failed) return "its subgraph cannot be read";
    if (!problem.empty()) return "its subgraph's " + problem;
    const auto known = tensors_.find(handle->second);
    if (known != tensors_.end() &&
        reading_.network.tensors[static_cast<std::size_t>(known->second)].kind == TensorKind::variable)
      return fmt::format("its subgraph assigns variable '{}', which is used before", handle->second.second);
    if (initial.kind != TensorKind::constant)
      return fmt::format("its subgraph assigns '{}', which is no constant", initial.name);
    initial_[handle->second] = std::move(initial);
  }
  return {};
}

int TfliteVariables::variable(int handle, int value, Operator& op) {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) {
    refuse(op, "its variable is not made by a VAR_HANDLE");
    return -1;
  }
  Tensor& variable = reading_.network.tensors[static_cast<std::size_t>(found->second)];
  const Tensor& like = reading_.network.tensors[static_cast<std::size_t>(value)];
  if (variable.kind != TensorKind::variable) {
    const auto named = std::find_if(tensors_.begin(), tensors_.end(),
                                    [&](const auto& entry) { return entry.second == found->second; });
    const auto initial = initial_.find(named->first);
    const Tensor& source = initial == initial_.end() ? like : initial->second;
    if (!reading_.spend(source.data.size() + source.name.size())) return -1;
    variable.kind = TensorKind::variable;
    variable.type = source.type, variable.shape = source.shape, variable.quantization = source.quantization;
    if (initial == initial_.end())
      fill_with_zero_point(variable);
    else
      variable.data = source.data;
    variable.fill.reset();
    reading_.problems[static_cast<std::size_t>(found->second)].clear();
  }
  if (variable.type != like.type || variable.shape != like.shape) {
    refuse(op, fmt::format("'{}' is {} of shape {}, its variable is {} of shape {}", like.name, nn::name_of(like.type),
                           text_of(like.shape), nn::name_of(variable.type), text_of(variable.shape)));
    return -1;
  }
  return found->second;
}

void TfliteVariables::read(Operator& op) {
  if (op.inputs.size() != 1 || op.outputs.size() != 1 || op.inputs[0] < 0)
    return refuse(op, "reads not one variable into one tensor");
  const int v = variable(op.inputs[0], op.outputs[0], op);
  if (v >= 0) op.inputs = {v};
}

void TfliteVariables::assign(Operator& op) {
  if (op.inputs.size() != 2 || !op.outputs.empty() || op.inputs[0] < 0 || op.inputs[1] < 0)
    return refuse(op, "assigns not one tensor to one variable");
  const int v = variable(op.inputs[0], op.inputs[1], op);
  if (v >= 0) op.inputs = {op.inputs[1]}, op.outputs = {v};
}

}  // namespace dse::nn
