// One operation of an Ethos-U as the hardware sees it: shapes, types and formats, no values.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/hw/ethos_u/system.h"

namespace dse::hw::ethos_u {

struct Shape {
  int n = 1, h = 1, w = 1, c = 1;
  std::int64_t area() const { return std::int64_t{h} * w; }
  std::int64_t elements() const { return std::int64_t{n} * h * w * c; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// nhwc: channels last. brick: NHCWB16, rows of 16 channels of all columns after another; needs fewer, longer bursts.
enum class Format { nhwc, brick };

/// Parts of the NPU that an operation needs, and how it walks.
enum class Unit { convolution, depthwise, vector_product, pooling, reduce_sum, elementwise, copy };

enum class Function {
  conv,
  depthwise,
  fully_connected,
  average_pool,
  max_pool,
  reduce_sum,
  add,
  sub,
  mul,
  minimum,
  maximum,
  abs,
  leaky_relu,
  shift_left,
  shift_right,
  leading_zeros,
  copy
};
Unit unit_of(Function f);
/// Each output channel comes of the input channel of its number.
inline bool by_channel(Unit u) { return u == Unit::depthwise || u == Unit::pooling || u == Unit::elementwise; }
/// A window with weights slides over the input.
inline bool convolves(Unit u) { return u == Unit::convolution || u == Unit::depthwise; }
inline bool has_weights(Unit u) { return convolves(u) || u == Unit::vector_product; }
const char* name_of(Function f);  // "conv", "depthwise", ...
/// Element by element, of two operands.
bool is_binary(Function f);

/// curve: hyperbolic tangents and logistic functions of 16 bits, which need no table.
enum class Activation { none, relu, table, curve };

struct Kernel {
  int h = 1, w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int rows() const { return (h - 1) * dilation_h + 1; }  // with the gaps of dilation
  int columns() const { return (w - 1) * dilation_w + 1; }
  int elements() const { return h * w; }
};

/// An operand.
struct Map {
  Shape shape;
  int bits = 8;
  Format format = Format::nhwc;
  Area area = Area::sram;
};

/// What the input is enlarged by as it is read: nothing, each element repeated, zeros between.
enum class Upscale { none, nearest, zeros };

struct Job {
  Function function = Function::conv;
  Activation activation = Activation::none;
  Map ifm, ofm;
  std::optional<Map> ifm2;
  Kernel kernel;
  Upscale upscale = Upscale::none;
  bool scalar = false;          // one of two operands is a single value that is part of the command
  bool scaled = true;           // outputs are scaled: 16-bit inputs need accumulators of 40 bits then
  bool has_bias = false;        // with scales: a stream of records per output channel
  Area constants = Area::sram;  // where weights and scales are read

  Unit unit() const { return unit_of(function); }
  /// Of the larger of two operands: that is the one whose blocks are looked at.
  const Shape& larger_input() const {
    return ifm2 && ifm2->shape.elements() > ifm.shape.elements() ? ifm2->shape : ifm.shape;
  }
};

/// Input rows or columns under `outputs` of them, for a window that reaches so far.
int inputs_under(int outputs, int stride, int reach, Upscale upscale);

/// The next multiple.
inline int up(int n, int to) { return (n + to - 1) / to * to; }
/// Blocks of `size` that cover n.
inline int blocks(int n, int size) { return (n + size - 1) / size; }

/// Accumulators that a job needs: 40 bits, of a U85 48, where 16-bit products are scaled.
Accumulator accumulator_of(const Accelerator& a, const Job& job);

/// A larger kernel is computed in parts of so many rows and columns.
int sub_kernel_limit(const Job& job);
/// Elements of those parts, one after the other.
std::vector<int> sub_kernels(const Job& job);

/// How a job is cut: what a block of outputs is, and of the input under it.
struct BlockConfig {
  Block ofm, ifm;
  Accumulator accumulator = Accumulator::bits32;
  bool part_kernel = false;  // kernel elements inside, input channels outside; else the other way round
  Block ublock = {};         // outputs that are computed at once, per core
  int input_buffers = 2;     // blocks of inputs that are held
  int accumulator_sets = 2;  // blocks of outputs that have accumulators
};

}  // namespace dse::hw::ethos_u
