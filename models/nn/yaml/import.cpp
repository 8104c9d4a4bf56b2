// The project's own network format: an architecture in words; weights are drawn from a seed (see seeded_network.h).
//
//   format: 1
//   name: tiny
//   seed: 1                                                    # optional, default 1
//   input: {shape: [1, 8, 8, 3], scale: 0.0078, zero_point: 0}  # scale and zero_point optional; type: int8 or int16
//   layers:                                                    # each reads the one before it; `from:` names another
//     - conv: {name: stem, filters: 8, kernel: 3, stride: 2, padding: same, activation: relu}
//     - depthwise: {kernel: [3, 3], multiplier: 1}
//     - conv: {filters: 8, kernel: 1}
//     - add: {with: stem}
//     - concatenation: {with: [stem, depthwise0]}              # along channels; `from` first, then those of `with`
//     - pad: {padding: [0, 1, 0, 1]}                           # rows above, below, columns left, right; zero points
//     - average_pool: {kernel: [4, 4]}                         # stride: as the kernel; padding: valid
//     - mean                                                   # over rows and columns; keep_dims: false
//     - reshape: {shape: [1, 24]}
//     - fully_connected: {units: 10}
//     - softmax
//     - dropout: {rate: 0.5}                                  # of training alone
//
// Kernel, stride and dilation are one integer or [height, width]; padding is same, valid or [top, bottom, left, right],
// activation none, relu, relu6 or relu_n1_to_1. Layers without a name are called conv0, conv1, depthwise0, ...; `from:
// input` is the network's input. A conv or a fully connected layer with `block: b` has block-circulant weights
// (models/nn/circulant). A concatenation has up to 15 layers in `with`, none twice, of shapes that differ in
// channels at most; what it joins shares one quantisation. Layers that nobody reads are the network's outputs.
#include "models/nn/import.h"

#include <fmt/format.h>

#include "models/nn/graph/derivation.h"
#include "models/nn/made/ranges.h"
#include "models/nn/made/seeded_network.h"
#include "models/nn/rewrite/rewrites.h"
#include "models/nn/shapes/given.h"
#include "models/nn/yaml/layers.h"
#include "models/nn/yaml/training.h"

namespace dse::nn {
namespace {

/// Some SOFTMAX has to have the quantisation of the network's input.
bool ties_softmax(const NetworkSpec& spec) {
  const std::vector<int> first = shared_quantization(spec);
  for (std::size_t i = 0; i < spec.layers.size(); ++i)
    if (spec.layers[i].kind == OperatorKind::softmax && first[i + 1] == -1) return true;
  return false;
}

class YamlImporter {
 public:
  YamlImporter(const std::string& file, Diagnostics& diags) : report_(file, diags) {}

  /// @returns false on error.
  bool read(const YAML::Node& root) {
    YamlFields top(root, "network", report_);
    if (!root.IsMap()) {
      if (root.IsNull()) report_.error(root.Mark(), "the file is empty");
      return false;
    }
    top.integer("format", true, 1, 1, 1);
    spec_.name = top.text("name", true);
    spec_.seed = static_cast<std::uint64_t>(top.integer("seed", false, 0, std::numeric_limits<std::int64_t>::max(), 1));
    read_input(top.take("input", true));
    if (const YAML::Node layers = top.take("layers", true); layers.IsDefined())
      marks_ = read_layers(layers, spec_, report_);
    if (const YAML::Node training = top.take("training", false); training.IsDefined()) {
      train::Options options;
      read_training(training, options, report_);
    }
    top.finish();
    return !report_.failed();
  }
  const NetworkSpec& spec() const { return spec_; }

  /// Reports a concatenation that ties a SOFTMAX to the network's input: nobody can change either quantisation.
  bool quantizes() {
    const Quantization softmax = softmax_quantization();
    const Quantization input{{spec_.input_scale}, {spec_.input_zero_point}, 0};
    const bool wide = spec_.type == DataType::int16;
    if (wide ? in_16_bits(input).scale == in_16_bits(softmax).scale
             : input.scale == softmax.scale && input.zero_point == softmax.zero_point)
      return true;
    if (!ties_softmax(spec_)) return true;
    NetworkSpec before = spec_;
    while (ties_softmax(before)) before.layers.pop_back();
    const std::size_t layer = before.layers.size();
    report_.error(marks_[layer],
                  fmt::format("layer {} ({}): needs one quantisation for a softmax and the input", layer,
                              layer_key(spec_.layers[layer].kind)),
                  wide ? "input: {scale: 0.000030517578125} is that of a softmax"
                       : "input: {scale: 0.00390625, zero_point: -128} is that of a softmax");
    return false;
  }

 private:
  void read_input(const YAML::Node& node) {
    if (!node.IsDefined()) return;
    YamlFields f(node, "input", report_);
    spec_.input_shape = f.extents("shape", true, 0, false, max_elements);
    const bool wide = f.word("type", {"int8", "int16"}, 0) == 1;
    const double of_8 = wide ? 256 : 1;  // as far with 8 bits as with 16
    if (wide) spec_.type = DataType::int16;
    spec_.input_scale = static_cast<float>(f.number("scale", 1e-9, 1e9, 0.0078125 / of_8) * of_8);
    spec_.input_zero_point = f.integer("zero_point", false, -128, 127, 0);
    if (wide && spec_.input_zero_point != 0)
      report_.error(f.mark_of("zero_point"), "input: zero_point is 0 where values have 16 bits");
    f.finish();
    check_size(report_, f.mark_of("shape"), "input", spec_.input_shape);
  }

  YamlReport report_;
  NetworkSpec spec_;
  std::vector<YAML::Mark> marks_;  // per layer
};

}  // namespace

NetworkPtr import_yaml(const std::string& text, const std::string& file, Diagnostics& diags,
                       const LoadOptions& options) {
  try {
    YamlImporter importer(file, diags);
    if (!importer.read(YAML::Load(text))) return nullptr;
    if (!options.prefer_float && !importer.quantizes()) return nullptr;
    Network made = options.prefer_float ? seeded_float_network(importer.spec()) : seeded_network(importer.spec());
    if (!check_shapes(made, options, file, diags)) return nullptr;
    if (!options.prefer_float) return import_network(std::move(made), diags, file, options);
    LoadOptions floating = options;
    floating.allow_float = true;
    return finish_network(std::move(made), diags, file, floating);
  } catch (const YAML::Exception& e) {
    YamlReport(file, diags).error(e.mark, e.msg);
    return nullptr;
  }
}

}  // namespace dse::nn
