// Reads a TensorFlow Lite flatbuffer. The buffer is verified first; the parts of the reader are in tflite_*.cpp.
#include "models/nn/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "models/nn/rewrite/rewrites.h"
#include "models/nn/shapes/given.h"
#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/fold_shapes.h"
#include "models/nn/tflite/moves/moves.h"
#include "models/nn/tflite/names.h"
#include "models/nn/tflite/reading.h"
#include "models/nn/tflite/variables.h"

namespace dse::nn {

namespace fb = tflite;

void TfliteReading::fail(const std::string& what, const std::string& hint) {
  failed = true;
  diags.error({file, 0, 0}, what, hint);
}

bool TfliteReading::spend(std::size_t bytes) {
  copied += static_cast<std::int64_t>(bytes);
  if (copied <= max_tflite_bytes) return true;
  if (!failed) fail("the model's tensors and operators hold more than 256 MiB");
  return false;
}

const fb::Model* verified_tflite(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags) {
  const auto fail = [&](const std::string& what, const std::string& hint = {}) {
    diags.error({file, 0, 0}, what, hint);
    return nullptr;
  };
  if (bytes.size() < 8 || !fb::ModelBufferHasIdentifier(bytes.data()))
    return fail("not a TensorFlow Lite model (no TFL3 identifier)");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!fb::VerifyModelBuffer(verifier))
    return fail("damaged flatbuffer: an offset or a length points outside the file", "the file may be truncated");
  const fb::Model* model = fb::GetModel(bytes.data());
  if (model->version() != 3) return fail(fmt::format("schema version {} is not supported, only 3", model->version()));
  return model;
}

namespace {

class Importer {
 public:
  Importer(const fb::Model& model, const std::string& file, Diagnostics& diags)
      : reading_(model, file, diags), variables_(reading_) {}

  NetworkPtr run(const LoadOptions& options) {
    if (!select_graph()) return nullptr;
    network().name = std::filesystem::path(reading_.file).stem().string();
    read_tensors();
    if (!reading_.failed) read_ports();
    if (!reading_.failed) read_operators();
    if (reading_.failed || !check_shapes(network(), options, reading_.file, reading_.diags)) return nullptr;
    return import_network(std::move(network()), reading_.diags, reading_.file, options);
  }

 private:
  Network& network() { return reading_.network; }

  /// Other subgraphs than the first are those that its operators call.
  bool select_graph() {
    const auto* graphs = reading_.model.subgraphs();
    if (length(graphs) == 0) {
      reading_.fail("the model has no subgraph");
      return false;
    }
    graph_ = graphs->Get(0);
    if (length(graph_->tensors()) > max_tflite_tables || length(graph_->operators()) > max_tflite_tables)
      reading_.fail(fmt::format("{} tensors and {} operators; at most {} are supported", length(graph_->tensors()),
                                length(graph_->operators()), max_tflite_tables));
    return !reading_.failed;
  }

  void read_tensors() {
    network().tensors.reserve(length(graph_->tensors()));
    reading_.problems.resize(length(graph_->tensors()));
    reading_.taken.resize(length(graph_->tensors()));
    for (flatbuffers::uoffset_t i = 0; i < length(graph_->tensors()) && !reading_.failed; ++i)
      network().tensors.push_back(
          read_tflite_tensor(reading_, *graph_->tensors()->Get(i), fmt::format("tensor {}", i), reading_.problems[i]));
  }

  void read_ports() {
    const auto read = [&](const flatbuffers::Vector<std::int32_t>* from, std::vector<int>& to, const char* role) {
      if (length(from) > max_tflite_ports)
        return reading_.fail(fmt::format("the network has {} {}s", length(from), role));
      if (from) to.assign(from->begin(), from->end());
      for (const int t : to)
        if (!reading_.valid(t))
          reading_.fail(
              fmt::format("network {} is tensor {}, but there are {} tensors", role, t, network().tensors.size()));
    };
    read(graph_->inputs(), network().inputs, "input");
    read(graph_->outputs(), network().outputs, "output");
    if (reading_.failed) return;
    for (const int t : network().inputs) {
      Tensor& tensor = network().tensors[static_cast<std::size_t>(t)];
      // What is none, or listed twice, finish_network names.
      if (tensor.kind == TensorKind::activation) tensor.kind = TensorKind::input;
    }
    note_ends();
  }

  void note_ends() {
    auto& ends = reading_.ends;
    ends.resize(network().tensors.size());
    for (const int t : network().outputs) ends[static_cast<std::size_t>(t)] = true;
    for (flatbuffers::uoffset_t i = 0; i < length(graph_->operators()); ++i) {
      const auto* inputs = graph_->operators()->Get(i)->inputs();
      for (flatbuffers::uoffset_t k = 0; k < length(inputs); ++k)
        if (reading_.valid(inputs->Get(k))) ends[static_cast<std::size_t>(inputs->Get(k))] = false;
    }
  }

  void read_operators() {
    network().operators.reserve(length(graph_->operators()));
    const auto* codes = reading_.model.operator_codes();
    for (flatbuffers::uoffset_t i = 0; i < length(graph_->operators()); ++i) {
      const fb::Operator& from = *graph_->operators()->Get(i);
      if (from.opcode_index() >= length(codes)) {
        reading_.fail(fmt::format("operator {}: opcode {}, but there are {} operator codes", i, from.opcode_index(),
                                  length(codes)));
        continue;
      }
      const fb::OperatorCode& code = *codes->Get(from.opcode_index());
      // Files older than the 128th operator hold the code in the deprecated byte only, newer ones in both or in the new
      // field.
      const std::int32_t builtin = std::max<std::int32_t>(code.deprecated_builtin_code(), code.builtin_code());
      Operator op;
      op.type = builtin_operator_name(builtin);
      const std::string custom = code.custom_code() ? code.custom_code()->str().substr(0, max_tflite_name) : "";
      if (builtin == builtin::custom && !custom.empty()) op.type += " '" + custom + "'";
      if (!reading_.spend(sizeof(Operator) + op.type.size())) return;
      if (read_ports_of(from, i, op) && read_operator(from, builtin, custom, op))
        network().operators.push_back(std::move(op));
    }
    drop_idle_shapes();
  }

  /// A shape that the file computes and that its output tensor tells as well: nobody needs it then.
  void note_idle_shape(const Operator& op) {
    if (op.kind != OperatorKind::transpose_conv || op.inputs.empty() || op.inputs[0] < 0) return;
    if (network().tensors[static_cast<std::size_t>(op.inputs[0])].kind == TensorKind::activation)
      idle_.insert(op.inputs[0]);
  }

  /// Operators that made nothing but such shapes.
  void drop_idle_shapes() {
    if (idle_.empty()) return;
    std::set<int> needed(network().outputs.begin(), network().outputs.end());
    std::vector<Operator> kept;
    auto& all = network().operators;
    for (std::size_t o = all.size(); o-- > 0;) {
      const auto idle = [&](int t) { return idle_.count(t) != 0 && needed.count(t) == 0; };
      if (!all[o].outputs.empty() && std::all_of(all[o].outputs.begin(), all[o].outputs.end(), idle)) {
        idle_.insert(all[o].inputs.begin(), all[o].inputs.end());
        continue;
      }
      needed.insert(all[o].inputs.begin(), all[o].inputs.end());
      kept.push_back(std::move(all[o]));
    }
    all.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  /// Tensors of an operator: those that are there, or -1 for an input that is left out.
  bool read_ports_of(const fb::Operator& from, std::size_t index, Operator& op) {
    const std::string where = fmt::format("operator {} ({})", index, op.type);
    const std::size_t inputs = length(from.inputs()), outputs = length(from.outputs());
    if (inputs > max_tflite_ports || outputs > max_tflite_ports) {
      reading_.fail(where + ": too many inputs or outputs");
      return false;
    }
    // Once here, once more where operands become options.
    if (!reading_.spend(16 * (inputs + outputs))) return false;
    if (from.inputs()) op.inputs.assign(from.inputs()->begin(), from.inputs()->end());
    if (from.outputs()) op.outputs.assign(from.outputs()->begin(), from.outputs()->end());
    const auto count = network().tensors.size();
    for (std::size_t i = 0; i < inputs; ++i)
      if (op.inputs[i] != -1 && !reading_.valid(op.inputs[i])) {
        reading_.fail(
            fmt::format("{}: input {} is tensor {}, but there are {} tensors", where, i, op.inputs[i], count));
        return false;
      }
    for (const int t : op.outputs)
      if (!reading_.valid(t)) {
        reading_.fail(fmt::format("{}: output is tensor {}, but there are {} tensors", where, t, count));
        return false;
      }
    return true;
  }

  /// @returns false when the operator dissolves.
  bool read_operator(const fb::Operator& from, std::int32_t builtin, const std::string& custom, Operator& op) {
    if (builtin == builtin::var_handle || builtin == builtin::call_once) {
      op.kind = OperatorKind::other;
      op.unsupported = builtin == builtin::call_once ? variables_.call_once(from) : variables_.handle(from);
      return !op.unsupported.empty();
    }
    if (fold_tflite_shape(reading_, from, op)) return false;
    if (builtin == builtin::dequantize && fold_tflite_dequantize(reading_, op)) return false;
    for (const int t : op.inputs)
      if (t >= 0) reading_.taken[static_cast<std::size_t>(t)] = true;
    bool stays = true;
    const TfliteCodec* codec = tflite_codec(builtin);
    if (!read_tflite_moves(reading_, from, builtin, op, stays)) op.kind = codec ? codec->kind : OperatorKind::other;
    if (!stays) return false;
    if (builtin == builtin::custom) op.unsupported = foreign_tflite_runtime(custom);
    note_idle_shape(op);
    if (op.kind == OperatorKind::read_variable) variables_.read(op);
    if (op.kind == OperatorKind::assign_variable) variables_.assign(op);
    if (codec && codec->options.read) codec->options.read(from, op);
    if (codec) read_tflite_operands(network(), from, *codec, op);
    if (codec) widen_tflite_weights(reading_, op, widened_);
    const bool of_variable = op.kind == OperatorKind::read_variable || op.kind == OperatorKind::assign_variable;
    for (const auto* tensors : {&op.inputs, &op.outputs})
      for (const int t : *tensors) {
        if (t < 0) continue;
        const bool handle = !of_variable && variables_.is_handle(t);
        if (handle || !reading_.problems[static_cast<std::size_t>(t)].empty())
          network().tensors[static_cast<std::size_t>(t)].opaque = true;
        if (!op.unsupported.empty()) continue;
        op.unsupported = reading_.problems[static_cast<std::size_t>(t)];
        if (op.unsupported.empty() && handle) op.unsupported = "takes the handle of a variable for a value";
      }
    return true;
  }

  TfliteReading reading_;
  TfliteVariables variables_;
  const fb::SubGraph* graph_ = nullptr;
  std::map<int, int> widened_;  // constants of INT8 -> the same in FLOAT32
  std::set<int> idle_;          // shapes that are computed and not needed
};

}  // namespace

NetworkPtr import_tflite(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                         const LoadOptions& options) {
  const fb::Model* model = verified_tflite(bytes, file, diags);
  return model ? Importer(*model, file, diags).run(options) : nullptr;
}

}  // namespace dse::nn
