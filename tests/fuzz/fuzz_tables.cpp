// Any text is a table of measurements with cycles above 0, of networks that are there or said in words, or a list of
// diagnostics; and it is a table of cycles by shape, in which every row takes its own cycles and no more than it
// bounds, or another such list.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "explore/calibrate/measured.h"
#include "models/hw/libraries/shape_rows.h"
#include "models/hw/libraries/shape_table.h"
#include "models/nn/import.h"

namespace {

dse::nn::NetworkPtr one() {
  dse::Diagnostics d;
  return dse::nn::import_yaml(
      "format: 1\nname: one\nseed: 1\ninput: {shape: [1, 4], scale: 0.1, zero_point: 0}\nlayers:\n  - fully_connected: "
      "{name: fc, units: 2}\n",
      "one.yaml", d);
}

/// The whole call that a row is of.
dse_op op_of(const dse::hw::ShapeCycles& row) {
  const auto n = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  dse_op op{};
  op.kind = dse::hw::table_operator(row.op)->kind, op.in_type = row.wide ? DSE_I16 : DSE_I8;
  op.out_h = n(row.rows), op.out_w = n(row.columns), op.out_c = n(row.channels), op.in_c = n(row.depth);
  op.kernel_h = n(row.kernel_h), op.kernel_w = n(row.kernel_w);
  op.stride_h = n(row.stride_h), op.stride_w = n(row.stride_w);
  op.dilation_h = n(row.dilation_h), op.dilation_w = n(row.dilation_w);
  return op;
}

bool small(const dse::hw::ShapeCycles& row) {
  return row.rows * row.columns < 1 << 20 && row.channels * row.depth < 1 << 20 &&
         row.kernel_h * row.kernel_w < 1 << 16;
}

void read_shapes(std::string_view text) {
  dse::Diagnostics diagnostics;
  dse::hw::Engine e;
  e.kind = dse::hw::EngineKind::table;
  auto rows = dse::hw::read_shape_rows(text, "fuzz.csv", diagnostics);
  if (rows.has_value() == diagnostics.has_errors()) std::abort();
  (void)diagnostics.text();
  if (!rows) return;
  if (rows->empty()) std::abort();
  e.cycles_by_shape = std::move(*rows);
  const dse::hw::ShapeTable table(e);
  for (const auto& row : e.cycles_by_shape) {
    if (row.cycles < 1 || dse::hw::words_of(row).empty()) std::abort();
    if (!small(row)) continue;  // no layer has more values than an int32 counts
    const auto op = op_of(row);
    const auto work = dse::program::whole_call(op);
    if (table.cycles(work) != row.cycles || table.least_cycles(work) > row.cycles) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto network = one();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = [](const std::string& name, dse::Diagnostics&) { return name == "one" ? network : nullptr; };
  for (const bool some : {false, true}) {
    dse::Diagnostics diagnostics;
    dse::explore::RowChoice choice;
    if (some) choice.where.push_back(*dse::explore::condition_of("board~a"));
    const auto rows = dse::parse_csv(text, "fuzz.csv", diagnostics);
    const auto table = rows ? dse::explore::read_measured(*rows, "fuzz.csv", choice, read, diagnostics) : std::nullopt;
    if (table.has_value() == diagnostics.has_errors()) std::abort();
    (void)diagnostics.text();
    if (!table) continue;
    if (table->rows.empty()) std::abort();
    for (const auto& row : table->rows)
      if (!(row.cycles > 0) || row.op >= 1 || row.op < -1 || row.line < 1 || !row.network || row.about.empty())
        std::abort();
  }
  read_shapes(text);
  return 0;
}
