#include "explore/calibrate/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/suggest.h"
#include "explore/calibrate/shapes.h"
#include "models/nn/operator_kind.h"

namespace dse::explore {
namespace {

std::string cell_of(const CsvTable& table, const CsvTable::Row& row, std::string_view name) {
  const int column = table.column(name);
  return column < 0 ? "" : row.cells[static_cast<std::size_t>(column)];
}

class Reader {
 public:
  Reader(const CsvTable& table, const std::string& file, const RowChoice& choice, const ReadNetwork& read,
         Diagnostics& diagnostics)
      : table_(table), file_(file), choice_(choice), read_(read), diagnostics_(diagnostics) {}

  std::optional<MeasuredTable> run() {
    const int cycles = table_.column("cycles");
    const bool network = table_.column("network_file") >= 0 || table_.column("network") >= 0;
    if (!network) error(1, "has no column network_file or network");
    if (cycles < 0) error(1, "has no column cycles");
    for (const auto& w : choice_.where) {
      if (table_.column(w.column) >= 0) continue;
      const auto guess = nearest(w.column, table_.columns);
      error(1, "has no column " + quote(w.column), guess.empty() ? "" : "did you mean " + guess + "?");
    }
    if (failed_) return std::nullopt;
    for (const auto& row : table_.rows) {
      row_ = &row;
      if (holds(choice_.where, table_, row))
        add(row.line);
      else
        ++out_.elsewhere;
    }
    if (out_.rows.empty() && !failed_)
      error(1, fmt::format("has no row to calibrate with: {} left out by --where, {} name no network that is there, {} "
                           "are of a layer that is not one operator",
                           out_.elsewhere, out_.without_a_file.size(), out_.of_no_operator.size()));
    if (failed_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void error(int line, const std::string& what, const std::string& hint = {}) {
    diagnostics_.error({file_, line, 0}, what, hint);
    failed_ = true;
  }

  /// Empty where the table has no such column.
  std::string cell(const char* name) const { return cell_of(table_, *row_, name); }

  static std::string renamed(const std::map<std::string, std::string>& names, const std::string& name) {
    const auto it = names.find(name);
    return it == names.end() ? name : it->second;
  }

  void add(int line) {
    MeasuredRow row;
    row.line = line;
    const auto cycles = cell("cycles");
    const auto end = cycles.data() + cycles.size();
    const auto [at, why] = std::from_chars(cycles.data(), end, row.cycles);
    if (why != std::errc() || at != end || !std::isfinite(row.cycles) || row.cycles <= 0)
      return error(line, quote(cycles) + " is no number of cycles above 0");
    auto layer = cell("layer");
    if (layer.empty()) layer = cell("layer_or_whole");
    if (layer.empty() || layer.rfind("whole", 0) == 0)
      whole(row);
    else
      part(row, layer);
  }

  void keep(MeasuredRow row, nn::NetworkPtr network, const std::string& about) {
    row.network = std::move(network), row.about = about;
    out_.rows.push_back(std::move(row));
  }

  void whole(MeasuredRow row) {
    const auto name = cell("network");
    if (const auto network = of_file()) {
      row.label = network->name;
      return keep(std::move(row), network, network->structure_hash());
    }
    const auto key = name + "\n" + cell("shape");
    const auto network = words_.try_emplace(key, nullptr);
    if (network.second) network.first->second = network_of_shape(name, cell("shape"), choice_.wide);
    if (!network.first->second) return out_.without_a_file.push_back(row.line);
    row.label = name;
    keep(std::move(row), network.first->second, network.first->second->structure_hash());
  }

  void part(MeasuredRow row, const std::string& layer) {
    const auto kind = renamed(choice_.operators, cell("operator"));
    const auto network = of_file();
    if (network) {
      row.op = operator_of(*network, layer);
      const auto* op = row.op < 0 ? nullptr : &network->operators[static_cast<std::size_t>(row.op)];
      if (op && (kind.empty() || kind == nn::name_of(op->kind))) {
        row.label = fmt::format("{}, operator {} ({})", network->name, row.op, op->name), row.whole = false;
        return keep(std::move(row), network, network->structure_hash());
      }
    }
    const auto key = kind + "\n" + cell("shape");
    const auto one = words_.try_emplace(key, nullptr);
    if (one.second) one.first->second = operator_of_shape(kind, cell("shape"), choice_.wide);
    if (!one.first->second) return (network ? out_.of_no_operator : out_.without_a_file).push_back(row.line);
    row.op = -1, row.whole = false;
    const auto name = cell("network");
    row.label = fmt::format("{}{}{} ({} {})", name, name.empty() ? "" : ", ", layer, kind, cell("shape"));
    // Kernels measured one by one are of no network: each stands for itself.
    const bool alone = layer == "kernel" || layer == "operator" || name.empty();
    keep(std::move(row), one.first->second, network ? network->structure_hash() : alone ? key : name);
  }

  /// The network whose file the row names, or that is shipped under the name; null: none.
  nn::NetworkPtr of_file() {
    const auto name = cell("network");
    auto file = cell("network_file");
    if (file.empty() || choice_.networks.count(name) > 0) file = renamed(choice_.networks, name);
    if (file.empty()) return nullptr;
    const auto [it, fresh] = files_.try_emplace(file);
    Diagnostics ignored;
    if (fresh) it->second = read_(file, ignored);
    return it->second;
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
  const RowChoice& choice_;
  const ReadNetwork& read_;
  Diagnostics& diagnostics_;
  const CsvTable::Row* row_ = nullptr;
  std::map<std::string, nn::NetworkPtr> files_, words_;
  MeasuredTable out_;
  bool failed_ = false;
};

}  // namespace

std::optional<RowCondition> condition_of(const std::string& words) {
  const auto at = words.find_first_of("=!~");
  if (at == 0 || at == std::string::npos) return std::nullopt;
  RowCondition c;
  c.other = words[at] == '!';
  const auto sign = at + (c.other ? 1 : 0);
  if (sign >= words.size() || (words[sign] != '=' && words[sign] != '~')) return std::nullopt;
  c.part = words[sign] == '~';
  c.column = words.substr(0, at), c.text = words.substr(sign + 1);
  return c;
}

std::vector<RowCondition> conditions_of(const std::vector<std::string>& words, const Location& where,
                                        Diagnostics& diagnostics, const std::string& hint) {
  std::vector<RowCondition> out;
  for (const auto& word : words)
    if (const auto c = condition_of(word))
      out.push_back(*c);
    else
      diagnostics.error(where, quote(word) + " is not COLUMN=TEXT, COLUMN!=TEXT, COLUMN~PART or COLUMN!~PART", hint);
  return out;
}

bool holds(const std::vector<RowCondition>& conditions, const CsvTable& table, const CsvTable::Row& row) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const RowCondition& c) { return c.holds(cell_of(table, row, c.column)); });
}

std::optional<MeasuredTable> read_measured(const CsvTable& table, const std::string& file, const RowChoice& choice,
                                           const ReadNetwork& read, Diagnostics& diagnostics) {
  return Reader(table, file, choice, read, diagnostics).run();
}

}  // namespace dse::explore
