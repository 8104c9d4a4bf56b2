#include "explore/calibrate/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/suggest.h"

namespace dse::explore {
namespace {

class Reader {
 public:
  Reader(const CsvTable& table, const std::string& file, const ReadNetwork& read, Diagnostics& diagnostics)
      : table_(table), file_(file), read_(read), diagnostics_(diagnostics) {}

  std::optional<MeasuredTable> run(const std::vector<std::pair<std::string, std::string>>& where) {
    const int network = first_of({"network_file", "network"}), cycles = first_of({"cycles"});
    const int layer = first_of({"layer", "layer_or_whole"});
    if (network < 0) error(1, "has no column network_file or network");
    if (cycles < 0) error(1, "has no column cycles");
    std::vector<std::pair<int, std::string>> wanted;
    for (const auto& [name, text] : where) {
      wanted.emplace_back(table_.column(name), text);
      if (wanted.back().first >= 0) continue;
      const auto guess = nearest(name, table_.columns);
      error(1, "has no column " + quote(name), guess.empty() ? "" : "did you mean " + guess + "?");
    }
    if (failed_) return std::nullopt;
    for (const auto& row : table_.rows) {
      const auto cell = [&](int column) { return row.cells[static_cast<std::size_t>(column)]; };
      if (!std::all_of(wanted.begin(), wanted.end(), [&](const auto& w) { return cell(w.first) == w.second; }))
        ++out_.elsewhere;
      else
        add(row.line, cell(network), cell(cycles), layer < 0 ? "" : cell(layer));
    }
    if (out_.rows.empty() && !failed_)
      error(1, fmt::format("has no row to calibrate with: {} left out by --where, {} name no network that is there, {} "
                           "are of a layer that is not one operator",
                           out_.elsewhere, out_.without_a_file, out_.of_no_operator));
    if (failed_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void error(int line, const std::string& what, const std::string& hint = {}) {
    diagnostics_.error({file_, line, 0}, what, hint);
    failed_ = true;
  }
  int first_of(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (const int column = table_.column(name); column >= 0) return column;
    return -1;
  }

  void add(int line, const std::string& network, const std::string& cycles, const std::string& layer) {
    MeasuredRow row;
    row.line = line;
    const auto end = cycles.data() + cycles.size();
    const auto [at, why] = std::from_chars(cycles.data(), end, row.cycles);
    if (why != std::errc() || at != end || !std::isfinite(row.cycles) || row.cycles <= 0)
      return error(line, quote(cycles) + " is no number of cycles above 0");
    if (network.empty()) return void(++out_.without_a_file);
    auto [it, fresh] = networks_.try_emplace(network);
    if (fresh) {
      Diagnostics ignored;
      it->second = {read_(network, ignored), static_cast<int>(networks_.size()) - 1};
    }
    row.network = it->second.first, row.group = it->second.second;
    if (!row.network) return void(++out_.without_a_file);
    row.label = row.network->name;
    if (!layer.empty() && layer.rfind("whole", 0) != 0) {
      row.op = operator_of(*row.network, layer);
      if (row.op < 0) return void(++out_.of_no_operator);
      row.label +=
          fmt::format(", operator {} ({})", row.op, row.network->operators[static_cast<std::size_t>(row.op)].name);
    }
    out_.rows.push_back(std::move(row));
  }

  static int operator_of(const nn::Network& n, const std::string& layer) {
    int number = -1;
    const auto end = layer.data() + layer.size();
    const auto [at, why] = std::from_chars(layer.data(), end, number);
    if (why == std::errc() && at == end)
      return number >= 0 && number < static_cast<int>(n.operators.size()) ? number : -1;
    for (std::size_t o = 0; o < n.operators.size(); ++o)
      if (n.operators[o].name == layer) return static_cast<int>(o);
    return -1;
  }

  const CsvTable& table_;
  const std::string& file_;
  const ReadNetwork& read_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::pair<nn::NetworkPtr, int>> networks_;  // as written -> read, group
  MeasuredTable out_;
  bool failed_ = false;
};

}  // namespace

std::optional<MeasuredTable> read_measured(std::string_view text, const std::string& file,
                                           const std::vector<std::pair<std::string, std::string>>& where,
                                           const ReadNetwork& read, Diagnostics& diagnostics) {
  const auto table = parse_csv(text, file, diagnostics);
  return table ? Reader(*table, file, read, diagnostics).run(where) : std::nullopt;
}

}  // namespace dse::explore
