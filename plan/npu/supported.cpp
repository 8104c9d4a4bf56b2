#include "plan/npu/supported.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/index.h"
#include "plan/npu/graph.h"

namespace dse::plan::npu {
namespace {

using nn::DataType;
using nn::OperatorKind;

/// What is asked of an operator, one question after the other; the first that is not met is the reason.
class Questions {
 public:
  Questions(const nn::Network& n, const nn::Operator& op) : n_(n), op_(op) {}

  const nn::Tensor& input(std::size_t i) const { return n_.tensors[index(op_.inputs[i])]; }
  const nn::Tensor& output() const { return n_.tensors[index(op_.outputs[0])]; }
  bool met() const { return why_.empty(); }
  std::string why() && { return std::move(why_); }
  void ask(bool met, const std::string& why) {
    if (!met && why_.empty()) why_ = why;
  }
  template <class... Args>
  void ask(bool met, fmt::format_string<Args...> text, Args&&... args) {
    if (!met && why_.empty()) why_ = fmt::format(text, std::forward<Args>(args)...);
  }
  void range(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
    ask(value >= least && value <= most, "{} is {}, the NPU has {} to {}", what, value, least, most);
  }

 private:
  const nn::Network& n_;
  const nn::Operator& op_;
  std::string why_;
};

bool of_bytes(const nn::Tensor& t) { return t.type == DataType::int8 || t.type == DataType::uint8; }

void ask_tensors(Questions& q, const nn::Network& n, const nn::Operator& op) {
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const int t : *list) {
      if (t < 0) continue;
      const nn::Tensor& x = n.tensors[index(t)];
      q.ask(x.shape.size() <= 4, "'{}' has {} dimensions, the NPU 4", x.name, x.shape.size());
      for (const std::int64_t d : x.shape)
        q.ask(d >= 1 && d <= 65535, "'{}' has an extent of {}, the NPU has 1 to 65535", x.name, d);
    }
  for (std::size_t i = 0; i < 1; ++i) {
    const DataType in = q.input(0).type, out = q.output().type;
    const bool known =
        of_bytes(q.input(0)) || in == DataType::int16 || (in == DataType::int32 && is_elementwise(op.kind));
    q.ask(known, "it reads {}, the NPU INT8, UINT8 and INT16", nn::name_of(in));
    const bool makes =
        of_bytes(q.output()) || out == DataType::int16 || (out == DataType::int32 && is_elementwise(op.kind));
    q.ask(makes, "it makes {}, the NPU INT8, UINT8 and INT16", nn::name_of(out));
  }
  q.ask(op.options.rounding != nn::Rounding::qformat, "it computes in a Q format, the NPU by scales");
}

void ask_one_batch(Questions& q) {
  const auto& s = q.input(0).shape;
  q.ask(s.size() < 4 || s[0] == 1, "it has a batch of {}, the NPU of 1", s.empty() ? 1 : s[0]);
}

/// The largest sum of magnitudes of a filter's weights.
std::int64_t largest_filter(const nn::Network& n, const nn::Operator& op) {
  const nn::Tensor& w = n.tensors[index(op.inputs[1])];
  const auto raw = nn::filter_major_weights(n, op);
  const std::size_t filters =
      static_cast<std::size_t>(op.kind == OperatorKind::depthwise_conv_2d ? w.shape[3] : w.shape[0]);
  const auto& zeros = w.quantization.zero_point;
  std::int64_t most = 0;
  for (std::size_t f = 0; f < filters; ++f) {
    std::int64_t sum = 0;
    const std::int64_t zero = zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : f];
    for (std::size_t i = f * raw.size() / filters; i < (f + 1) * raw.size() / filters; ++i)
      sum += std::abs((w.type == DataType::uint8 ? std::int64_t{raw[i]} : static_cast<std::int8_t>(raw[i])) - zero);
    most = std::max(most, sum);
  }
  return most;
}

void ask_weights(Questions& q, const nn::Network& n, const nn::Operator& op) {
  constexpr std::int64_t kMostWeight = 127 * 65536;  // what the accumulators bear
  q.ask(q.input(1).kind == nn::TensorKind::constant, "its weights are no constants");
  q.ask(of_bytes(q.input(1)), "its weights are {}, the NPU has 8 bits", nn::name_of(q.input(1).type));
  if (q.met())
    q.ask(largest_filter(n, op) <= kMostWeight, "the weights of a filter sum up to more than {}", kMostWeight);
}

void ask_convolution(Questions& q, const nn::Network& n, const nn::Operator& op) {
  const nn::OperatorOptions& o = op.options;
  ask_one_batch(q);
  ask_weights(q, n, op);
  q.ask(o.groups == 1, "it has {} groups, the NPU convolutions of one", o.groups);
  if (!q.met()) return;
  const auto& w = q.input(1).shape;
  const std::int64_t rows = (w[1] - 1) * o.dilation_h + 1, columns = (w[2] - 1) * o.dilation_w + 1;
  q.range("its kernel's height, with dilation,", rows, 1, 64);
  q.range("its kernel's area, with dilation,", rows * columns, 1, 64 * 64);
  const bool depthwise = op.kind == OperatorKind::depthwise_conv_2d;
  const bool folds = !depthwise && o.stride_w > 3 && q.input(0).image().w % o.stride_w == 0;
  q.range("its stride in rows", o.stride_h, 1, 3);
  if (!folds) q.range("its stride in columns", o.stride_w, 1, 3);
  if (depthwise) {
    const std::int64_t channels = q.input(0).image().c;
    q.ask(w[3] == channels || channels == 1, "it makes {} channels of {}, the NPU as many as there are, or some of one",
          w[3], channels);
  }
}

void ask_pool(Questions& q, const nn::Operator& op) {
  const nn::OperatorOptions& o = op.options;
  ask_one_batch(q);
  const auto in = q.input(0).image();
  const bool all = op.kind == OperatorKind::global_average_pool || op.kind == OperatorKind::global_max_pool;
  const std::int64_t h = all ? in.h : o.filter_h, w = all ? in.w : o.filter_w;
  const bool still = all || (h == in.h && w == in.w);
  if (!still) q.range("its stride in rows", o.stride_h, 1, 3), q.range("its stride in columns", o.stride_w, 1, 3);
  if (o.same_padding && (op.kind == OperatorKind::average_pool_2d)) {
    q.range("its window's height, with padding,", h, 1, 8), q.range("its window's width, with padding,", w, 1, 8);
  } else {
    q.range("its window's height", h, 1, 256);
    q.range("its window's area", h * w, 1, 256 * 256);
  }
  q.ask(!(o.explicit_padding && (o.pad_top || o.pad_left || o.pad_bottom || o.pad_right)) ||
            op.kind == OperatorKind::max_pool_2d,
        "its window is padded by given numbers, the NPU pads averages as TensorFlow does");
}

void ask_mean(Questions& q, const nn::Operator& op) {
  ask_one_batch(q);
  const auto in = q.input(0).image();
  const auto& axes = op.options.axes;
  const std::int64_t rank = static_cast<std::int64_t>(q.input(0).shape.size());
  const auto over = [&](std::int64_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
  q.ask(rank == 4 && axes.size() == 2 && over(1) && over(2), "it is not over rows and columns");
  q.range("its area", in.h * in.w, 1, 4096);
  q.range("its height", in.h, 1, 64);
}

void ask_binary(Questions& q, const nn::Operator& op) {
  if (op.inputs.size() < 2) return;
  const Shape a = shape_of(q.input(0)), b = shape_of(q.input(1)), out = shape_of(q.output());
  q.ask(a == out || b == out, "both operands are stretched, the NPU stretches one");
  q.ask(q.input(0).type == q.input(1).type, "its operands are {} and {}, the NPU has one type",
        nn::name_of(q.input(0).type), nn::name_of(q.input(1).type));
  q.ask(out.n == 1, "it has a batch of {}, the NPU of 1", out.n);
}

void ask_resize(Questions& q, const nn::Operator& op) {
  ask_one_batch(q);
  const auto in = q.input(0).image(), out = q.output().image();
  const bool twice = out.h == in.h * 2 && out.w == in.w * 2, four = out.h == in.h * 4 && out.w == in.w * 4,
             eight = out.h == in.h * 8 && out.w == in.w * 8;
  q.ask(twice || four || eight, "it enlarges {}x{} to {}x{}, the NPU by 2, 4 and 8", in.h, in.w, out.h, out.w);
  q.ask(!op.options.align_corners && !op.options.half_pixel_centers,
        "it samples at corners or centres, the NPU at first pixels");
  q.ask(op.kind != OperatorKind::resize_bilinear || q.input(0).type != nn::DataType::uint8,
        "it resizes UINT8, which the reference computes in FLOAT32");
}

}  // namespace

std::string why_not(const nn::Network& network, const nn::Operator& op) {
  Questions q(network, op);
  if (op.evaluation != nn::Evaluation::kernel) return "it has no integer kernel";
  ask_tensors(q, network, op);
  switch (op.kind) {
    case OperatorKind::conv_2d:
    case OperatorKind::depthwise_conv_2d:
      ask_convolution(q, network, op);
      break;
    case OperatorKind::fully_connected:
      ask_weights(q, network, op);
      break;
    case OperatorKind::transpose_conv: {
      ask_one_batch(q), ask_weights(q, network, op);
      const auto& o = op.options;
      q.ask((o.stride_h == 1 || o.stride_h == 2) && o.stride_h == o.stride_w,
            "its strides are {} and {}, the NPU has 1 and 2 of both", o.stride_h, o.stride_w);
      break;
    }
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
    case OperatorKind::global_average_pool:
    case OperatorKind::global_max_pool:
      ask_pool(q, op);
      break;
    case OperatorKind::mean:
      ask_mean(q, op);
      break;
    case OperatorKind::add:
    case OperatorKind::sub:
    case OperatorKind::mul:
    case OperatorKind::minimum:
    case OperatorKind::maximum:
      ask_binary(q, op);
      break;
    case OperatorKind::abs:
    case OperatorKind::leaky_relu:
    case OperatorKind::relu:
    case OperatorKind::relu6:
    case OperatorKind::relu_n1_to_1:
    case OperatorKind::clip:
    case OperatorKind::quantize:
    case OperatorKind::reshape:
    case OperatorKind::squeeze:
    case OperatorKind::expand_dims:
    case OperatorKind::identity:
      break;
    case OperatorKind::logistic:
    case OperatorKind::tanh:
    case OperatorKind::hard_swish:
      q.ask(q.input(0).type == q.output().type, "it changes the type");
      q.ask(of_bytes(q.input(0)) || op.kind != OperatorKind::hard_swish,
            "it reads INT16, the NPU has tables of 8 bits");
      break;
    case OperatorKind::split:
    case OperatorKind::concatenation:
      q.ask(q.output().shape.size() <= 4, "it has too many dimensions");
      break;
    case OperatorKind::softmax:
      q.ask(q.input(0).type == q.output().type, "it makes {} of {}, the NPU has one type", nn::name_of(q.output().type),
            nn::name_of(q.input(0).type));
      q.ask(op.options.axis + 1 == static_cast<int>(q.input(0).shape.size()), "it is not over the last dimension");
      break;
    case OperatorKind::resize_bilinear:
    case OperatorKind::resize_nearest_neighbor:
      ask_resize(q, op);
      break;
    case OperatorKind::unidirectional_sequence_lstm:
      q.ask(!q.input(0).shape.empty() && q.input(0).shape.size() == 3 &&
                q.input(0).shape[op.options.time_major ? 1 : 0] == 1,
            "it has more than one sequence, the NPU one");
      break;
    default:
      q.ask(false, "the NPU has no {}", nn::name_of(op.kind));
  }
  return std::move(q).why();
}

}  // namespace dse::plan::npu
