#include "models/nn/tflite/write_tflite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "models/nn/graph/derivation.h"
#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/reading.h"
#include "models/nn/tflite/write/writing.h"

namespace dse::nn {

namespace fb = tflite;

fb::TensorType tflite_type(DataType t) {
  switch (t) {
    case DataType::int8:
      return fb::TensorType::INT8;
    case DataType::uint8:
      return fb::TensorType::UINT8;
    case DataType::int16:
      return fb::TensorType::INT16;
    case DataType::int32:
      return fb::TensorType::INT32;
    case DataType::int64:
      return fb::TensorType::INT64;
    case DataType::float32:
      return fb::TensorType::FLOAT32;
    case DataType::boolean:
      return fb::TensorType::BOOL;
  }
  return fb::TensorType::INT8;
}

std::uint32_t TfliteWriting::buffer(std::vector<std::uint8_t> data) {
  auto b = std::make_unique<fb::BufferT>();
  b->data = std::move(data);
  model.buffers.push_back(std::move(b));
  return static_cast<std::uint32_t>(model.buffers.size() - 1);
}

std::uint32_t TfliteWriting::code(std::int32_t builtin, std::int32_t version) {
  auto& codes = model.operator_codes;
  const auto found = std::find_if(codes.begin(), codes.end(),
                                  [&](const auto& c) { return c->builtin_code == builtin && c->version == version; });
  if (found != codes.end()) return static_cast<std::uint32_t>(found - codes.begin());
  auto c = std::make_unique<fb::OperatorCodeT>();
  c->deprecated_builtin_code = static_cast<std::int8_t>(std::min(builtin, builtin::placeholder));
  c->builtin_code = builtin, c->version = version;
  codes.push_back(std::move(c));
  return static_cast<std::uint32_t>(codes.size() - 1);
}

int TfliteWriting::constant(const std::string& name, const std::vector<std::int64_t>& shape,
                            const std::vector<std::int64_t>& values) {
  const std::vector<std::int32_t> dims(shape.begin(), shape.end());
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  std::vector<std::uint8_t> data(4 * narrow.size());
  if (!data.empty()) std::memcpy(data.data(), narrow.data(), data.size());
  const auto equal = [&](const auto& t) {
    return t->type == fb::TensorType::INT32 && t->shape == dims && t->buffer != 0 && !t->is_variable &&
           model.buffers[t->buffer]->data == data;
  };
  const auto found = std::find_if(graph.tensors.begin(), graph.tensors.end(), equal);
  if (found != graph.tensors.end()) return static_cast<int>(found - graph.tensors.begin());
  auto t = std::make_unique<fb::TensorT>();
  t->name = name, t->type = fb::TensorType::INT32, t->shape = dims, t->buffer = buffer(std::move(data));
  graph.tensors.push_back(std::move(t));
  return static_cast<int>(graph.tensors.size() - 1);
}

namespace {

std::unique_ptr<fb::QuantizationParametersT> quantization_of(const Quantization& q) {
  if (q.scale.empty()) return nullptr;
  auto to = std::make_unique<fb::QuantizationParametersT>();
  to->scale = q.scale, to->zero_point = q.zero_point, to->quantized_dimension = q.axis;
  return to;
}

class Writer {
 public:
  Writer(const Network& n, Diagnostics& diags) : n_(n), diags_(diags), to_{n, {}, {}} {}

  std::unique_ptr<fb::ModelT> run() {
    find_resources();
    name_resources();
    to_.model.version = 3;
    to_.model.description = "written by dse";
    to_.buffer({});
    for (std::size_t i = 0; i < n_.tensors.size(); ++i) write_tensor(static_cast<int>(i));
    write_resources();
    for (std::size_t i = 0; i < n_.operators.size(); ++i) write_operator(i);
    to_.graph.inputs = n_.inputs, to_.graph.outputs = n_.outputs, to_.graph.name = "main";
    if (failed_) return nullptr;
    to_.model.subgraphs.insert(to_.model.subgraphs.begin(), std::make_unique<fb::SubGraphT>(std::move(to_.graph)));
    return std::make_unique<fb::ModelT>(std::move(to_.model));
  }

 private:
  void fail(const std::string& what) {
    diags_.error({n_.name, 0, 0}, what);
    failed_ = true;
  }

  void find_resources() {
    std::set<int> states;
    for (const Operator& op : n_.operators) {
      if (op.kind == OperatorKind::read_variable) resources_.insert(op.inputs[0]);
      if (op.kind == OperatorKind::assign_variable) resources_.insert(op.outputs[0]);
      if (op.kind == OperatorKind::svdf || op.kind == OperatorKind::unidirectional_sequence_lstm)
        states.insert(op.inputs.begin(), op.inputs.end());
    }
    for (const int t : resources_)
      if (states.count(t))
        fail(
            fmt::format("variable '{}' is the state of an operator and is read or assigned too, for which the format "
                        "has no words",
                        to_.tensor(t).name));
  }

  void write_tensor(int index) {
    const Tensor& from = to_.tensor(index);
    auto t = std::make_unique<fb::TensorT>();
    t->name = from.name;
    if (resources_.count(index)) {
      t->type = fb::TensorType::RESOURCE;
    } else {
      t->type = tflite_type(from.type);
      t->shape.assign(from.shape.begin(), from.shape.end());
      t->quantization = quantization_of(from.quantization);
      t->is_variable = from.kind == TensorKind::variable;
      if (t->is_variable && !from.data.empty())
        fail(fmt::format("variable '{}' has an initial value, for which the format has no words", from.name));
      if (from.kind == TensorKind::constant) t->buffer = to_.buffer(constant_bytes(from));
    }
    to_.graph.tensors.push_back(std::move(t));
  }

  std::vector<std::uint8_t> constant_bytes(const Tensor& from) {
    if (!from.fill) return from.data;
    if (from.fill->kind != Fill::Kind::value || from.fill->value != 0) {
      fail(fmt::format("constant '{}' has no values of its own", from.name));
      return {};
    }
    return std::vector<std::uint8_t>(static_cast<std::size_t>(from.bytes()));
  }

  /// The name of a variable: its tensor's, which may be empty or twice there. Readers cut off long names at their ends.
  void name_resources() {
    std::set<std::string> taken;
    for (const int t : resources_) {
      const std::string own = to_.tensor(t).name;
      std::string name = own.empty() ? fmt::format("variable{}", t) : own;
      for (int i = 0; !taken.insert(name).second; ++i)
        name = fmt::format("{}_{}_{}", t, i, own).substr(0, max_tflite_name);
      shared_names_[t] = name;
    }
  }

  std::unique_ptr<fb::OperatorT> handle(int variable, int out) {
    auto op = std::make_unique<fb::OperatorT>();
    op->opcode_index = to_.code(builtin::var_handle, 1);
    op->outputs = {out};
    fb::VarHandleOptionsT options;
    options.shared_name = shared_names_[variable];
    op->builtin_options.Set(std::move(options));
    return op;
  }

  void write_resources() {
    auto initial = std::make_unique<fb::SubGraphT>();
    initial->name = "initialisation";
    for (const int v : resources_) {
      const Tensor& from = to_.tensor(v);
      if (from.data.empty()) continue;
      const auto handle_tensor = static_cast<int>(initial->tensors.size());
      auto resource = std::make_unique<fb::TensorT>(), value = std::make_unique<fb::TensorT>();
      resource->name = from.name, resource->type = fb::TensorType::RESOURCE;
      value->name = from.name + "/initial", value->type = tflite_type(from.type);
      value->shape.assign(from.shape.begin(), from.shape.end());
      value->quantization = quantization_of(from.quantization);
      value->buffer = to_.buffer(from.data);
      initial->tensors.push_back(std::move(resource));
      initial->tensors.push_back(std::move(value));
      initial->operators.push_back(handle(v, handle_tensor));
      auto assign = std::make_unique<fb::OperatorT>();
      assign->opcode_index = to_.code(builtin::assign_variable, 1);
      assign->inputs = {handle_tensor, handle_tensor + 1};
      assign->builtin_options.Set(fb::AssignVariableOptionsT{});
      initial->operators.push_back(std::move(assign));
    }
    if (!initial->operators.empty()) {
      auto call = std::make_unique<fb::OperatorT>();
      call->opcode_index = to_.code(builtin::call_once, 1);
      fb::CallOnceOptionsT options;
      options.init_subgraph_index = 1;
      call->builtin_options.Set(options);
      to_.graph.operators.push_back(std::move(call));
      to_.model.subgraphs.push_back(std::move(initial));
    }
    for (const int v : resources_) to_.graph.operators.push_back(handle(v, v));
  }

  void write_operator(std::size_t index) {
    const Operator& op = n_.operators[index];
    TfliteOperator written;
    std::string why = op.unsupported;
    if (!why.empty() || !write_tflite_operator(to_, op, written, why))
      return fail(fmt::format("operator {} ({}): {}", index, op.type.empty() ? name_of(op.kind) : op.type, why));
    auto to = std::make_unique<fb::OperatorT>();
    to->opcode_index = to_.code(written.builtin, tflite_version(n_, op, written));
    to->inputs = written.inputs, to->outputs = written.outputs;
    to->builtin_options = std::move(written.options);
    to_.graph.operators.push_back(std::move(to));
  }

  const Network& n_;
  Diagnostics& diags_;
  TfliteWriting to_;
  std::set<int> resources_;
  std::map<int, std::string> shared_names_;
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<fb::ModelT> tflite_model(const Network& network, Diagnostics& diags) {
  return Writer(network, diags).run();
}

std::vector<std::uint8_t> pack_tflite(const fb::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::CreateModel(builder, &model), fb::ModelIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<std::uint8_t> write_tflite(const Network& network, Diagnostics& diags) {
  const auto model = tflite_model(network, diags);
  return model ? pack_tflite(*model) : std::vector<std::uint8_t>{};
}

}  // namespace dse::nn
