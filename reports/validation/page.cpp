#include "reports/validation/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "reports/words/format.h"

namespace dse::reports {
namespace {

using explore::ValidatedFit;

/// The smallest that `share` of them are within.
double within(const std::vector<double>& sorted, double share) {
  const auto n = static_cast<double>(sorted.size());
  return sorted[static_cast<std::size_t>(std::clamp(std::ceil(share * n) - 1, 0.0, n - 1))];
}

std::string spread(const std::vector<double>& sorted) {
  if (sorted.empty()) return "- | - | - | -";
  return fmt::format("{} | {:.1f} % | {:.1f} % | {:.1f} %", sorted.size(), 100 * within(sorted, 0.5),
                     100 * within(sorted, 0.9), 100 * sorted.back());
}

/// In lines of at most 120 characters; what follows the first begins with `indent`.
std::string wrapped(const std::string& text, const std::string& indent = {}) {
  constexpr std::size_t kWidth = 120;
  std::istringstream words(text);
  std::string out, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > kWidth)
      out += line + "\n", line = indent + word;
    else
      line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

/// Vertical bars would end a cell.
std::string cell(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string boards_of(const ValidatedFit& fit) {
  std::string out;
  for (const auto& b : fit.boards) out += (out.empty() ? "" : ", ") + b.name;
  return out;
}

std::string summary(const explore::Validation& v) {
  std::string out =
      "| library and cores | devices | networks | median | 9 of 10 within | worst | layers | median | 9 of 10 within | "
      "worst |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& fit : v.fits)
    out += fmt::format("| {} | {} | {} | {} |\n", cell(fit.name), boards_of(fit), spread(error_sizes(fit, true)),
                       spread(error_sizes(fit, false)));
  return out;
}

std::string order(const explore::PairOrders& o) {
  const auto share = [](const explore::OrderedPairs& order) {
    return order.pairs == 0
               ? std::string("no pair")
               : fmt::format("{} of {} pairs ({:.0f} %)", order.right, order.pairs, 100.0 * order.right / order.pairs);
  };
  return wrapped(
      fmt::format("Which of two is faster, where they were measured to differ by more than 15 %, comes out right for "
                  "{} of networks "
                  "on one device, and for {} of devices or libraries that run one network.",
                  share(o.networks), share(o.boards)));
}

std::string section(const ValidatedFit& fit) {
  std::string out = fmt::format("## {}\n\n", fit.name);
  if (!fit.note.empty()) out += wrapped(fit.note) + "\n";
  if (fit.fitted) {
    out += "| constant | fitted | |\n|---|---|---|\n";
    for (const auto& k : fit.calibration.constants)
      out += fmt::format("| `{}`{} | {} | {} |\n", k.constant.path,
                         k.board < 0 ? "" : " of " + fit.boards[static_cast<std::size_t>(k.board)].name,
                         k.constant.text(k.after),
                         !k.told           ? "no row tells it"
                         : k.deviation > 0 ? fmt::format("± {:.0f} %", 100 * k.deviation)
                                           : "");
    out += "\n";
  }
  out += "| device | what | measured cycles | predicted | error |\n|---|---|---|---|---|\n";
  for (const auto& row : fit.calibration.rows)
    out += fmt::format("| {} | {} | {} | {} | {:+.1f} % |\n", fit.boards[row.board].name, cell(row.label),
                       grouped(std::llround(row.measured)), grouped(std::llround(row.predicted())), 100 * row.left_out);
  return out + "\n";
}

std::string tables(const explore::Validation& v) {
  std::string out =
      "## What is compared and what is not\n\n| table | rows | compared | without a network | left aside |\n"
      "|---|---|---|---|---|\n";
  std::string why;
  for (const auto& t : v.tables) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", t.table, t.rows, t.compared, t.without_a_network, t.aside());
    for (const auto& a : t.left_aside)
      if (a.rows > 0) why += wrapped(fmt::format("* `{}`, {} rows: {}", t.table, a.rows, a.why), "  ");
    if (!t.unspoken.empty())
      why += wrapped(fmt::format("* `{}`: nothing is said of {} rows, the first in line {}", t.table, t.unspoken.size(),
                                 t.unspoken.front()),
                     "  ");
  }
  return out + "\n" + why;
}

}  // namespace

std::string validation_page(const explore::Validation& v, const std::string& made_by) {
  std::string out = "# Validation\n\n" +
                    wrapped(fmt::format(
                        "Cycles that were measured on chips against those that are simulated. Every error is one with "
                        "the network left out of the fit: all its rows, on all boards of the fit. Where nothing was "
                        "fitted, the constants were made from other networks. `{}` makes this page.",
                        made_by)) +
                    "\n";
  out += summary(v) + "\n" + order(pair_orders(v)) + "\n";
  for (const auto& fit : v.fits) out += section(fit);
  return out + tables(v);
}

}  // namespace dse::reports
