// Cycles by shape: what an RTL team, or a measurement, says that calls of some shapes take.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/hw/libraries/rate_table.h"

namespace dse::hw {

/// An operator that tables may have rows of.
struct TableOperator {
  const char* name;  // as TensorFlow Lite has it
  int kind;          // enum dse_op_kind
  bool windowed;     // it has a kernel and a stride
  bool sums;         // over input channels
};
const std::vector<TableOperator>& table_operators();
/// Null: tables have no rows of it.
const TableOperator* table_operator(const std::string& name);

/// What a table knows of a call. Where the window is 1x1 with stride 1, pixels are in any rows: extents[0] counts them
/// all, extents[1] is 1.
struct CallShape {
  int kind = 0;
  bool wide = false;                      // an operand has 16 bits
  std::array<std::int64_t, 6> window{};   // kernel, stride and dilation, height before width: a row has the same
  std::array<std::int64_t, 4> extents{};  // rows, columns, channels, depth: a row has as many or more

  bool same_kind(const CallShape& o) const { return kind == o.kind && wide == o.wide && window == o.window; }
  /// An engine that computes this shape computes the other one too, with some of it idle.
  bool covers(const CallShape& other) const;
  std::int64_t volume() const;
};

CallShape shape_of(const ShapeCycles& row);
/// Nothing: no row is of such a call (another operator, a convolution in groups, a depthwise one with a multiplier).
std::optional<CallShape> shape_of(const program::CallWork& work);
/// "CONV_2D of 16x16x32 from 8 channels, kernel 3x3, stride 1x1, int8".
std::string words_of(const ShapeCycles& row);

/// cycles = those of the cheapest row that covers the call, as an array computes what does not fill it: rows, columns,
/// channels and depth of the tile are at most the row's; operator, kernel, stride, dilation and type are its own. Where
/// no row gives less than a smaller one, which the reader of tables demands, a row's own shape takes its own cycles,
/// and no part of a call takes more than the call. What no row covers goes by the engine's rates. Nothing is
/// interpolated.
class ShapeTable final : public LibraryTiming {
 public:
  explicit ShapeTable(const Engine& e);
  /// @throws InvariantError when no row covers the call and the engine has no rate for it (why_not_timed).
  std::int64_t cycles(const program::CallWork& work) const override;
  /// Of all rows the least cycles per product that a part of this call can make of it, times all products: a part of
  /// p products that a row covers is at most as large as the row and as the call, so it pays at least
  /// p x cycles(row) / products(what row and call share).
  std::int64_t least_cycles(const program::CallWork& work) const override;
  int kernel(const program::CallWork& work) const override { return work.op->kind; }

 private:
  struct Row {
    std::array<std::int64_t, 4> extents;
    std::int64_t cycles;
  };
  using Key = std::tuple<int, bool, std::array<std::int64_t, 6>>;
  const std::vector<Row>* rows_for(const std::optional<CallShape>& shape) const;

  std::map<Key, std::vector<Row>> rows_;  // the cheapest first
  std::vector<bool> known_;               // by kind: it has rows
  Engine rates_;                          // without its table
  RateTable rest_;
};

/// Some row of the engine's table covers the call.
bool table_covers(const Engine& e, const program::CallWork& work);
/// A table ought to tell what this call takes: it makes products, or the table has rows of its operator.
bool table_is_asked(const Engine& e, const program::CallWork& work);
/// Multiply-accumulates per cycle of the row that makes the most of them; 0: no row of this width makes any.
double most_macs_per_cycle(const Engine& e, bool wide);
/// Why an engine with a table has no cycles for a call, in words; empty: it has, or it has no table.
std::string why_not_timed(const Engine& e, const program::CallWork& work);

}  // namespace dse::hw
