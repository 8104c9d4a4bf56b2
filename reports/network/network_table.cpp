#include "reports/network/network_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "reports/network/network_words.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

enum Column : std::size_t { index, name, type, output, data, macs, parameters, bytes, in, out, intensity, count };
using Row = std::array<std::string, Column::count>;
using Widths = std::array<std::size_t, Column::count>;

enum class Unit { bytes, kib, short_kib };  // short: no decimals from 1,000 KiB on

std::string amount(std::int64_t n, Unit unit) {
  if (unit == Unit::bytes) return grouped(n);
  const auto tenths = n / 1024 * 10 + (n % 1024 * 10 + 512) / 1024;
  if (unit == Unit::short_kib && tenths >= 10000) return grouped((tenths + 5) / 10);
  return fmt::format("{}.{}", grouped(tenths / 10), tenths % 10);
}

std::string mark(const nn::Operator& op, bool floating) {
  if (op.evaluation == nn::Evaluation::none) return "!";
  return floating ? "f" : " ";
}

std::vector<Row> rows_of(const nn::Network& n, const nn::Summary& s, Unit unit) {
  const bool kib = unit != Unit::bytes;
  std::vector<Row> rows;
  rows.push_back({"#", "operator", "type", "output", "data", "MACs", "params", kib ? "KiB" : "bytes",
                  kib ? "KiB in" : "bytes in", kib ? "KiB out" : "bytes out", "MAC/B"});
  for (std::size_t o = 0; o < s.layers.size(); ++o) {
    const auto& op = n.operators[o];
    const auto& l = s.layers[o];
    std::string shape;
    if (!l.outputs.empty()) shape = shape_text(n.tensors[static_cast<std::size_t>(l.outputs[0])].shape);
    if (l.outputs.size() > 1) shape += fmt::format(" +{}", l.outputs.size() - 1);
    const bool floating = std::binary_search(s.floating.begin(), s.floating.end(), static_cast<int>(o));
    rows.push_back({fmt::format("{}{}", o, mark(op, floating)), printable(op.name), printable(nn::type_of(op)),
                    std::move(shape), data_types(n, l), l.macs ? grouped(l.macs) : "-",
                    l.parameters ? grouped(l.parameters) : "-", l.parameters ? amount(l.parameter_bytes, unit) : "-",
                    amount(l.input_bytes, unit), amount(l.output_bytes, unit), intensity_text(l.intensity())});
  }
  rows.push_back({"", "total", "", "", "", grouped(s.macs), grouped(s.parameters), amount(s.parameter_bytes, unit),
                  amount(s.input_bytes, unit), amount(s.output_bytes, unit), intensity_text(s.intensity())});
  return rows;
}

Widths widths_of(const std::vector<Row>& rows) {
  Widths w{};
  for (const auto& row : rows)
    for (std::size_t c = 0; c < Column::count; ++c) w[c] = std::max(w[c], row[c].size());
  return w;
}

std::size_t line(const Widths& w) {
  std::size_t sum = Column::count - 1;
  for (const auto one : w) sum += one;
  return sum;
}

/// Takes what is too much from one column, down to `least`.
void narrow(Widths& w, Column c, std::size_t least, std::size_t columns) {
  const auto now = line(w);
  if (now > columns && w[c] > least) w[c] -= std::min(now - columns, w[c] - least);
}

/// Keeps the running number at the end of a name: "batch_norm~12".
std::string cut(const std::string& text, std::size_t width, bool keep_number) {
  if (text.size() <= width || width < 2) return text;
  std::size_t tail = 0;
  while (keep_number && tail + 3 < width && text[text.size() - 1 - tail] >= '0' && text[text.size() - 1 - tail] <= '9')
    ++tail;
  return text.substr(0, width - 1 - tail) + "~" + text.substr(text.size() - tail);
}

}  // namespace

std::string network_table(const nn::Network& n, const nn::Summary& s, std::size_t columns) {
  constexpr std::size_t least_type = 8, least_name = 12;
  std::vector<Row> rows;
  Widths w{};
  for (const auto unit : {Unit::bytes, Unit::kib, Unit::short_kib}) {
    rows = rows_of(n, s, unit);
    w = widths_of(rows);
    narrow(w, type, least_type, columns);
    if (line(w) <= columns) break;
  }
  narrow(w, name, least_name, columns);
  const std::string gap(line(w) + Column::count - 1 <= columns ? 2 : 1, ' ');
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r][name] = cut(rows[r][name], w[name], r > 0 && r + 1 < rows.size());
    rows[r][type] = cut(rows[r][type], w[type], false);
    std::string row;
    for (std::size_t c = 0; c < Column::count; ++c) {
      const bool words = c == name || c == type || c == output || c == data;
      if (c > 0) row += gap;
      // The header of the index stands over its digits; the mark has a place of its own.
      const auto cell = r == 0 && c == index ? rows[r][c] + " " : rows[r][c];
      row += words ? fmt::format("{:<{}}", cell, w[c]) : fmt::format("{:>{}}", cell, w[c]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace dse::reports
