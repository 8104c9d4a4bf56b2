// dse accuracy: measured cycles against simulated ones, all of them.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/common/files.h"
#include "explore/calibrate/validation_files.h"
#include "reports/validation/page.h"

namespace dse::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct AccuracyOptions {
  std::string spec, tables, output, devices;
  bool json = false;
};

std::string json_of(const explore::Validation& v) {
  ordered_json j;
  auto& fits = j["fits"] = ordered_json::array();
  for (const auto& fit : v.fits) {
    ordered_json rows = ordered_json::array(), constants = ordered_json::array();
    for (const auto& row : fit.calibration.rows)
      rows.push_back({{"device", fit.boards[row.board].name},
                      {"what", row.label},
                      {"whole", row.whole},
                      {"measured_cycles", row.measured},
                      {"left_out_error", row.left_out}});
    for (const auto& k : fit.calibration.constants)
      constants.push_back({{"field", k.constant.path}, {"after", k.constant.text(k.after)}});
    fits.push_back({{"name", fit.name}, {"error", fit.calibration.error}, {"constants", constants}, {"rows", rows}});
  }
  auto& tables = j["tables"] = ordered_json::array();
  for (const auto& t : v.tables)
    tables.push_back({{"table", t.table},
                      {"rows", t.rows},
                      {"compared", t.compared},
                      {"without_a_network", t.without_a_network},
                      {"left_aside", t.aside()},
                      {"unspoken_lines", t.unspoken}});
  const auto order = [](const explore::OrderedPairs& o) {
    return ordered_json{{"pairs", o.pairs}, {"right", o.right}};
  };
  const auto orders = explore::pair_orders(v);
  j["order"] = {{"networks", order(orders.networks)}, {"boards", order(orders.boards)}};
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// The device files with what was fitted, each by the first fit that it is in.
void write_devices(const explore::Validation& v, const std::string& folder) {
  std::set<std::string> written;
  for (const auto& fit : v.fits)
    for (std::size_t b = 0; fit.fitted && b < fit.boards.size(); ++b)
      if (written.insert(fit.boards[b].name).second)
        write_file((fs::path(folder) / (fit.boards[b].name + ".yaml")).string(), fit.calibration.texts[b]);
}

int accuracy(const AccuracyOptions& o) {
  Diagnostics d;
  explore::ValidationSpec spec;
  std::optional<explore::Validation> v;
  if (yaml::read_file(o.spec, explore::validation_fields(), {}, d, spec)) {
    auto input = explore::validation_files(o.tables);
    input.begun = [](const std::string& fit) { fmt::print(stderr, "{}\n", fit); };
    v = explore::validate(spec, input, d);
  }
  if (const int code = report(d)) return code;
  const auto page = reports::validation_page(*v, fmt::format("dse accuracy {} --tables DIR", o.spec));
  if (!o.devices.empty()) fs::create_directories(o.devices), write_devices(*v, o.devices);
  if (!o.output.empty()) write_file(o.output, page);
  fmt::print("{}", o.json ? json_of(*v) : o.output.empty() ? page : fmt::format("page: {}\n", o.output));
  return Exit::ok;
}

}  // namespace

void add_accuracy(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<AccuracyOptions>();
  auto* command =
      app.add_subcommand("accuracy", "Compare measured cycles with simulated ones, each network left out of the fit");
  command->add_option("comparison", options->spec, "YAML: which rows on which devices, and what is fitted")->required();
  command->add_option("--tables,-t", options->tables, "folder of the tables of measurements")->required();
  command->add_option("--output,-o", options->output, "write a page of Markdown here");
  command->add_option("--devices", options->devices, "write the device files with what was fitted into this folder");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &invocation] { invocation.exit = accuracy(*options); });
}

}  // namespace dse::cli
