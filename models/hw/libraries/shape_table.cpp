#include "models/hw/libraries/shape_table.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "models/hw/clocking.h"
#include "program/view.h"

namespace dse::hw {
namespace {

/// No bound says more than this, so that it stays a number of ticks: a row has at most a tenth.
constexpr std::int64_t kMostLeast = 100'000'000'000;

const TableOperator* operator_of(int kind) {
  for (const auto& o : table_operators())
    if (o.kind == kind) return &o;
  return nullptr;
}

CallShape arranged(CallShape s) {
  const auto& w = s.window;
  if (w[0] == 1 && w[1] == 1 && w[2] == 1 && w[3] == 1) s.extents[0] *= s.extents[1], s.extents[1] = 1;
  return s;
}

bool covers(const std::array<std::int64_t, 4>& row, const std::array<std::int64_t, 4>& call) {
  return std::equal(row.begin(), row.end(), call.begin(), [](std::int64_t a, std::int64_t b) { return a >= b; });
}

std::int64_t product(const std::array<std::int64_t, 4>& extents) {
  return extents[0] * extents[1] * extents[2] * extents[3];
}

bool has_rows(const Engine& e, int kind) {
  const auto* o = operator_of(kind);
  return o && std::any_of(e.cycles_by_shape.begin(), e.cycles_by_shape.end(),
                          [&](const ShapeCycles& row) { return row.op == o->name; });
}

/// What the engine's rates are made for. Operators without products that have no rows cost nothing where no rate is
/// given, as on any engine.
bool has_rate(const Engine& rates, const program::CallWork& work, bool rows) {
  const auto a = program::arithmetic_of(work);
  if (a.cycles >= 0) return true;
  if (a.macs > 0) return rates.macs_per_cycle.count(a.wide ? "int16" : "int8") > 0;
  const auto& table = rates.cycles_per_element;
  return !rows || table.count(operator_key(work.op->kind)) > 0 || table.count("default") > 0;
}

std::string by(std::int64_t a, std::int64_t b) { return std::to_string(a) + "x" + std::to_string(b); }

ShapeCycles row_of(const CallShape& s, const program::CallWork& work) {
  ShapeCycles r;
  const auto& w = s.window;
  r.op = operator_of(s.kind)->name, r.wide = s.wide;
  r.kernel_h = w[0], r.kernel_w = w[1], r.stride_h = w[2], r.stride_w = w[3], r.dilation_h = w[4], r.dilation_w = w[5];
  r.rows = program::length(work.tile.y), r.columns = program::length(work.tile.x);
  r.channels = s.extents[2], r.depth = s.extents[3];
  return r;
}

}  // namespace

const std::vector<TableOperator>& table_operators() {
  static const std::vector<TableOperator> operators = {
      {"CONV_2D", DSE_CONV_2D, true, true},
      {"DEPTHWISE_CONV_2D", DSE_DEPTHWISE_CONV_2D, true, false},
      {"FULLY_CONNECTED", DSE_FULLY_CONNECTED, false, true},
      {"AVERAGE_POOL_2D", DSE_AVERAGE_POOL_2D, true, false},
      {"MAX_POOL_2D", DSE_MAX_POOL_2D, true, false},
      {"ADD", DSE_ADD, false, false},
      {"SUB", DSE_SUB, false, false},
      {"MUL", DSE_MUL, false, false},
      {"MAXIMUM", DSE_MAXIMUM, false, false},
      {"MINIMUM", DSE_MINIMUM, false, false},
      {"SOFTMAX", DSE_SOFTMAX, false, false},
  };
  return operators;
}

const TableOperator* table_operator(const std::string& name) {
  for (const auto& o : table_operators())
    if (name == o.name) return &o;
  return nullptr;
}

bool CallShape::covers(const CallShape& other) const { return same_kind(other) && hw::covers(extents, other.extents); }

std::int64_t CallShape::volume() const { return product(extents); }

CallShape shape_of(const ShapeCycles& r) {
  const auto* o = table_operator(r.op);
  ensure(o != nullptr, "a row of no operator that tables have");
  return arranged({o->kind,
                   r.wide,
                   {r.kernel_h, r.kernel_w, r.stride_h, r.stride_w, r.dilation_h, r.dilation_w},
                   {r.rows, r.columns, r.channels, r.depth}});
}

std::optional<CallShape> shape_of(const program::CallWork& work) {
  const dse_op& op = *work.op;
  const dse_tile& tile = work.tile;
  const auto* o = operator_of(op.kind);
  const bool split =
      (op.kind == DSE_CONV_2D && op.groups > 1) || (op.kind == DSE_DEPTHWISE_CONV_2D && op.multiplier > 1);
  if (!o || split) return std::nullopt;
  const auto dilation = [](std::int32_t d) { return std::max<std::int64_t>(1, d); };
  CallShape s{op.kind, program::arithmetic_of(work).wide, {1, 1, 1, 1, 1, 1}, {}};
  if (o->windowed)
    s.window = {op.kernel_h, op.kernel_w, op.stride_h, op.stride_w, dilation(op.dilation_h), dilation(op.dilation_w)};
  using program::length;
  s.extents = {length(tile.y), length(tile.x), length(tile.c), o->sums ? length(tile.k) : 1};
  return arranged(s);
}

std::string words_of(const ShapeCycles& r) {
  const auto* o = table_operator(r.op);
  std::string out = r.op + " of " + by(r.rows, r.columns) + "x" + std::to_string(r.channels);
  if (o && o->sums) out += " from " + std::to_string(r.depth) + " channels";
  if (o && o->windowed) out += ", kernel " + by(r.kernel_h, r.kernel_w) + ", stride " + by(r.stride_h, r.stride_w);
  if (r.dilation_h != 1 || r.dilation_w != 1) out += ", dilation " + by(r.dilation_h, r.dilation_w);
  return out + (r.wide ? ", int16" : ", int8");
}

ShapeTable::ShapeTable(const Engine& e) : known_(DSE_OP_KINDS, false), rates_(e), rest_(e) {
  rates_.cycles_by_shape.clear();
  for (const auto& row : e.cycles_by_shape) {
    const auto s = shape_of(row);
    rows_[{s.kind, s.wide, s.window}].push_back({s.extents, row.cycles});
    known_[static_cast<std::size_t>(s.kind)] = true;
  }
  for (auto& [key, rows] : rows_)
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.cycles < b.cycles; });
}

const std::vector<ShapeTable::Row>* ShapeTable::rows_for(const std::optional<CallShape>& shape) const {
  if (!shape) return nullptr;
  const auto it = rows_.find({shape->kind, shape->wide, shape->window});
  return it == rows_.end() ? nullptr : &it->second;
}

std::int64_t ShapeTable::cycles(const program::CallWork& work) const {
  const auto shape = shape_of(work);
  if (const auto* rows = rows_for(shape))
    for (const auto& row : *rows)
      if (covers(row.extents, shape->extents)) return row.cycles;
  ensure(has_rate(rates_, work, known_[static_cast<std::size_t>(work.op->kind)]),
         "a call that neither the table nor a rate of its engine is for");
  return rest_.cycles(work);
}

std::int64_t ShapeTable::least_cycles(const program::CallWork& work) const {
  const auto shape = shape_of(work);
  const auto* rows = rows_for(shape);
  if (!rows) return rest_.least_cycles(work);
  const auto volume = shape->volume();
  if (volume <= 0) return 0;
  std::int64_t least = kMostLeast;
  bool covered = false;
  for (const auto& row : *rows) {
    auto shared = row.extents;
    for (std::size_t d = 0; d < shared.size(); ++d) shared[d] = std::min(shared[d], shape->extents[d]);
    const auto part = product(shared);
    covered = covered || part == volume;
    if (row.cycles <= kMostLeast / (volume / part)) least = std::min(least, scale_up(volume, row.cycles, part));
  }
  if (covered || !has_rate(rates_, work, true)) return least;
  // Parts that no row covers: their products alone, or their elements where there are none.
  auto a = program::arithmetic_of(work);
  a.corrections = a.shifts = 0;
  if (a.macs > 0) a.elements = 0;
  return std::min(least, rest_.cycles(work.op->kind, a));
}

bool table_covers(const Engine& e, const program::CallWork& work) {
  const auto shape = shape_of(work);
  if (!shape) return false;
  const auto* o = operator_of(shape->kind);
  return std::any_of(e.cycles_by_shape.begin(), e.cycles_by_shape.end(),
                     [&](const ShapeCycles& row) { return row.op == o->name && shape_of(row).covers(*shape); });
}

bool table_is_asked(const Engine& e, const program::CallWork& work) {
  const auto a = program::arithmetic_of(work);
  return e.kind == EngineKind::table && a.cycles < 0 && (a.macs > 0 || has_rows(e, work.op->kind));
}

double most_macs_per_cycle(const Engine& e, bool wide) {
  double most = 0;
  for (const auto& row : e.cycles_by_shape) {
    const auto* o = table_operator(row.op);
    const bool products = o->sums || o->kind == DSE_DEPTHWISE_CONV_2D;
    if (row.wide != wide || !products) continue;
    const double outputs = static_cast<double>(row.rows * row.columns) * static_cast<double>(row.channels);
    const double each = static_cast<double>(row.kernel_h * row.kernel_w * row.depth);
    most = std::max(most, outputs * each / static_cast<double>(row.cycles));
  }
  return most;
}

std::string why_not_timed(const Engine& e, const program::CallWork& work) {
  if (e.is_array() && e.cycles_per_transform.empty() && program::arithmetic_of(work).transforms > 0)
    return e.name + " cannot make Fourier transforms: it has no cycles_per_transform";
  if (!table_is_asked(e, work) || has_rate(e, work, true) || table_covers(e, work)) return {};
  const auto shape = shape_of(work);
  const auto a = program::arithmetic_of(work);
  const std::string rate = a.macs == 0 ? std::string("cycles_per_element for ") + operator_key(work.op->kind)
                                       : std::string("macs_per_cycle for ") + (a.wide ? "int16" : "int8");
  return (shape ? "no row of the table of " + e.name + " covers " + words_of(row_of(*shape, work))
                : "the table of " + e.name + " can have no row for such a " + operator_key(work.op->kind)) +
         ", and it has no " + rate;
}

}  // namespace dse::hw
