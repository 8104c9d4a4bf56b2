#include "explore/calibrate/validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/csv.h"
#include "base/suggest.h"
#include "models/hw/clocking.h"
#include "models/hw/device_reader.h"

namespace dse::explore {
namespace {

using yaml::Object;

/// "a=b" -> (a, b), at the last `=`.
std::map<std::string, std::string> pairs_of(const std::vector<std::string>& words, Diagnostics& d) {
  std::map<std::string, std::string> out;
  for (const auto& word : words) {
    const auto at = word.rfind('=');
    if (at == std::string::npos || at == 0)
      d.error({}, quote(word) + " is not NAME=MEANING");
    else
      out[word.substr(0, at)] = word.substr(at + 1);
  }
  return out;
}

/// In the order of plan::Buffers.
const std::vector<std::string> kBuffers = {"two", "one", "two-of-all"};

/// The tables that were opened, and who speaks of which line.
class Tables {
 public:
  Tables(const ValidationInput& input, Diagnostics& d) : input_(input), d_(d) {}

  /// Null after an error.
  const CsvTable* open(const std::string& name) {
    const auto known = parsed_.find(name);
    if (known != parsed_.end()) return &known->second;
    const auto text = input_.table(name, d_);
    auto parsed = text ? parse_csv(*text, name, d_) : std::nullopt;
    if (!parsed) return nullptr;
    tables_.push_back({name, static_cast<int>(parsed->rows.size()), 0, 0, {}, {}});
    return &parsed_.emplace(name, std::move(*parsed)).first->second;
  }

  void compared(const std::string& name, int line) { speak(name, line), ++at(name).compared; }
  void without(const std::string& name, int line) { speak(name, line), ++at(name).without_a_network; }

  void aside(const LeftAside& a) {
    const auto* table = open(a.table);
    if (!table) return;
    const auto where = conditions_of(a.where, {}, d_);
    ValidatedTable::Aside aside{a.why, 0};
    for (const auto& row : table->rows)
      if (holds(where, *table, row) && spoken_[a.table].insert(row.line).second) ++aside.rows;
    at(a.table).left_aside.push_back(aside);
  }

  std::vector<ValidatedTable> result() {
    for (auto& table : tables_)
      for (const auto& row : parsed_.at(table.table).rows)
        if (spoken_[table.table].count(row.line) == 0) table.unspoken.push_back(row.line);
    return std::move(tables_);
  }

 private:
  ValidatedTable& at(const std::string& name) {
    return *std::find_if(tables_.begin(), tables_.end(), [&](const auto& t) { return t.table == name; });
  }

  void speak(const std::string& name, int line) {
    if (!spoken_[name].insert(line).second) d_.error({name, line, 0}, "two fits compare this row");
  }

  const ValidationInput& input_;
  Diagnostics& d_;
  std::map<std::string, CsvTable> parsed_;
  std::map<std::string, std::set<int>> spoken_;
  std::vector<ValidatedTable> tables_;
};

std::optional<CalibrationBoard> rows_of(const ValidationBoard& board, const ValidationInput& input, Tables& tables,
                                        Diagnostics& d) {
  CalibrationBoard out;
  const auto text = input.device(board.device, d);
  if (!text) return std::nullopt;
  out.text = *text, out.file = board.device, out.counts = board.counts;
  const auto buffers = std::find(kBuffers.begin(), kBuffers.end(), board.buffers);
  out.buffers = static_cast<plan::Buffers>(buffers - kBuffers.begin());
  for (const auto& [path, value] : pairs_of(board.set, d)) out.set.push_back({path, value, {board.device, 0, 0}});
  for (const auto& rows : board.rows) {
    const auto* table = tables.open(rows.table);
    if (!table) return std::nullopt;
    const RowChoice choice{conditions_of(rows.where, {}, d), pairs_of(rows.operators, d), pairs_of(rows.networks, d),
                           rows.type == "int16"};
    const auto read = [&](const std::string& name, Diagnostics& own) { return input.network(name, rows.table, own); };
    const auto found = read_measured(*table, rows.table, choice, read, d);
    if (!found) return std::nullopt;
    for (const auto& row : found->rows) tables.compared(rows.table, row.line), out.rows.push_back(row);
    for (const auto* lines : {&found->without_a_file, &found->of_no_operator})
      for (const int line : *lines) tables.without(rows.table, line);
  }
  return out;
}

bool further_apart(double a, double b) { return std::abs(a - b) > 0.15 * std::min(a, b); }

void compare(double measured_a, double measured_b, double a, double b, OrderedPairs& order) {
  if (!further_apart(measured_a, measured_b)) return;
  ++order.pairs;
  if ((measured_a < measured_b) == (a < b)) ++order.right;
}

}  // namespace

const yaml::Object<ValidationSpec>& validation_fields() {
  static const auto fields = [] {
    const auto texts = yaml::list_of(yaml::text());
    Object<ValidationRows> rows("Rows", "Rows of a table of measurements.");
    rows.required("table", &ValidationRows::table, yaml::text(), "a CSV file, from the folder of the tables");
    rows.optional("where", &ValidationRows::where, texts, "COLUMN=TEXT, COLUMN!=TEXT, COLUMN~PART or COLUMN!~PART");
    rows.optional("operators", &ValidationRows::operators, texts, "NAME=OPERATOR: what the table calls an operator");
    rows.optional("networks", &ValidationRows::networks, texts, "NAME=FILE: what the table calls a network");
    rows.optional("type", &ValidationRows::type, yaml::choice(std::vector<std::string>{"int8", "int16"}),
                  "activations of networks and operators that the table says in words; default: int8");
    Object<ValidationBoard> board("Board", "A device and what was measured on it.");
    board.required("device", &ValidationBoard::device, yaml::text(), "path or name");
    board.optional("set", &ValidationBoard::set, texts, "FIELD=VALUE: how the board was set up, as --set has it");
    board.optional("counts", &ValidationBoard::counts, yaml::boolean(), "whether anything is fitted to its rows");
    board.optional("buffers", &ValidationBoard::buffers, yaml::choice(kBuffers),
                   "of a cluster's tiles: two, and filters fetched ahead; one; or room for two of all of a layer");
    board.required("rows", &ValidationBoard::rows, yaml::list_of(rows.type(), 1), "what was measured");
    Object<ValidationFit> fit("Fit", "Boards whose constants are fitted together.");
    fit.required("name", &ValidationFit::name, yaml::text(), "library and cores");
    fit.optional("note", &ValidationFit::note, yaml::text(), "a sentence about them");
    fit.optional("fit", &ValidationFit::fit, texts, "fields of the device files; none: constants as they are");
    fit.optional("each", &ValidationFit::each, texts, "the same, fitted for each board on its own");
    fit.required("boards", &ValidationFit::boards, yaml::list_of(board.type(), 1), "the boards");
    Object<LeftAside> aside("LeftAside", "Rows that are not compared.");
    aside.required("table", &LeftAside::table, yaml::text(), "a CSV file, from the folder of the tables");
    aside.optional("where", &LeftAside::where, texts, "as for rows; rows that a fit compares are not among them");
    aside.required("why", &LeftAside::why, yaml::text(), "the reason");
    Object<ValidationSpec> o("Validation", "Measured cycles against simulated ones.");
    o.required("fits", &ValidationSpec::fits, yaml::list_of(fit.type(), 1), "what is compared");
    o.optional("left_aside", &ValidationSpec::left_aside, yaml::list_of(aside.type()), "what is not");
    return o;
  }();
  return fields;
}

std::optional<Validation> validate(const ValidationSpec& spec, const ValidationInput& input, Diagnostics& diagnostics) {
  Validation out;
  Tables tables(input, diagnostics);
  for (const auto& fit : spec.fits) {
    if (input.begun) input.begun(fit.name);
    ValidatedFit done;
    done.name = fit.name, done.note = fit.note, done.fitted = !fit.fit.empty() || !fit.each.empty();
    std::vector<CalibrationBoard> boards;
    for (const auto& board : fit.boards) {
      auto one = rows_of(board, input, tables, diagnostics);
      if (!one || diagnostics.has_errors()) return std::nullopt;
      const auto device = hw::read_device_text(one->text, one->file, one->set, diagnostics);
      if (!device) return std::nullopt;
      const auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
      done.boards.push_back({device->name, hw::Clock(*device, engine.clock_hz).hz});
      boards.push_back(std::move(*one));
    }
    auto calibration = done.fitted ? calibrate(boards, {fit.fit, fit.each}, diagnostics) : predict(boards, diagnostics);
    if (!calibration) return std::nullopt;
    done.calibration = std::move(*calibration);
    out.fits.push_back(std::move(done));
  }
  for (const auto& aside : spec.left_aside) tables.aside(aside);
  if (diagnostics.has_errors()) return std::nullopt;
  out.tables = tables.result();
  return out;
}

std::vector<double> error_sizes(const ValidatedFit& fit, bool whole) {
  std::vector<double> out;
  for (const auto& row : fit.calibration.rows)
    if (row.whole == whole) out.push_back(std::abs(row.left_out));
  std::sort(out.begin(), out.end());
  return out;
}

PairOrders pair_orders(const Validation& v) {
  struct Whole {
    const CalibratedRow* row;
    std::size_t fit;
    double hz;
  };
  std::vector<Whole> all;
  for (std::size_t f = 0; f < v.fits.size(); ++f)
    for (const auto& row : v.fits[f].calibration.rows)
      if (row.whole) all.push_back({&row, f, static_cast<double>(v.fits[f].boards[row.board].clock_hz)});
  PairOrders out;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = all[i], &b = all[j];
      const bool board = a.fit == b.fit && a.row->board == b.row->board, network = a.row->about == b.row->about;
      if (board && !network)
        compare(a.row->measured, b.row->measured, a.row->predicted(), b.row->predicted(), out.networks);
      if (!board && network)
        compare(a.row->measured / a.hz, b.row->measured / b.hz, a.row->predicted() / a.hz, b.row->predicted() / b.hz,
                out.boards);
    }
  return out;
}

}  // namespace dse::explore
