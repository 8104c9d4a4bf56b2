// Reads a TensorFlow Lite flatbuffer. Everything in the file is suspect: the buffer is verified first, then every index
// is checked before use, and what one table may make us allocate counts against a budget (a flatbuffer may point at the
// same bytes many times over).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include "models/nn/import.h"
#include "models/nn/tflite_names.h"
#include "tflite_generated.h"

namespace dse::nn {
namespace {

namespace fb = tflite;

constexpr std::size_t max_tables = 1 << 16;                   // tensors, operators: each
constexpr std::int64_t max_copied = std::int64_t{256} << 20;  // bytes of constants, names and scales
constexpr std::size_t max_rank = 8, max_ports = 1 << 10, max_name = 4096;

template <class V>
std::size_t length(const V* v) {
  return v ? v->size() : 0;
}

class Importer {
 public:
  Importer(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
           const LoadOptions& options)
      : bytes_(bytes), file_(file), diags_(diags), options_(options) {}

  NetworkPtr run() {
    const fb::Model* model = verified();
    if (!model || !select_graph(*model)) return nullptr;
    network_.name = std::filesystem::path(file_).stem().string();
    read_tensors();
    read_ports();
    if (!failed_) read_operators();
    if (failed_) return nullptr;
    return finish_network(std::move(network_), diags_, file_, options_);
  }

 private:
  void fail(const std::string& what, const std::string& hint = {}) {
    failed_ = true;
    diags_.error({file_, 0, 0}, what, hint);
  }

  const fb::Model* verified() {
    if (bytes_.size() < 8 || !fb::ModelBufferHasIdentifier(bytes_.data())) {
      fail("not a TensorFlow Lite model (no TFL3 identifier)");
      return nullptr;
    }
    flatbuffers::Verifier verifier(bytes_.data(), bytes_.size());
    if (!fb::VerifyModelBuffer(verifier)) {
      fail("damaged flatbuffer: an offset or a length points outside the file", "the file may be truncated");
      return nullptr;
    }
    const fb::Model* model = fb::GetModel(bytes_.data());
    if (model->version() != 3) {
      fail(fmt::format("schema version {} is not supported, only 3", model->version()));
      return nullptr;
    }
    return model;
  }

  bool select_graph(const fb::Model& model) {
    model_ = &model;
    if (length(model.subgraphs()) == 0 || !model.subgraphs()->Get(0)) {
      fail("the model has no subgraph");
      return false;
    }
    if (model.subgraphs()->size() > 1)
      fail(fmt::format("the model has {} subgraphs; only one is supported", model.subgraphs()->size()));
    graph_ = model.subgraphs()->Get(0);
    if (length(graph_->tensors()) > max_tables || length(graph_->operators()) > max_tables)
      fail(fmt::format("{} tensors and {} operators; at most {} are supported", length(graph_->tensors()),
                       length(graph_->operators()), max_tables));
    return !failed_;
  }

  static std::optional<DataType> type_of(fb::TensorType t) {
    switch (t) {
      case fb::TensorType::INT8:
        return DataType::int8;
      case fb::TensorType::UINT8:
        return DataType::uint8;
      case fb::TensorType::INT16:
        return DataType::int16;
      case fb::TensorType::INT32:
        return DataType::int32;
      case fb::TensorType::INT64:
        return DataType::int64;
      case fb::TensorType::FLOAT32:
        return DataType::float32;
      case fb::TensorType::BOOL:
        return DataType::boolean;
      default:
        return std::nullopt;
    }
  }

  bool spend(std::size_t bytes) {
    copied_ += static_cast<std::int64_t>(bytes);
    return copied_ <= max_copied;
  }

  void read_tensors() {
    network_.tensors.reserve(length(graph_->tensors()));
    for (std::size_t i = 0; i < length(graph_->tensors()); ++i) {
      const fb::Tensor& from = *graph_->tensors()->Get(static_cast<flatbuffers::uoffset_t>(i));
      Tensor to;
      if (from.name()) to.name = from.name()->str().substr(0, max_name);
      const std::string where = fmt::format("tensor {} ('{}')", i, to.name);
      if (length(from.shape()) > max_rank) {
        fail(fmt::format("{}: {} dimensions, at most {} are supported", where, length(from.shape()), max_rank));
      } else if (from.shape()) {
        to.shape.assign(from.shape()->begin(), from.shape()->end());
      }
      if (const auto type = type_of(from.type()))
        to.type = *type;
      else
        fail(fmt::format("{}: type {} is not supported", where, tensor_type_name(static_cast<int>(from.type()))));
      if (from.sparsity()) fail(where + ": sparse tensors are not supported");
      if (from.is_variable()) to.kind = TensorKind::variable;
      read_quantization(from.quantization(), to);
      read_data(from, to, where);
      if (copied_ > max_copied) return fail(where + ": the model's tensors hold more than 256 MiB");
      network_.tensors.push_back(std::move(to));
    }
  }

  void read_quantization(const fb::QuantizationParameters* from, Tensor& to) {
    if (!from || !from->scale()) return;
    if (!spend(12 * (length(from->scale()) + length(from->zero_point())))) return;
    Quantization& q = to.quantization;
    q.scale.assign(from->scale()->begin(), from->scale()->end());
    if (const auto* zeros = from->zero_point()) {
      // The verifier aligns a vector's length, not its 64-bit elements.
      q.zero_point.resize(zeros->size());
      if (zeros->size() > 0) std::memcpy(q.zero_point.data(), zeros->Data(), 8 * q.zero_point.size());
    }
    if (q.zero_point.empty()) q.zero_point.assign(q.scale.size(), 0);
    q.axis = from->quantized_dimension();
    // The axis is checked where it matters: biases in the wild carry the axis of their weights.
  }

  void read_data(const fb::Tensor& from, Tensor& to, const std::string& where) {
    if (from.buffer() == 0) return;  // buffer 0 is the empty buffer by convention
    if (from.buffer() >= length(model_->buffers()))
      return fail(
          fmt::format("{}: buffer {}, but there are {} buffers", where, from.buffer(), length(model_->buffers())));
    const fb::Buffer* buffer = model_->buffers()->Get(from.buffer());
    if (buffer->offset() > 1) return fail(where + ": its data lies outside the flatbuffer, which is not supported");
    if (length(buffer->data()) == 0) return;
    if (!spend(buffer->data()->size())) return;
    to.data.assign(buffer->data()->begin(), buffer->data()->end());
    to.kind = TensorKind::constant;
  }

  void read_ports() {
    const auto read = [&](const flatbuffers::Vector<std::int32_t>* from, std::vector<int>& to, const char* role) {
      if (length(from) > max_ports) return fail(fmt::format("the network has {} {}s", length(from), role));
      if (from) to.assign(from->begin(), from->end());
      for (const int t : to)
        if (t < 0 || static_cast<std::size_t>(t) >= network_.tensors.size())
          fail(fmt::format("network {} is tensor {}, but there are {} tensors", role, t, network_.tensors.size()));
    };
    read(graph_->inputs(), network_.inputs, "input");
    read(graph_->outputs(), network_.outputs, "output");
    if (failed_) return;
    for (const int t : network_.inputs) {
      Tensor& tensor = network_.tensors[static_cast<std::size_t>(t)];
      if (tensor.kind != TensorKind::activation)
        fail(fmt::format("network input '{}' is a constant, a variable or given twice", tensor.name));
      tensor.kind = TensorKind::input;
    }
  }

  void read_operators() {
    network_.operators.reserve(length(graph_->operators()));
    for (std::size_t i = 0; i < length(graph_->operators()); ++i) {
      const fb::Operator& from = *graph_->operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (from.opcode_index() >= length(model_->operator_codes())) {
        fail(fmt::format("operator {}: opcode {}, but there are {} operator codes", i, from.opcode_index(),
                         length(model_->operator_codes())));
        continue;
      }
      const fb::OperatorCode& code = *model_->operator_codes()->Get(from.opcode_index());
      // Files older than the 128th operator hold the code in the deprecated byte only, newer ones in both or in the new
      // field.
      read_operator(i, from, code, std::max<std::int32_t>(code.deprecated_builtin_code(), code.builtin_code()));
    }
  }

  void read_operator(std::size_t i, const fb::Operator& from, const fb::OperatorCode& code, std::int32_t builtin) {
    static constexpr std::pair<int, OperatorKind> kinds[] = {{0, OperatorKind::add},
                                                             {1, OperatorKind::average_pool_2d},
                                                             {3, OperatorKind::conv_2d},
                                                             {4, OperatorKind::depthwise_conv_2d},
                                                             {9, OperatorKind::fully_connected},
                                                             {17, OperatorKind::max_pool_2d},
                                                             {22, OperatorKind::reshape},
                                                             {25, OperatorKind::softmax}};
    std::string name = builtin_operator_name(builtin);
    if (builtin == 32 && code.custom_code()) name += " '" + code.custom_code()->str().substr(0, max_name) + "'";
    where_ = fmt::format("operator {} ({})", i, name);
    const auto* kind =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return k.first == builtin; });
    if (kind == std::end(kinds))
      return fail(where_ + ": this operator is not supported",
                  "supported are ADD, AVERAGE_POOL_2D, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, MAX_POOL_2D, "
                  "RESHAPE, SOFTMAX");
    Operator op;
    op.kind = kind->second;
    if (length(from.inputs()) > max_ports || length(from.outputs()) > max_ports)
      return fail(where_ + ": too many inputs or outputs");
    if (from.inputs()) op.inputs.assign(from.inputs()->begin(), from.inputs()->end());
    if (from.outputs()) op.outputs.assign(from.outputs()->begin(), from.outputs()->end());
    // The new shape is that of the output tensor; the tensor that repeats it is no operand.
    if (op.kind == OperatorKind::reshape && op.inputs.size() == 2) op.inputs.resize(1);
    if (!read_options(from, op)) return;
    network_.operators.push_back(std::move(op));
  }

  template <class Options>
  const Options* options(const fb::Operator& from) {
    const auto* o = from.builtin_options_as<Options>();
    if (!o) fail(where_ + ": its options are missing or of another operator");
    return o;
  }

  bool activation(fb::ActivationFunctionType a, OperatorOptions& to) {
    switch (a) {
      case fb::ActivationFunctionType::NONE:
        to.activation = Activation::none;
        return true;
      case fb::ActivationFunctionType::RELU:
        to.activation = Activation::relu;
        return true;
      case fb::ActivationFunctionType::RELU6:
        to.activation = Activation::relu6;
        return true;
      case fb::ActivationFunctionType::RELU_N1_TO_1:
        to.activation = Activation::relu_n1_to_1;
        return true;
      default:
        fail(fmt::format("{}: fused activation {} is not supported", where_, static_cast<int>(a)));
        return false;
    }
  }

  template <class Options>
  bool window(const Options& from, OperatorOptions& to) {
    to.stride_h = from.stride_h();
    to.stride_w = from.stride_w();
    if (from.padding() != fb::Padding::SAME && from.padding() != fb::Padding::VALID) {
      fail(fmt::format("{}: padding {} is unknown", where_, static_cast<int>(from.padding())));
      return false;
    }
    to.same_padding = from.padding() == fb::Padding::SAME;
    return activation(from.fused_activation_function(), to);
  }

  bool read_options(const fb::Operator& from, Operator& op) {
    OperatorOptions& to = op.options;
    switch (op.kind) {
      case OperatorKind::conv_2d: {
        const auto* o = options<fb::Conv2DOptions>(from);
        if (!o) return false;
        to.dilation_h = o->dilation_h_factor(), to.dilation_w = o->dilation_w_factor();
        return window(*o, to);
      }
      case OperatorKind::depthwise_conv_2d: {  // the depth multiplier follows from the shapes
        const auto* o = options<fb::DepthwiseConv2DOptions>(from);
        if (!o) return false;
        to.dilation_h = o->dilation_h_factor(), to.dilation_w = o->dilation_w_factor();
        return window(*o, to);
      }
      case OperatorKind::average_pool_2d:
      case OperatorKind::max_pool_2d: {
        const auto* o = options<fb::Pool2DOptions>(from);
        if (!o) return false;
        to.filter_h = o->filter_height(), to.filter_w = o->filter_width();
        return window(*o, to);
      }
      case OperatorKind::fully_connected: {
        const auto* o = options<fb::FullyConnectedOptions>(from);
        if (!o) return false;
        if (o->weights_format() != 0) {
          fail(where_ + ": shuffled weights are not supported");
          return false;
        }
        return activation(o->fused_activation_function(), to);
      }
      case OperatorKind::add: {
        const auto* o = options<fb::AddOptions>(from);
        return o && activation(o->fused_activation_function(), to);
      }
      case OperatorKind::softmax: {
        const auto* o = options<fb::SoftmaxOptions>(from);
        if (o) to.beta = o->beta();
        return o != nullptr;
      }
      default:
        return true;
    }
  }

  const std::vector<std::uint8_t>& bytes_;
  const std::string& file_;
  Diagnostics& diags_;
  const LoadOptions& options_;
  const fb::Model* model_ = nullptr;
  const fb::SubGraph* graph_ = nullptr;
  Network network_;
  std::string where_;
  std::int64_t copied_ = 0;
  bool failed_ = false;
};

}  // namespace

NetworkPtr import_tflite(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                         const LoadOptions& options) {
  return Importer(bytes, file, diags, options).run();
}

}  // namespace dse::nn
