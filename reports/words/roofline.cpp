#include "reports/words/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/words/format.h"

namespace dse::reports {
namespace {

std::optional<double> ratio(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0) return std::nullopt;
  return static_cast<double>(a) / static_cast<double>(b);
}

std::string bound_text(const explore::Front& front, const explore::Roofline& r) {
  if (r.roof() == 0) return "";
  const int memory = r.bound();
  if (memory >= 0) return front.memories.at(static_cast<std::size_t>(memory)).name;
  return r.macs > 0 ? "compute" : "elements";
}

RooflineRow row_of(const explore::Roofline& r, std::int64_t roof) {
  RooflineRow row;
  row.roof = roof;
  row.reached = ratio(r.macs, r.ticks), row.at_roof = ratio(r.macs, roof);
  if (r.macs > 0) row.peak = ratio(r.macs, r.arithmetic), row.of_peak = ratio(r.arithmetic, r.ticks);
  row.of_roof = ratio(roof, r.ticks);
  return row;
}

std::string rate_text(const std::optional<double>& r) { return r ? fmt::format("{:.2f}", *r) : "-"; }
std::string share_text(const std::optional<double>& r) { return r ? fmt::format("{:.1f} %", *r * 100) : "-"; }

}  // namespace

RooflineRow roofline_row(const explore::Front& front, const explore::Point& p, std::size_t i) {
  const auto& r = p.rooflines.at(i);
  auto row = row_of(r, r.roof());
  row.layer = i < p.sections.size() ? p.sections[i] : layer_of(p, i);
  row.bound = bound_text(front, r);
  return row;
}

Table roofline_table(const explore::Front& front, const explore::Point& p, RowOrder order) {
  Table table{{{"layer", false}, {"MACs"}, {"cycles"}, {"MAC/cycle"}, {"peak"}, {"of peak"}}, {}, true};
  explore::Roofline sum;
  sum.memories.resize(front.memories.size());
  std::int64_t roofs = 0;
  for (const auto& r : p.rooflines) {
    sum.macs += r.macs, sum.ticks += r.ticks, sum.arithmetic += r.arithmetic, roofs += r.roof();
    for (std::size_t m = 0; m < sum.memories.size(); ++m) sum.memories[m].bytes += r.memories.at(m).bytes;
  }
  for (std::size_t m = 0; m < sum.memories.size(); ++m)
    if (sum.memories[m].bytes > 0) table.columns.push_back({front.memories[m].name + " bytes"});
  table.columns.insert(table.columns.end(), {{"roof"}, {"bound", false}, {"of roof"}});

  const auto add = [&](const explore::Roofline& r, const RooflineRow& row) {
    auto& cells = table.rows.emplace_back();
    cells = {row.layer,           r.macs > 0 ? grouped(r.macs) : "-",
             grouped(r.ticks),    rate_text(row.reached),
             rate_text(row.peak), share_text(row.of_peak)};
    for (std::size_t m = 0; m < sum.memories.size(); ++m)
      if (sum.memories[m].bytes > 0) cells.push_back(grouped(r.memories[m].bytes));
    cells.push_back(rate_text(row.at_roof));
    cells.push_back(row.bound.empty() ? "-" : row.bound);
    cells.push_back(share_text(row.of_roof));
  };
  std::vector<std::size_t> rows(p.rooflines.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (order == RowOrder::cycles)
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return p.rooflines[a].ticks > p.rooflines[b].ticks; });
  for (const auto i : rows) add(p.rooflines[i], roofline_row(front, p, i));
  auto total = row_of(sum, roofs);
  total.layer = "sum";
  add(sum, total);
  return table;
}

}  // namespace dse::reports
