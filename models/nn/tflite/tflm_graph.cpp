// What TensorFlow Lite Micro's memory planner sees of a file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/offline_plan.h"
#include "models/nn/tflite/reading.h"

namespace dse::nn {

namespace fb = tflite;

namespace {

/// A type with elements of as many bytes. Nothing where they are not known, or less than a byte.
std::optional<DataType> of_same_size(fb::TensorType t) {
  switch (t) {
    case fb::TensorType::INT8:
    case fb::TensorType::UINT8:
    case fb::TensorType::BOOL:
      return DataType::int8;
    case fb::TensorType::INT16:
    case fb::TensorType::UINT16:
    case fb::TensorType::FLOAT16:
    case fb::TensorType::BFLOAT16:
      return DataType::int16;
    case fb::TensorType::INT32:
    case fb::TensorType::UINT32:
    case fb::TensorType::FLOAT32:
      return DataType::int32;
    case fb::TensorType::INT64:
    case fb::TensorType::UINT64:
    case fb::TensorType::FLOAT64:
    case fb::TensorType::COMPLEX64:
      return DataType::int64;
    default:
      return std::nullopt;
  }
}

class GraphReader {
 public:
  GraphReader(const fb::Model& model, const std::string& file, Diagnostics& diags)
      : model_(model), file_(file), diags_(diags) {}

  std::optional<Network> run() {
    if (length(model_.subgraphs()) == 0) {
      fail("the model has no subgraph");
      return std::nullopt;
    }
    graph_ = model_.subgraphs()->Get(0);
    std::size_t tensors_of_all = 0;
    for (const auto* g : *model_.subgraphs()) tensors_of_all += length(g->tensors());
    if (tensors_of_all > max_tflite_tables || length(graph_->operators()) > max_tflite_tables) {
      fail("more tensors or operators than are supported");
      return std::nullopt;
    }
    for (std::uint32_t s = 1; s < length(model_.subgraphs()); ++s) check_called(s);
    out_.name = std::filesystem::path(file_).stem().string();
    tensors();
    ports(graph_->inputs(), out_.inputs);
    ports(graph_->outputs(), out_.outputs);
    operators();
    order_by_variables();
    if (failed_) return std::nullopt;
    for (const int t : out_.inputs)
      if (auto& x = out_.tensors[static_cast<std::size_t>(t)]; x.kind == TensorKind::activation)
        x.kind = TensorKind::input;
    for (std::size_t t = 0; t < out_.tensors.size(); ++t) check_size(t);
    return failed_ ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  void fail(const std::string& what) {
    diags_.error({file_, 0, 0}, what);
    failed_ = true;
  }

  void tensors() {
    for (std::uint32_t t = 0; t < length(graph_->tensors()); ++t) {
      const fb::Tensor* from = graph_->tensors()->Get(t);
      Tensor& x = out_.tensors.emplace_back();
      x.name = from->name() ? from->name()->str().substr(0, max_tflite_name) : fmt::format("tensor {}", t);
      for (std::uint32_t i = 0; i < std::min(length(from->shape()), max_tflite_rank); ++i)
        x.shape.push_back(from->shape()->Get(i));
      const auto type = of_same_size(from->type());
      x.type = type.value_or(DataType::int8), x.opaque = !type || length(from->shape()) > max_tflite_rank;
      if (from->buffer() >= length(model_.buffers()))
        fail(fmt::format("tensor {}: buffer {} of {}", t, from->buffer(), length(model_.buffers())));
      x.kind = kind_of(*from);
    }
  }

  TensorKind kind_of(const fb::Tensor& t) const {
    const auto* buffer = t.buffer() < length(model_.buffers()) ? model_.buffers()->Get(t.buffer()) : nullptr;
    if (buffer && (length(buffer->data()) > 0 || buffer->offset() > 1)) return TensorKind::constant;
    return t.is_variable() || t.type() == fb::TensorType::RESOURCE ? TensorKind::variable : TensorKind::activation;
  }

  /// The runtime nests the memory of a subgraph that is called in that of its caller. One that takes none, as those
  /// that give variables their first values, changes no plan.
  void check_called(std::uint32_t subgraph) {
    const fb::SubGraph& g = *model_.subgraphs()->Get(subgraph);
    for (std::uint32_t t = 0; t < length(g.tensors()); ++t)
      if (kind_of(*g.tensors()->Get(t)) == TensorKind::activation)
        return fail(fmt::format("subgraph {} has tensor {} in the arena too; the memory of the first alone is planned",
                                subgraph, t));
  }

  void ports(const flatbuffers::Vector<std::int32_t>* from, std::vector<int>& to) {
    for (std::uint32_t i = 0; i < length(from); ++i)
      if (valid(from->Get(i)))
        to.push_back(from->Get(i));
      else
        fail(fmt::format("an input or output of the network is tensor {} of {}", from->Get(i), out_.tensors.size()));
  }
  bool valid(int t) const { return t >= 0 && static_cast<std::size_t>(t) < out_.tensors.size(); }

  void operators() {
    std::vector<bool> made(out_.tensors.size(), false);
    for (std::uint32_t i = 0; i < length(graph_->operators()); ++i) {
      const fb::Operator* from = graph_->operators()->Get(i);
      Operator op;
      op.name = fmt::format("operator {}", i);
      const auto* code = from->opcode_index() < length(model_.operator_codes())
                             ? model_.operator_codes()->Get(from->opcode_index())
                             : nullptr;
      if (!code) fail(fmt::format("operator {} has no code", i));
      const auto builtin = code ? std::max<std::int32_t>(code->builtin_code(), code->deprecated_builtin_code()) : 0;
      if (builtin == builtin::call_once) calls_.push_back(out_.operators.size());
      if (const auto* options = from->builtin_options_as_VarHandleOptions();
          builtin == builtin::var_handle && options && length(from->outputs()) == 1) {
        const auto text = [](const flatbuffers::String* s) { return s ? s->str().substr(0, max_tflite_name) : ""; };
        handles_[{text(options->container()), text(options->shared_name())}].push_back(from->outputs()->Get(0));
      }
      const TfliteCodec* codec = tflite_codec(builtin);
      op.kind = codec ? codec->kind : OperatorKind::other;
      op.type = codec ? name_of(op.kind) : builtin == builtin::custom ? "custom" : fmt::format("builtin {}", builtin);
      for (const auto* list : {from->inputs(), from->outputs()})
        for (std::uint32_t k = 0; k < length(list); ++k) {
          const int t = list->Get(k);
          const bool output = list == from->outputs();
          if (t == -1 && !output) continue;  // left out
          if (!valid(t)) {
            fail(fmt::format("operator {}: tensor {} of {}", i, t, out_.tensors.size()));
            continue;
          }
          if (output && made[static_cast<std::size_t>(t)]) fail(fmt::format("tensor {} is made twice", t));
          if (output) made[static_cast<std::size_t>(t)] = true;
          (output ? op.outputs : op.inputs).push_back(t);
        }
      out_.operators.push_back(std::move(op));
    }
  }

  /// What tells the planner's orders apart that the file's tensors do not: several handles of one name are one
  /// variable, and a call of a subgraph may assign any.
  void order_by_variables() {
    std::map<int, int> first_of;  // handle -> the first one of its name
    for (const auto& [name, handles] : handles_)
      for (const int t : handles) first_of.emplace(t, handles.front());
    for (auto& op : out_.operators) {
      std::vector<int> more;
      for (const auto* list : {&op.inputs, &op.outputs})
        for (const int t : *list)
          if (const auto it = first_of.find(t); it != first_of.end() && it->second != t) more.push_back(it->second);
      op.inputs.insert(op.inputs.end(), more.begin(), more.end());
    }
    for (const std::size_t call : calls_)
      for (std::size_t t = 0; t < out_.tensors.size(); ++t)
        if (out_.tensors[t].kind == TensorKind::variable) out_.operators[call].inputs.push_back(static_cast<int>(t));
  }

  void check_size(std::size_t t) {
    const Tensor& x = out_.tensors[t];
    if (x.kind == TensorKind::constant || x.kind == TensorKind::variable) return;
    std::int64_t elements = 1;
    for (const std::int64_t d : x.shape)
      if (d < 0 || __builtin_mul_overflow(elements, d, &elements) || elements > max_tflite_bytes)
        return fail(fmt::format("tensor {} ({}): its shape is open or too large", t, x.name));
    if (x.opaque) fail(fmt::format("tensor {} ({}): how many bytes its elements take is not known", t, x.name));
  }

  const fb::Model& model_;
  const std::string& file_;
  Diagnostics& diags_;
  const fb::SubGraph* graph_ = nullptr;
  Network out_;
  std::map<std::pair<std::string, std::string>, std::vector<int>> handles_;  // by container and shared name
  std::vector<std::size_t> calls_;                                           // operators
  bool failed_ = false;
};

}  // namespace

std::optional<Network> read_tflm_graph(const std::vector<std::uint8_t>& bytes, const std::string& file,
                                       Diagnostics& diags) {
  const fb::Model* model = verified_tflite(bytes, file, diags);
  return model ? GraphReader(*model, file, diags).run() : std::nullopt;
}

}  // namespace dse::nn
