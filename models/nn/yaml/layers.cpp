// One layer after the other: its fields, what it reads and its shape.
#include "models/nn/yaml/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/nn/graph/derivation.h"
#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

constexpr std::size_t max_layers = 4096;
constexpr std::size_t most_parts = 15;  // of a concatenation, beside the first

class LayerReader {
 public:
  LayerReader(NetworkSpec& spec, YamlReport& report) : spec_(spec), report_(report) {}

  void read(const YAML::Node& node) {
    if (!node.IsDefined()) return;
    if (!node.IsSequence() || node.size() == 0 || node.size() > max_layers)
      return report_.error(node.Mark(), fmt::format("'layers' must be a list of 1 to {} layers", max_layers));
    for (const auto& layer : node) read_layer(layer);
  }

  const std::vector<YAML::Mark>& marks() const { return marks_; }

 private:
  void read_layer(const YAML::Node& node) {
    // Never assign to a YAML::Node: that writes into the document.
    const bool fields = node.IsMap() && node.size() == 1;
    const YAML::Node key = fields ? node.begin()->first : node;
    mark_ = key.Mark();
    const YAML::Node body = fields ? node.begin()->second : YAML::Node();
    const auto* kind = std::find_if(std::begin(layer_kinds), std::end(layer_kinds),
                                    [&](OperatorKind k) { return key.IsScalar() && key.Scalar() == layer_key(k); });
    if (kind == std::end(layer_kinds)) {
      std::vector<std::string> known;
      for (const auto k : layer_kinds) known.emplace_back(layer_key(k));
      report_.error(key.Mark(),
                    key.IsScalar() ? fmt::format("unknown layer '{}'", key.Scalar())
                                   : "a layer must be one word or one word with its fields",
                    fmt::format("known are {}", fmt::join(known, ", ")));
      return add({}, {});  // keeps later numbers and references right
    }
    LayerSpec l;
    l.kind = *kind;
    const int number = numbers_[l.kind]++;
    YamlFields f(body, fmt::format("layer {} ({})", spec_.layers.size(), layer_key(l.kind)), report_);
    where_ = fmt::format("layer {} ({})", spec_.layers.size(), layer_key(l.kind));
    l.name = f.text("name", false, layer_key(l.kind) + std::to_string(number));
    l.from = reference(f, "from", false);
    const std::vector<std::int64_t>* in = l.from == unknown ? nullptr : shape_of(l.from);
    read_fields(f, l, in);
    f.finish();
    if (l.shape.empty() || !check_size(report_, mark_, where_, l.shape)) l.shape.clear();
    add(std::move(l), f.has("name") ? f.mark_of("name") : mark_);
  }

  void add(LayerSpec l, const YAML::Mark& mark) {
    if (!l.name.empty() && (l.name == "input" || !names_.emplace(l.name, static_cast<int>(spec_.layers.size())).second))
      report_.error(mark, fmt::format("the name '{}' is taken", l.name));
    spec_.layers.push_back(std::move(l));
    marks_.push_back(mark_);
  }

  static constexpr int unknown = -2;

  /// Null when the layer's shape could not be inferred.
  const std::vector<std::int64_t>* shape_of(int layer) const {
    const auto& shape = layer < 0 ? spec_.input_shape : spec_.layers[static_cast<std::size_t>(layer)].shape;
    return shape.empty() || known_elements(shape) < 0 ? nullptr : &shape;
  }

  int reference(YamlFields& f, const std::string& key, bool required) {
    const std::string name = f.text(key, required);
    return name.empty() ? static_cast<int>(spec_.layers.size()) - 1 : layer_called(name, f.mark_of(key));
  }

  int layer_called(const std::string& name, const YAML::Mark& mark) {
    if (name == "input") return -1;
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    report_.error(mark, fmt::format("{}: no earlier layer is called '{}'", where_, name));
    return unknown;
  }

  void read_fields(YamlFields& f, LayerSpec& l, const std::vector<std::int64_t>* in) {
    switch (l.kind) {
      case OperatorKind::conv_2d: {
        const auto filters = f.integer("filters", true, 1, max_elements, 1);
        l.bias = f.boolean("bias", true);
        read_block(f, l, in ? in->back() : 0, filters);
        return read_window(f, l, in, filters, false);
      }
      case OperatorKind::depthwise_conv_2d: {
        const auto multiplier = f.integer("multiplier", false, 1, max_window, 1);
        l.options.depth_multiplier = static_cast<int>(multiplier);
        l.bias = f.boolean("bias", true);
        return read_window(f, l, in, in ? std::min(in->back() * multiplier, max_elements + 1) : 1, false);
      }
      case OperatorKind::average_pool_2d:
      case OperatorKind::max_pool_2d:
        return read_window(f, l, in, in ? in->back() : 1, true);
      case OperatorKind::fully_connected: {
        const auto units = f.integer("units", true, 1, max_elements, 1);
        l.bias = f.boolean("bias", true);
        read_activation(f, l);
        if (!in) return void(f.take("block", false));
        const std::int64_t rows = in->size() == 2 ? in->front() : 1;
        read_block(f, l, known_elements(*in) / rows, units);
        l.shape = {rows, units};
        return count_weights(weights_shape(l, *in));
      }
      case OperatorKind::add: {
        l.with = {reference(f, "with", true)};
        read_activation(f, l);
        const auto* other = l.with[0] == unknown ? nullptr : shape_of(l.with[0]);
        if (!in || !other) return;
        if (*in != *other)
          return report_.error(mark_,
                               fmt::format("{}: shapes {} and {} differ", where_, text_of(*in), text_of(*other)));
        l.shape = *in;
        return;
      }
      case OperatorKind::reshape: {
        l.shape = f.extents("shape", true, 0, false, max_elements);
        if (in && !l.shape.empty() && known_elements(l.shape) != known_elements(*in)) {
          report_.error(f.mark_of("shape"),
                        fmt::format("{}: {} has not as many elements as {}", where_, text_of(l.shape), text_of(*in)));
          l.shape.clear();
        }
        return;
      }
      case OperatorKind::concatenation:
        return read_parts(f, l, in);
      case OperatorKind::pad:
        return read_pad(f, l, in);
      case OperatorKind::mean: {
        l.options.keep_dims = f.boolean("keep_dims", false);
        l.options.axes = {1, 2};
        if (!in || !is_image(*in)) return;
        if (l.options.keep_dims)
          l.shape = {1, 1, 1, in->back()};
        else
          l.shape = {1, in->back()};
        return;
      }
      case OperatorKind::dropout:
        l.options.alpha = static_cast<float>(f.number("rate", 0, 0.95, 0.5));
        if (in) l.shape = *in;
        return;
      case OperatorKind::softmax:
        l.options.beta = static_cast<float>(f.number("beta", 1e-3, 1e3, 1.0));
        if (in) l.shape = *in;
        return;
      default:
        return;
    }
  }

  void read_activation(YamlFields& f, LayerSpec& l) {
    static constexpr Activation all[] = {Activation::none, Activation::relu, Activation::relu6,
                                         Activation::relu_n1_to_1};
    l.options.activation = all[f.word("activation", {"none", "relu", "relu6", "relu_n1_to_1"}, 0)];
  }

  /// @param in_c, out_c channels; 0: not known
  void read_block(YamlFields& f, LayerSpec& l, std::int64_t in_c, std::int64_t out_c) {
    const auto block = f.integer("block", false, 1, DSE_LARGEST_BLOCK, 1);
    if (in_c > 0 && block > std::max(in_c, out_c))
      return report_.error(f.mark_of("block"),
                           fmt::format("{}: a block of {} is larger than the layer, which has {} inputs and {} outputs",
                                       where_, block, in_c, out_c));
    l.options.block = static_cast<int>(block);
  }

  bool is_image(const std::vector<std::int64_t>& in) {
    if (in.size() == 4 && in.front() == 1) return true;
    report_.error(mark_, fmt::format("{}: the input has shape {}, not [1, H, W, C]", where_, text_of(in)));
    return false;
  }

  void read_parts(YamlFields& f, LayerSpec& l, const std::vector<std::int64_t>* in) {
    l.options.axis = 3;
    const bool image = in && is_image(*in);
    bool known = image;
    std::int64_t channels = image ? in->back() : 0;
    for (const auto& [name, mark] : f.names("with", most_parts)) {
      const int part = layer_called(name, mark);
      l.with.push_back(part);
      const auto* shape = part == unknown ? nullptr : shape_of(part);
      known = known && shape;
      if (part != unknown && (part == l.from || std::count(l.with.begin(), l.with.end(), part) > 1)) {
        report_.error(mark, fmt::format("{}: '{}' is a part already", where_, name));
      } else if (image && shape && !fit_together(*in, *shape)) {
        known = false;
        report_.error(mark, fmt::format("{}: shapes {} and {} of '{}' differ in more than channels", where_,
                                        text_of(*in), text_of(*shape), name));
      } else if (known) {
        channels += shape->back();
      }
    }
    if (known && !l.with.empty()) l.shape = {1, (*in)[1], (*in)[2], channels};
  }

  /// They differ in channels at most.
  static bool fit_together(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end() - 1, b.begin());
  }

  void read_pad(YamlFields& f, LayerSpec& l, const std::vector<std::int64_t>* in) {
    const auto p = f.extents("padding", true, 4, true, max_window, 0);
    if (p.empty() || !in || !is_image(*in)) return;
    l.options.pad_before = {0, p[0], p[2], 0}, l.options.pad_after = {0, p[1], p[3], 0};
    l.shape = {1, (*in)[1] + p[0] + p[1], (*in)[2] + p[2] + p[3], in->back()};
  }

  void read_window(YamlFields& f, LayerSpec& l, const std::vector<std::int64_t>* in, std::int64_t channels, bool pool) {
    OperatorOptions& o = l.options;
    const auto kernel = f.extents("kernel", true, 2, true, max_window);
    auto stride = f.extents("stride", false, 2, true, max_window);
    auto dilation = pool ? std::vector<std::int64_t>{1, 1} : f.extents("dilation", false, 2, true, max_window);
    std::vector<std::int64_t> pads(4);
    o.explicit_padding = f.is_list("padding");
    if (o.explicit_padding)
      pads = f.extents("padding", false, 4, false, max_window, 0);
    else
      o.same_padding = f.word("padding", {"valid", "same"}, pool ? 0 : 1) == 1;
    read_activation(f, l);
    if (stride.empty()) stride = pool ? kernel : std::vector<std::int64_t>{1, 1};
    if (dilation.empty()) dilation = {1, 1};
    if (kernel.empty() || pads.empty() || !in || !is_image(*in)) return;
    const auto narrow = [](std::int64_t v) { return static_cast<int>(v); };
    o.filter_h = narrow(kernel[0]), o.filter_w = narrow(kernel[1]), o.stride_h = narrow(stride[0]),
    o.stride_w = narrow(stride[1]);
    o.dilation_h = narrow(dilation[0]), o.dilation_w = narrow(dilation[1]);
    o.pad_top = narrow(pads[0]), o.pad_bottom = narrow(pads[1]), o.pad_left = narrow(pads[2]);
    o.pad_right = narrow(pads[3]);
    const Window h = window((*in)[1] + pads[0] + pads[1], kernel[0], stride[0], dilation[0], o.same_padding);
    const Window w = window((*in)[2] + pads[2] + pads[3], kernel[1], stride[1], dilation[1], o.same_padding);
    if (h.out < 1 || w.out < 1)
      return report_.error(
          mark_,
          fmt::format("{}: a window of {} x {} does not fit into {}", where_, kernel[0], kernel[1], text_of(*in)),
          "padding: same");
    l.shape = {1, h.out, w.out, channels};
    if (l.kind == OperatorKind::conv_2d) count_weights(weights_shape(l, *in));
    if (l.kind == OperatorKind::depthwise_conv_2d) count_weights({kernel[0], kernel[1], channels});
  }

  /// All weights together are limited as one tensor is.
  void count_weights(const std::vector<std::int64_t>& shape) {
    const std::int64_t n = known_elements(shape);
    if (n >= 0 && weights_ <= max_elements) weights_ += n;
    if (n < 0 || weights_ > max_elements) report_.error(mark_, where_ + ": the network has more than 64 M weights");
  }

  NetworkSpec& spec_;
  YamlReport& report_;
  std::vector<YAML::Mark> marks_;  // per layer
  std::map<std::string, int> names_;
  std::map<OperatorKind, int> numbers_;
  std::string where_;
  YAML::Mark mark_;
  std::int64_t weights_ = 0;
};

}  // namespace

std::vector<YAML::Mark> read_layers(const YAML::Node& list, NetworkSpec& spec, YamlReport& report) {
  LayerReader reader(spec, report);
  reader.read(list);
  return reader.marks();
}

}  // namespace dse::nn
