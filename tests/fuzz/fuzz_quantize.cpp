// Small random float networks, drawn from the bytes, through both schemes: quantised and run, or refused with a
// diagnostic.
#include <cstdlib>
#include <cstring>

#include "models/nn/made/fill.h"
#include "models/nn/quantizer/quantizer.h"
#include "run_small.h"

namespace {

using namespace dse::nn;

/// Takes bytes, then zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  int below(int n) {
    if (left_ == 0) return 0;
    --left_;
    return *data_++ % n;
  }
  bool done() const { return left_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

class Builder {
 public:
  explicit Builder(Bytes& b) : b_(b) {}

  Network build() {
    net_.name = "fuzz";
    first_ = b_.below(3) == 0;
    const std::int64_t h = 1 + b_.below(6), w = 1 + b_.below(6), c = 1 + b_.below(5);
    made_.push_back(add(first_ ? Shape{1, c, h, w} : Shape{1, h, w, c}, TensorKind::input));
    net_.inputs = {made_[0]};
    for (int layers = 1 + b_.below(6); layers > 0 && !b_.done(); --layers) add_layer();
    net_.outputs = {made_.back()};
    return std::move(net_);
  }

 private:
  using Shape = std::vector<std::int64_t>;

  int add(const Shape& shape, TensorKind kind) {
    Tensor t;
    t.name = "t" + std::to_string(net_.tensors.size()), t.shape = shape, t.kind = kind, t.type = DataType::float32;
    if (kind == TensorKind::constant) t.fill = constant();
    net_.tensors.push_back(std::move(t));
    return static_cast<int>(net_.tensors.size()) - 1;
  }
  Fill constant() {
    static constexpr double values[] = {0, 1, -1, 1e-38, 1e38, 5.2, -40000};
    if (b_.below(2) == 0) return {Fill::Kind::value, values[b_.below(7)], 0, 1};
    return {Fill::Kind::he_normal, 0, static_cast<std::uint64_t>(b_.below(256)), 1 + b_.below(64)};
  }

  /// Shapes are guessed; what does not fit is for finish_network to refuse.
  void add_layer() {
    static constexpr OperatorKind kinds[] = {OperatorKind::conv_2d,
                                             OperatorKind::depthwise_conv_2d,
                                             OperatorKind::fully_connected,
                                             OperatorKind::add,
                                             OperatorKind::mul,
                                             OperatorKind::average_pool_2d,
                                             OperatorKind::max_pool_2d,
                                             OperatorKind::softmax,
                                             OperatorKind::logistic,
                                             OperatorKind::tanh,
                                             OperatorKind::relu,
                                             OperatorKind::concatenation,
                                             OperatorKind::reshape,
                                             OperatorKind::leaky_relu,
                                             OperatorKind::mean,
                                             OperatorKind::global_average_pool,
                                             OperatorKind::gemm,
                                             OperatorKind::batch_normalization,
                                             OperatorKind::maximum,
                                             OperatorKind::transpose_conv};
    Operator op;
    op.kind = kinds[b_.below(20)];
    const int x = made_[static_cast<std::size_t>(b_.below(static_cast<int>(made_.size())))];
    Shape in = net_.tensors[static_cast<std::size_t>(x)].shape, out = in;
    OperatorOptions& o = op.options;
    o.channels_first = first_ && in.size() == 4;
    o.activation = static_cast<Activation>(b_.below(4));
    op.inputs = {x};
    const std::size_t h = o.channels_first ? 2 : 1, c = o.channels_first ? 1 : in.size() - 1;
    const auto window = [&](std::int64_t k) {
      o.stride_h = o.stride_w = 1 + b_.below(2);
      o.same_padding = b_.below(2) == 0;
      for (std::size_t d = h; d < h + 2 && d < out.size(); ++d)
        out[d] = o.same_padding ? (in[d] + o.stride_h - 1) / o.stride_h : (in[d] - k) / o.stride_h + 1;
    };
    const std::int64_t k = 1 + b_.below(3), channels = 1 + b_.below(6);
    switch (op.kind) {
      case OperatorKind::conv_2d:
        window(k), out[c] = channels;
        op.inputs.push_back(
            add(o.channels_first ? Shape{channels, in[c], k, k} : Shape{channels, k, k, in[c]}, TensorKind::constant));
        op.inputs.push_back(b_.below(2) ? add({channels}, TensorKind::constant) : -1);
        break;
      case OperatorKind::transpose_conv:
        out[c] = channels;
        op.inputs.push_back(
            add(o.channels_first ? Shape{in[c], channels, 1, 1} : Shape{channels, 1, 1, in[c]}, TensorKind::constant));
        break;
      case OperatorKind::depthwise_conv_2d:
        window(k);
        op.inputs.push_back(
            add(o.channels_first ? Shape{in[c], 1, k, k} : Shape{1, k, k, in[c]}, TensorKind::constant));
        op.inputs.push_back(b_.below(2) ? add({in[c]}, TensorKind::constant) : -1);
        break;
      case OperatorKind::fully_connected:
      case OperatorKind::gemm: {
        std::int64_t depth = 1;
        for (const auto d : in) depth *= d;
        out = {1, channels};
        o.adj_y = op.kind == OperatorKind::gemm, o.alpha = 1;
        op.inputs.push_back(add({channels, depth}, TensorKind::constant));
        op.inputs.push_back(b_.below(2) ? add({channels}, TensorKind::constant) : -1);
        break;
      }
      case OperatorKind::add:
      case OperatorKind::mul:
      case OperatorKind::maximum:
        op.inputs.push_back(b_.below(2) ? x : add({in.back()}, TensorKind::constant));
        break;
      case OperatorKind::concatenation:
        op.inputs.push_back(x), o.axis = static_cast<int>(c), out[c] *= 2;
        break;
      case OperatorKind::average_pool_2d:
      case OperatorKind::max_pool_2d:
        window(k), o.filter_h = o.filter_w = static_cast<int>(k);
        break;
      case OperatorKind::reshape:
        out = {1, 1};
        for (const auto d : in) out[1] *= d;
        break;
      case OperatorKind::mean:
        o.axes = {1, 2}, o.keep_dims = true;
        for (std::size_t d = 1; d < 3 && d < out.size(); ++d) out[d] = 1;
        break;
      case OperatorKind::global_average_pool:
        for (std::size_t d = h; d < h + 2 && d < out.size(); ++d) out[d] = 1;
        break;
      case OperatorKind::batch_normalization:
        for (int i = 0; i < 4; ++i) op.inputs.push_back(add({in[c]}, TensorKind::constant));
        o.epsilon = 1e-5f;
        break;
      default:
        break;
    }
    made_.push_back(add(out, TensorKind::activation));
    op.outputs = {made_.back()};
    net_.operators.push_back(std::move(op));
  }

  Bytes& b_;
  Network net_;
  std::vector<int> made_;
  bool first_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dse::nn::quantizer;
  Bytes bytes(data, size);
  QuantizeOptions options;
  options.scheme = bytes.below(2) ? Scheme::q_format : Scheme::tflite_int8;
  const bool automatic = bytes.below(4) == 0;
  options.bits = bytes.below(2) ? 16 : 8;
  options.per_channel = bytes.below(2) == 0;
  options.divisor = static_cast<Divisor>(bytes.below(2));
  options.correction = static_cast<Correction>(bytes.below(2));
  options.fully_fractional = bytes.below(2) == 0;
  if (bytes.below(3) == 0) options.activations = {Statistic::Kind::percentile, 99};
  if (bytes.below(3) == 0) options.weights = {Statistic::Kind::sigma, 2};
  const int rescaling = bytes.below(4), batches = bytes.below(9);
  options.worst_case = options.scheme == Scheme::q_format && rescaling == 1;
  if (options.scheme == Scheme::q_format && rescaling >= 2)
    options.factors = OutputBatches{static_cast<OutputBatches::By>(batches % 3), batches + 1};
  dse::Diagnostics diags;
  LoadOptions load;
  load.allow_float = true;
  const auto network = finish_network(Builder(bytes).build(), diags, "fuzz", load);
  if (!network) return 0;
  const auto prepared = prepare(*network, options, "fuzz", diags);
  if ((prepared == nullptr) != diags.has_errors()) std::abort();
  if (!prepared) return 0;
  const auto samples = in_layout_of(*prepared, *network, synthetic_samples(*network, 2, 1));
  const auto observed = observe(*prepared, samples);
  std::vector<int> bits(prepared->operators.size(), options.scheme == Scheme::q_format ? options.bits : 8);
  if (automatic && options.scheme == Scheme::q_format)
    bits = choose_bits(*prepared, observed, samples, options, {}, "fuzz", diags);
  if (diags.has_errors()) return 0;
  auto made = quantize(*prepared, observed, options, bits, "fuzz", diags);
  if ((made.network == nullptr) != diags.has_errors()) std::abort();
  if (made.network) measure(*prepared, made, samples);
  return 0;
}
