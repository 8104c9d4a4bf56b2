// The table of builtin operators with the fields of their option tables and their versions.
#include <algorithm>
#include <iterator>

#include "models/nn/tflite/codec.h"
#include "models/nn/tflite/operand_reader.h"
#include "models/nn/tflite/option_fields.h"
#include "models/nn/tflite/write/operand_writer.h"

namespace dse::nn {
namespace {

namespace fb = tflite;
using K = OperatorKind;

// Fields of option tables: `v` reads or writes them (option_fields.h), `t` is the table.

constexpr auto bare = [](auto&, auto&) {};
constexpr auto activated = [](auto& v, auto& t) { v.activation(t.fused_activation_function); };
/// ADD and SUB of INT16: in general scales, not in powers of two.
constexpr auto summed = [](auto& v, auto& t) {
  activated(v, t);
  v.derived(t.pot_scale_int16, [](auto&...) { return false; });
};
constexpr auto windowed = [](auto& v, auto& t) {
  v.field(t.stride_h, v.o.stride_h), v.field(t.stride_w, v.o.stride_w);
  v.choice(t.padding, v.o.same_padding, fb::Padding::SAME, fb::Padding::VALID, "padding");
  activated(v, t);
};
constexpr auto pooled = [](auto& v, auto& t) {
  windowed(v, t);
  v.field(t.filter_height, v.o.filter_h), v.field(t.filter_width, v.o.filter_w);
};
constexpr auto dilated = [](auto& v, auto& t) {
  windowed(v, t);
  v.field(t.dilation_h_factor, v.o.dilation_h), v.field(t.dilation_w_factor, v.o.dilation_w);
};
constexpr auto depthwise = [](auto& v, auto& t) {  // the multiplier follows from the shapes
  dilated(v, t);
  v.derived(t.depth_multiplier, [](const Network& n, const Operator& op) {
    const auto channels = [&](int tensor) { return n.tensors[static_cast<std::size_t>(tensor)].shape.back(); };
    return channels(op.outputs[0]) / channels(op.inputs[0]);
  });
};
constexpr auto dense = [](auto& v, auto& t) {
  v.only(t.weights_format, std::int8_t{0}, "shuffled weights are not supported");
  activated(v, t);
  v.derived(t.keep_num_dims, [](const Network& n, const Operator& op) {
    return n.tensors[static_cast<std::size_t>(op.outputs[0])].shape.size() > 2;
  });
};
constexpr auto axis = [](auto& v, auto& t) { v.field(t.axis, v.o.axis); };
constexpr auto joined = [](auto& v, auto& t) { axis(v, t), activated(v, t); };
constexpr auto packed = [](auto& v, auto& t) {
  axis(v, t), v.derived(t.values_count, [](const Network&, const Operator& op) { return op.inputs.size(); });
};
constexpr auto unpacked = [](auto& v, auto& t) {
  axis(v, t), v.derived(t.num, [](const Network&, const Operator& op) { return op.outputs.size(); });
};
constexpr auto parts = [](auto& v, auto& t) {
  v.derived(t.num_splits, [](const Network&, const Operator& op) { return op.outputs.size(); });
};
constexpr auto softmaxed = [](auto& v, auto& t) { v.field(t.beta, v.o.beta, "beta"); };
constexpr auto reduced = [](auto& v, auto& t) { v.field(t.keep_dims, v.o.keep_dims); };
constexpr auto indexed = [](auto& v, auto& t) {
  v.derived(t.output_type, [](const Network& n, const Operator& op) {
    return tflite_type(n.tensors[static_cast<std::size_t>(op.outputs[0])].type);
  });
};
constexpr auto squeezed = [](auto& v, auto& t) { v.field(t.squeeze_dims, v.o.axes); };
constexpr auto shaped = [](auto& v, auto& t) {
  v.derived(t.new_shape, [](const Network& n, const Operator& op) {
    const auto& shape = n.tensors[static_cast<std::size_t>(op.outputs[0])].shape;
    return std::vector<std::int32_t>(shape.begin(), shape.end());
  });
};
constexpr auto leaky = [](auto& v, auto& t) { v.field(t.alpha, v.o.alpha, "alpha"); };
constexpr auto resized = [](auto& v, auto& t) {
  v.field(t.align_corners, v.o.align_corners), v.field(t.half_pixel_centers, v.o.half_pixel_centers);
  v.refuse(v.o.align_corners && v.o.half_pixel_centers, "align_corners and half_pixel_centers exclude each other");
};
constexpr auto mirrored = [](auto& v, auto& t) {
  v.choice(t.mode, v.o.mirror_symmetric, fb::MirrorPadMode::SYMMETRIC, fb::MirrorPadMode::REFLECT, "mode");
};
constexpr auto multiplied = [](auto& v, auto& t) { v.field(t.adj_x, v.o.adj_x), v.field(t.adj_y, v.o.adj_y); };
constexpr auto ranked = [](auto& v, auto& t) {  // its fused activation is one that interpreters ignore
  v.field(t.rank, v.o.rank);
};
constexpr auto recurrent = [](auto& v, auto& t) {
  v.field(t.time_major, v.o.time_major);
  v.field(t.cell_clip, v.o.cell_clip, "cell_clip");
  v.refuse(v.o.cell_clip < 0, fmt::format("cell_clip is {}", v.o.cell_clip));
  v.only(t.fused_activation_function, fb::ActivationFunctionType::TANH, "activation {} is not TANH");
  v.only(t.diagonal_recurrent_tensors, false, "diagonal recurrent weights are not supported");
};

template <class Table, auto fields, bool needed>
void read_table(const fb::Operator& from, Operator& op) {
  OptionReader to(op);
  const auto* table = from.builtin_options_as<Table>();
  if (!table && needed) return to.fail("its options are missing or of another operator");
  if (!table && from.builtin_options_type() != fb::BuiltinOptions::NONE)
    return to.fail("its options are of another operator");
  if (!table) return;
  // The one list among the tables that are read: it is copied only when it is short.
  if constexpr (requires { table->squeeze_dims(); })
    if (length(table->squeeze_dims()) > max_tflite_rank) return to.fail("has too many dimensions to squeeze");
  typename Table::NativeTableType t;
  table->UnPackTo(&t);
  fields(to, t);
}

template <class Table, auto fields>
fb::BuiltinOptionsUnion write_table(const Network& n, const Operator& op, bool same_padding) {
  OptionWriter from(n, op, same_padding);
  typename Table::NativeTableType t;
  fields(from, t);
  fb::BuiltinOptionsUnion u;
  u.Set(std::move(t));
  return u;
}

/// Options without which the operator means nothing.
template <class Table, auto fields>
constexpr TfliteOptions required = {read_table<Table, fields, true>, write_table<Table, fields>};
/// Options that are all at their defaults where the file leaves them out.
template <class Table, auto fields>
constexpr TfliteOptions optional = {read_table<Table, fields, false>, write_table<Table, fields>};
/// Options that say nothing that the tensors do not say.
template <class Table, auto fields = bare>
constexpr TfliteOptions written = {nullptr, write_table<Table, fields>};
constexpr TfliteOptions none = {};
constexpr TfliteOptions elu = {[](const fb::Operator&, Operator& op) { op.options.alpha = 1; }, nullptr};

// Versions: an interpreter refuses an operator that is newer than it knows. The numbers are those that the format's own
// converter writes (tensorflow/lite/tools/versioning).

using Use = const TfliteUse&;
using Version = std::int32_t;
bool biased(Use u) { return u.op.inputs.size() > 2 && u.op.inputs[2] >= 0; }
Version grouped(Use u) { return u.input(1).shape.back() != u.input(0).shape.back() ? 6 : 0; }
Version dilated_real(Use u) {
  const OperatorOptions& o = u.op.options;
  return u.type != DataType::int8 && u.type != DataType::int16 && (o.dilation_h != 1 || o.dilation_w != 1) ? 2 : 0;
}
Version dense_version(Use u) {
  if (u.type == DataType::int16) return 0;
  return !biased(u) ? 6 : u.output().shape.size() > 2 ? 5 : 0;
}
Version transposed_version(Use u) {
  if (u.op.options.activation != Activation::none) return 4;
  return biased(u) ? 3 : u.input(1).type == DataType::int8 ? 2 : 1;
}
Version product_version(Use u) {
  const auto scale = [](const Tensor& t) {
    return t.quantization.scale.empty() ? 0.0 : static_cast<double>(t.quantization.scale[0]);
  };
  const double made = scale(u.output());
  return u.type != DataType::int16 && made != 0 && scale(u.input(0)) * scale(u.input(1)) / made >= 1 ? 3 : 0;
}
Version transpose_version(Use u) { return u.rank > 5 ? 6 : u.rank > 4 && u.type != DataType::int16 ? 4 : 0; }
Version strided_version(Use u) {
  const auto* options = u.options.AsStridedSliceOptions();
  return options && options->new_axis_mask != 0 ? 6 : u.rank > 4 ? 4 : 0;
}
template <Version version>
Version from_rank_5(Use u) {
  return u.rank > 4 ? version : 0;
}
Version extreme_version(Use u) { return u.type == DataType::int16 ? 0 : from_rank_5<3>(u); }
template <DataType type, Version version>
Version of_type(Use u) {
  return u.type == type ? version : 0;
}
Version to_int16(Use u) { return u.output().type == DataType::int16 ? 2 : 0; }
Version per_channel(Use u) { return u.type == DataType::int8 && u.input(0).quantization.scale.size() > 1 ? 5 : 0; }
Version centred(Use u) { return u.type != DataType::int16 && u.op.options.half_pixel_centers ? 3 : 0; }
Version aligned(Use u) { return u.type != DataType::int16 && u.op.options.align_corners ? 3 : centred(u); }

using R = OperandReader;
using W = OperandWriter;
constexpr TfliteOperands plain = {}, weighted = {nullptr, &W::weighted}, window = {nullptr, &W::pool},
                         reduction = {&R::reduction, &W::reduction}, index = {&R::arg_extreme, &W::arg_extreme},
                         along_axis = {&R::along_axis, nullptr},
                         along_last = {&R::along_last_axis, &W::along_last_axis}, resize = {&R::resize, &W::resize},
                         strided = {&R::strided_slice, &W::strided_slice}, lstm = {&R::lstm, nullptr},
                         split = {&R::split, &W::split}, transposed = {&R::transpose_conv, &W::transpose_conv},
                         assigned = {nullptr, &W::assign_variable};

// clang-format off
constexpr TfliteCodec codecs[] = {
    // code, kind, options, operands, versions {INT8, INT16, others, otherwise}.
    // Of two codes of one kind the first is written.
    {0, K::add, optional<fb::AddOptions, summed>, plain, {2, 3}},
    {1, K::average_pool_2d, required<fb::Pool2DOptions, pooled>, window, {2, 3}},
    {2, K::concatenation, required<fb::ConcatenationOptions, joined>, along_axis, {2, 3}},
    {3, K::conv_2d, required<fb::Conv2DOptions, dilated>, weighted, {3, 4, 1, grouped}},
    {4, K::depthwise_conv_2d, required<fb::DepthwiseConv2DOptions, depthwise>, weighted, {3, 5, 1, dilated_real}},
    {6, K::dequantize, written<fb::DequantizeOptions>, plain, {2, 3, 1, per_channel}},
    {9, K::fully_connected, optional<fb::FullyConnectedOptions, dense>, weighted, {4, 7, 1, dense_version}},
    {11, K::l2_normalization, written<fb::L2NormOptions>, plain, {2}},
    {14, K::logistic, none, plain, {2, 3}},
    {17, K::max_pool_2d, required<fb::Pool2DOptions, pooled>, window, {2, 3}},
    {18, K::mul, optional<fb::MulOptions, activated>, plain, {2, 4, 1, product_version}},
    {19, K::relu, none, plain, {2, 3, 1, of_type<DataType::uint8, 2>}},
    {20, K::relu_n1_to_1, none, plain, {}},
    {21, K::relu6, none, plain, {2, 3}},
    {builtin::reshape, K::reshape, written<fb::ReshapeOptions, shaped>, {&R::drop_shape, nullptr}, {}},
    {23, K::resize_bilinear, optional<fb::ResizeBilinearOptions, resized>, resize, {2, 4, 1, centred}},
    {25, K::softmax, required<fb::SoftmaxOptions, softmaxed>, along_last, {2, 3}},
    {27, K::svdf, required<fb::SVDFOptions, ranked>, plain, {3}},
    {28, K::tanh, none, plain, {2, 3}},
    {builtin::pad, K::pad, written<fb::PadOptions>, {&R::pad, &W::pad}, {2, 3, 1, from_rank_5<4>}},
    {39, K::transpose, written<fb::TransposeOptions>, {&R::transpose, &W::transpose}, {2, 5, 1, transpose_version}},
    {40, K::mean, optional<fb::ReducerOptions, reduced>, reduction, {2, 3}},
    {41, K::sub, optional<fb::SubOptions, summed>, plain, {2, 5}},
    {42, K::div, optional<fb::DivOptions, activated>, plain, {}},
    {43, K::squeeze, optional<fb::SqueezeOptions, squeezed>, {&R::squeeze, nullptr}, {}},
    {44, K::unidirectional_sequence_lstm, required<fb::UnidirectionalSequenceLSTMOptions, recurrent>, lstm, {1, 5}},
    {builtin::strided_slice, K::strided_slice, none, strided, {2, 1, 1, strided_version}},
    {50, K::log_softmax, written<fb::LogSoftmaxOptions>, along_last, {2}},
    {54, K::prelu, none, plain, {}},
    {55, K::maximum, written<fb::MaximumMinimumOptions>, plain, {2, 4, 1, extreme_version}},
    {56, K::arg_max, written<fb::ArgMaxOptions, indexed>, index, {2}},
    {57, K::minimum, written<fb::MaximumMinimumOptions>, plain, {2, 4, 1, extreme_version}},
    {59, K::neg, written<fb::NegOptions>, plain, {}},
    {builtin::padv2, K::pad, written<fb::PadV2Options>, {&R::pad_with_value, &W::pad}, {2, 3, 1, from_rank_5<4>}},
    {65, K::slice, written<fb::SliceOptions>, {&R::slice, &W::slice}, {2, 4, 1, from_rank_5<5>}},
    {67, K::transpose_conv, required<fb::TransposeConvOptions, windowed>, transposed, {1, 1, 1, transposed_version}},
    {70, K::expand_dims, written<fb::ExpandDimsOptions>, {&R::expand_dims, &W::expand_dims}, {}},
    {74, K::sum, optional<fb::ReducerOptions, reduced>, reduction, {2}},
    {79, K::arg_min, written<fb::ArgMinOptions, indexed>, index, {2}},
    {82, K::reduce_max, optional<fb::ReducerOptions, reduced>, reduction, {2, 3}},
    {83, K::pack, required<fb::PackOptions, packed>, {&R::along_new_axis, nullptr}, {2, 3}},
    {88, K::unpack, required<fb::UnpackOptions, unpacked>, along_axis, {2, 4, 1, of_type<DataType::uint8, 2>}},
    {89, K::reduce_min, optional<fb::ReducerOptions, reduced>, reduction, {2, 3}},
    {97, K::resize_nearest_neighbor, optional<fb::ResizeNearestNeighborOptions, resized>, resize, {2, 4, 1, aligned}},
    {98, K::leaky_relu, required<fb::LeakyReluOptions, leaky>, plain, {1, 2}},
    {99, K::squared_difference, written<fb::SquaredDifferenceOptions>, plain, {2}},
    {100, K::mirror_pad, required<fb::MirrorPadOptions, mirrored>, {&R::pad, &W::paddings}, {2, 3}},
    {101, K::abs, written<fb::AbsOptions>, plain, {2, 3, 1, of_type<DataType::uint8, 2>}},
    {builtin::split_v, K::split, written<fb::SplitVOptions, parts>, {&R::split_v, &W::split}, {2}},
    {builtin::split, K::split, written<fb::SplitOptions, parts>, split, {2, 4, 1, of_type<DataType::int32, 3>}},
    {106, K::add_n, written<fb::AddNOptions>, plain, {}},
    {111, K::elu, elu, {nullptr, &W::elu}, {}},
    {114, K::quantize, written<fb::QuantizeOptions>, plain, {1, 1, 1, to_int16}},
    {117, K::hard_swish, written<fb::HardSwishOptions>, plain, {}},
    {126, K::batch_matmul, optional<fb::BatchMatMulOptions, multiplied>, plain, {2, 3}},
    {builtin::read_variable, K::read_variable, written<fb::ReadVariableOptions>, plain, {}},
    {builtin::assign_variable, K::assign_variable, written<fb::AssignVariableOptions>, assigned, {}},
};
// clang-format on

}  // namespace

const TfliteCodec* tflite_codec(std::int32_t code) {
  const auto* row = std::find_if(std::begin(codecs), std::end(codecs), [&](const auto& c) { return c.code == code; });
  return row == std::end(codecs) ? nullptr : row;
}

const TfliteCodec* tflite_codec(OperatorKind kind) { return row_of(codecs, kind); }

std::int32_t tflite_version(const Network& n, const Operator& op, const TfliteOperator& written) {
  const Tensor& in = n.tensors[static_cast<std::size_t>(op.inputs[0])];
  const TfliteVersions& v = written.codec->versions;
  const Version special = v.otherwise ? v.otherwise({n, op, written.options, in.type, in.shape.size()}) : 0;
  if (special != 0) return special;
  return in.type == DataType::int8 ? v.int8 : in.type == DataType::int16 ? v.int16 : v.other;
}

}  // namespace dse::nn
