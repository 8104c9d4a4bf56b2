// dse calibrate: constants of a device file from measured cycles.
#include "explore/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "models/hw/library.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using explore::Calibration;
using nlohmann::ordered_json;

struct CalibrateOptions {
  std::string device, measured, output, type = "int8";
  std::vector<std::string> where, fit;
  bool json = false;
};

std::string cycles_text(double cycles) { return reports::grouped(std::llround(cycles)); }
std::string percent(double part) { return fmt::format("{:+.1f} %", 100 * part); }

/// Middle of the sizes of the errors, and the largest.
std::pair<double, double> middle_and_worst(const Calibration& c) {
  std::vector<double> sizes;
  for (const auto& row : c.rows) sizes.push_back(std::abs(row.left_out));
  std::sort(sizes.begin(), sizes.end());
  const auto n = sizes.size();
  return {(sizes[(n - 1) / 2] + sizes[n / 2]) / 2, sizes.back()};
}

std::string rows_text(const explore::MeasuredTable& table, const Calibration& c) {
  std::size_t width = 7;
  for (const auto& row : c.rows) width = std::max(width, row.label.size());
  std::string out = fmt::format("{:<{}}  {:>13}  {:>13}  {:>9}  {:>9}  {:>9}\n", "network", width, "measured",
                                "predicted", "before", "after", "left out");
  for (const auto& row : c.rows)
    out += fmt::format("{:<{}}  {:>13}  {:>13}  {:>9}  {:>9}  {:>9}\n", row.label, width, cycles_text(row.measured),
                       cycles_text(row.after), percent((row.before - row.measured) / row.measured),
                       percent((row.after - row.measured) / row.measured), c.error < 0 ? "-" : percent(row.left_out));
  if (table.elsewhere > 0 || !table.without_a_file.empty() || !table.of_no_operator.empty())
    out += fmt::format(
        "left aside: {} rows by --where, {} whose network is not there, {} of layers that are not one "
        "operator\n",
        table.elsewhere, table.without_a_file.size(), table.of_no_operator.size());
  return out;
}

std::string text_of(const explore::MeasuredTable& table, const Calibration& c) {
  std::size_t width = 8;
  for (const auto& k : c.constants) width = std::max(width, k.constant.path.size());
  std::string out = fmt::format("{:<{}}  {:>12}  {:>12}\n", "constant", width, "before", "after");
  for (const auto& k : c.constants) {
    const std::string sure = !k.told           ? "as it was: no row tells it"
                             : k.deviation > 0 ? fmt::format("± {:.0f} %", 100 * k.deviation)
                                               : "";
    out += fmt::format("{:<{}}  {:>12}  {:>12}  {}\n", k.constant.path, width, k.constant.text(k.constant.value()),
                       k.constant.text(k.after), sure);
  }
  out += rows_text(table, c);
  if (c.error < 0) return out + "one network alone: what the fit is off on others cannot be told\n";
  const auto [middle, worst] = middle_and_worst(c);
  return out + fmt::format("error with each network left out in turn: ± {:.1f} % (middle {:.1f} %, worst {:.1f} %)\n",
                           100 * c.error, 100 * middle, 100 * worst);
}

std::string json_of(const explore::MeasuredTable& table, const Calibration& c) {
  ordered_json j;
  auto& constants = j["constants"] = ordered_json::array();
  for (const auto& k : c.constants)
    constants.push_back({{"field", k.constant.path},
                         {"before", k.constant.text(k.constant.value())},
                         {"after", k.constant.text(k.after)},
                         {"deviation", k.told ? ordered_json(k.deviation) : ordered_json()}});
  auto& rows = j["rows"] = ordered_json::array();
  for (const auto& row : c.rows)
    rows.push_back({{"network", row.label},
                    {"measured_cycles", row.measured},
                    {"before_cycles", row.before},
                    {"after_cycles", row.after},
                    {"left_out_error", c.error < 0 ? ordered_json() : ordered_json(row.left_out)}});
  j["error"] = c.error < 0 ? ordered_json() : ordered_json(c.error);
  j["left_aside"] = {{"where", table.elsewhere},
                     {"no_network", table.without_a_file.size()},
                     {"no_operator", table.of_no_operator.size()}};
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// The new device file, and what it names beside it where that lies elsewhere.
void write_device(const std::string& file, const std::string& text, const std::string& from) {
  write_file(file, text);
  Diagnostics unread;  // they have been read as part of the device
  for (const auto& table : hw::files_of_device(from, {})) {
    const auto beside = std::filesystem::path(file).parent_path() / std::filesystem::path(table).filename();
    if (std::error_code error; std::filesystem::equivalent(table, beside, error)) continue;
    if (const auto content = read_file(table, unread)) write_file(beside.string(), *content);
  }
}

int calibrate(const CalibrateOptions& o) {
  Diagnostics d;
  const auto device = open_device(o.device, d);
  const auto text = read_file(o.measured, d);
  const explore::RowChoice choice{
      explore::conditions_of(o.where, {"--where", 0, 0}, d, "for example --where device=NUCLEO-L4R5ZI"),
      {},
      {},
      o.type == "int16"};
  const auto rows = text && !d.has_errors() ? parse_csv(*text, o.measured, d) : std::nullopt;
  std::optional<explore::MeasuredTable> table;
  if (rows) {
    const auto folder = std::filesystem::path(o.measured).parent_path();
    const auto read = [&](const std::string& name, Diagnostics& own) -> nn::NetworkPtr {
      const auto file = find_network(name, folder.string(), {o.measured, 0, 0}, own);
      return file ? load_network(*file, own) : nullptr;
    };
    table = explore::read_measured(*rows, o.measured, choice, read, d);
  }
  std::optional<Calibration> c;
  if (device && table) c = explore::calibrate({{device->text, device->file, table->rows}}, {o.fit, {}}, d);
  if (const int code = report(d)) return code;
  if (!o.output.empty()) write_device(o.output, c->texts.front(), device->file);
  fmt::print("{}", o.json ? json_of(*table, *c) : text_of(*table, *c));
  if (!o.output.empty() && !o.json) fmt::print("device: {}\n", o.output);
  return Exit::ok;
}

}  // namespace

void add_calibrate(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CalibrateOptions>();
  auto* command = app.add_subcommand("calibrate", "Fit the constants of a device file to measured cycles");
  command->add_option("device", options->device, "device file or name")->required();
  command
      ->add_option(
          "--measured,-m", options->measured,
          "CSV: network_file or network, cycles; for single layers layer (number or name), or operator and shape")
      ->required();
  command
      ->add_option(
          "--where", options->where,
          "only rows of the table with this text in a column: library=CMSIS-NN; != another one, ~ and !~ a part of it")
      ->allow_extra_args(false);
  command
      ->add_option("--fit", options->fit,
                   "a number of the device file to fit: engines.core.dispatch, or a table of them by one factor "
                   "(default: the compute "
                   "engine's rates)")
      ->allow_extra_args(false);
  command
      ->add_option("--type", options->type,
                   "activations of networks and operators that the table says in words: int8 (default) or int16")
      ->check(CLI::IsMember({"int8", "int16"}));
  command->add_option("--output,-o", options->output, "write the device file with the new constants here");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &invocation] { invocation.exit = calibrate(*options); });
}

}  // namespace dse::cli
