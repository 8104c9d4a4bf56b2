// Operators drawn at random, in the oracle's terms: shapes, types, quantisation, options, data. What is drawn here
// keeps to what the arithmetic is defined for; corners (windows beside the image, zero points at the limits, biases
// that fill the accumulator) come often, not by luck.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "tests/nn/oracle/oracle.h"

namespace dse::nn::random_ops {

using oracle::Mode;
using oracle::Options;
using oracle::Tensor;
using oracle::Type;
using Shape = std::vector<std::int64_t>;

/// One input of an operator.
struct Argument {
  Tensor tensor;
  bool constant = false, variable = false, absent = false;
};

struct Case {
  std::string kind;  // TFLite's name
  Options o;
  std::vector<Argument> in;
  std::vector<Tensor> out;
  std::string describe() const;
};

class Draw {
 public:
  Draw(std::uint64_t seed, Mode mode) : mode(mode), random_(seed), binary_(chance(25)) {}
  const Mode mode;

  std::int64_t in(std::int64_t lo, std::int64_t hi);
  int small(int lo, int hi) { return static_cast<int>(in(lo, hi)); }
  bool chance(int percent) { return in(0, 99) < percent; }
  float real(float lo, float hi);       // uniform
  float geometric(float lo, float hi);  // uniform in the logarithm
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + in(0, static_cast<std::int64_t>(list.size()) - 1));
  }

  /// A scale of the mode, near `about`: a power of two in Q formats.
  float scale(float about);
  std::int64_t zero(Type t);
  /// A quantised tensor without data.
  Tensor tensor(Shape shape, Type type, float about = 0.05f);
  /// Data over the whole type; now and then all one limit.
  void fill(Tensor& t);
  Argument input(Tensor t);
  Argument constant(Tensor t);
  Argument integers(const std::vector<std::int64_t>& values, Type type = Type::i32);
  Argument absent() { return {{}, true, false, true}; }
  /// Quantised activations of the mode: int8 mostly, also int16, and uint8 where the mode has it.
  Type activations(bool wide = true, bool bytes = false);
  oracle::Activation activation();
  Shape image(int batch_to = 3);
  /// Mostly images; one to three dimensions, or five.
  Shape any_rank();

 private:
  std::mt19937_64 random_;
  bool binary_;  // all scales are powers of two, or three times one: quotients then end in exact ties
};

/// True when this file knows how to draw `kind` in `mode`.
std::vector<std::string> kinds_of(Mode mode);
/// @throws std::invalid_argument for a kind that the mode does not define.
Case draw(const std::string& kind, Mode mode, std::uint64_t seed);

// By family; each returns false when the kind is not its own.
bool draw_weighted(Draw& d, Case& c);
bool draw_windowed(Draw& d, Case& c);
bool draw_binary(Draw& d, Case& c);
bool draw_unary(Draw& d, Case& c);
bool draw_shaped(Draw& d, Case& c);
bool draw_recurrent(Draw& d, Case& c);

/// Draws strides, dilation and padding for a window over `in` pixels. @returns the output's extent.
struct WindowAxis {
  int kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  std::int64_t out = 0;
};
WindowAxis draw_axis(Draw& d, std::int64_t in, oracle::Padding padding, bool dilated);

}  // namespace dse::nn::random_ops
