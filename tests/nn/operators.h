// Random operators, random layouts, random tilings: the machinery of tiles_test.cpp.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/nn/kernels/dse_kernels.h"

namespace dse::nn::test {

using Random = std::mt19937;
inline int pick(Random& r, int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(r); }

/// Byte offset of an element by the words of dse_kernels.h, independent of the kernels' own address arithmetic.
std::int64_t offset_of(const dse_view& v, std::int32_t y, std::int32_t x, std::int32_t c);

/// A whole operand in plain layout: element (y, x, c) at ((y * w + x) * c_extent + c) * elem.
struct Plain {
  int h = 0, w = 0, c = 0, elem = 1;
  std::vector<std::uint8_t> bytes;
  Plain() = default;
  Plain(int h, int w, int c, int elem);
  std::uint8_t* at(int y, int x, int c_);
  dse_view view();
};

/// An operator with parameters and operands drawn at random.
class RandomOperator {
 public:
  explicit RandomOperator(Random& random);
  dse_op op{};
  Plain operand[DSE_ROLES];  // OUT is filled by run_whole()
  std::vector<std::uint8_t> run_whole();
  std::string describe() const;
  /// Input channels that one output reads.
  int depth() const;
  /// Draws operands anew, after a change of the parameters.
  void refill(Random& random) { fill_operands(random); }

 private:
  void fill_operands(Random& random);
};

/// A box of an operand in memory of its own, in a random layout (planar, interleaved or bricks; rings; gaps;
/// unaligned). All other bytes are poison.
class Placed {
 public:
  Placed(const dse_box& box, int elem, Random& random, std::uint8_t poison);
  dse_view view;
  void load(Plain& from);
  void store(Plain& to);
  /// From and to a view of the whole operand.
  void load(const dse_view& whole);
  void store(const dse_view& whole) const;
  /// Bytes outside the box that are no longer poison.
  int damaged() const;

 private:
  template <class F>
  void each(F f) const;
  std::int64_t origin_ = 0;
  dse_box box_;
  std::uint8_t poison_;
  std::vector<std::uint8_t> memory_;
};

/// Computes the operator tile by tile; each call finds its operands in boxes of their own.
class TiledRun {
 public:
  TiledRun(RandomOperator& whole, unsigned seed, std::uint8_t poison);
  void run();
  std::vector<std::uint8_t> output() const { return out_.bytes; }
  const std::string& violations() const { return violations_; }
  int calls() const { return calls_; }

 private:
  std::vector<dse_span> cut(int extent);
  void run_tile(dse_span y, dse_span x, dse_span c);
  RandomOperator& whole_;
  Random random_;
  std::uint8_t poison_;
  Plain out_;
  std::string violations_;
  int calls_ = 0;
};

}  // namespace dse::nn::test
