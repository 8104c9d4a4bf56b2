// From the bytes of an ONNX model to a network.
#include "models/nn/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"
#include "models/nn/onnx/wire.h"
#include "models/nn/passes/passes.h"
#include "models/nn/rewrite/rewrites.h"

namespace dse::nn {
namespace {

// Since 19 the operators that are read have learnt types, and attributes that their conversions refuse (block_size,
// output_dtype, precision, wrap, half_pixel_symmetric); what they mean without these is what it was.
constexpr std::int64_t oldest_opset = 7, newest_opset = 23;

/// The version of the default domain; 0 if there is none that is read.
int opset_of(const onnx::ModelProto& model, const std::string& file, Diagnostics& diags) {
  for (const auto& set : model.opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
    if (set.version() >= oldest_opset && set.version() <= newest_opset) return static_cast<int>(set.version());
    diags.error({file, 0, 0}, fmt::format("opset {} is not supported", set.version()),
                fmt::format("supported are {} to {}", oldest_opset, newest_opset));
    return 0;
  }
  diags.error({file, 0, 0}, "is no ONNX model: it names no opset of the default domain");
  return 0;
}

/// Quantised files: their operators become integer operators, whose kernels want [N, H, W, C].
bool computes_in_integers(const Network& n) {
  return std::any_of(n.operators.begin(), n.operators.end(), [&](const Operator& op) {
    const auto eight_bits = [&](int t) {
      if (t < 0) return false;
      const DataType type = n.tensors[static_cast<std::size_t>(t)].type;
      return type == DataType::int8 || type == DataType::uint8;
    };
    return std::any_of(op.inputs.begin(), op.inputs.end(), eight_bits) ||
           std::any_of(op.outputs.begin(), op.outputs.end(), eight_bits);
  });
}

}  // namespace

NetworkPtr import_onnx(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                       const LoadOptions& options) {
  if (const std::string why = check_onnx_wire(bytes); !why.empty()) {
    diags.error({file, 0, 0}, "is no ONNX model: " + why);
    return nullptr;
  }
  onnx::ModelProto model;
  if (static_cast<std::int64_t>(bytes.size()) > max_file_bytes ||
      !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    diags.error({file, 0, 0}, "is no ONNX model: its fields are not those of the format");
    return nullptr;
  }
  if (!model.has_graph()) {
    diags.error({file, 0, 0}, "is no ONNX model: it has no graph");
    return nullptr;
  }
  const int opset = opset_of(model, file, diags);
  if (opset == 0) return nullptr;
  onnx_import::Reader reader(model.graph(), options, file, diags);
  if (!reader.read(opset)) return nullptr;
  reader.network.name = model.graph().name().substr(0, 256);
  if (computes_in_integers(reader.network))
    reader.network = to_channels_last(fold_quantize_pairs(moves_on_integers(std::move(reader.network))));
  return import_network(std::move(reader.network), diags, file, options);
}

}  // namespace dse::nn
