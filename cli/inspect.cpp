// dse inspect: what a network consists of.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/lookup.h"
#include "cli/network_options.h"
#include "reports/network_json.h"
#include "reports/network_page.h"
#include "reports/network_text.h"

namespace dse::cli {
namespace {

struct InspectOptions {
  std::string network, html;
  bool json = false;
  nn::LoadOptions load;
};

int inspect(const InspectOptions& o) {
  Diagnostics d;
  const auto network = cli::load_network(o.network, d, o.load);
  const int exit = report(d);
  if (!network) return exit;
  if (o.json)
    fmt::print("{}\n", reports::network_json(*network).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (o.html.empty())
    fmt::print("{}", reports::network_text(*network));
  else
    write_file(o.html, reports::network_page(*network));
  return exit;
}

}  // namespace

void add_inspect(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<InspectOptions>();
  options->load.allow_float = true;
  options->load.keep_unsupported = true;
  auto* command = app.add_subcommand("inspect", "Show what a network consists of");
  command->add_option("network", options->network, "network file (.tflite, .onnx, .yaml) or name of a shipped one")
      ->required();
  auto* json = command->add_flag("--json", options->json, "print JSON");
  command->add_option("--html", options->html, "write a page with the graph to this file")->excludes(json);
  add_network_options(*command, options->load);
  command->callback([options, &invocation] { invocation.exit = inspect(*options); });
}

}  // namespace dse::cli
