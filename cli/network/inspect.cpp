// dse inspect: what a network consists of.
#include <fmt/format.h>

#include "base/characters.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/output.h"
#include "models/nn/rewrite/rewrites.h"
#include "models/nn/tflite/write_tflite.h"
#include "reports/network/network_json.h"
#include "reports/network/network_page.h"
#include "reports/network/network_text.h"

namespace dse::cli {
namespace {

struct InspectOptions {
  std::string network, html, out;
  bool json = false, rewritten = false;
  nn::LoadOptions load;
};

/// Writes the network as it is planned: a TensorFlow Lite file that computes the same.
int write_rewritten(const InspectOptions& o, const nn::Network& network, Diagnostics& d) {
  const auto bytes = nn::write_tflite(*nn::without_leftovers(network), d);
  if (const int exit = report(d); exit || bytes.empty()) return exit;
  write_file(o.out, characters(bytes));
  for (const auto& r : network.rewrites) fmt::print("{} {}: {}\n", r.what, r.where, r.text);
  fmt::print("{}\n", o.out);
  return 0;
}

int inspect(const InspectOptions& o) {
  Diagnostics d;
  const auto network = cli::load_network(o.network, d, o.load);
  const int exit = report(d);
  if (!network) return exit;
  if (o.rewritten) return exit ? exit : write_rewritten(o, *network, d);
  if (o.json)
    print_json(reports::network_json(*network));
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
  auto* as_is =
      command->add_flag("--as-in-file", options->load.as_in_file, "show every operator of the file, not rewritten");
  auto* out = command->add_option("-o,--out", options->out, "file for --rewritten");
  auto* rewritten = command->add_flag("--rewritten", options->rewritten,
                                      "write the network as it is planned to the TensorFlow Lite file -o");
  rewritten->needs(out)->excludes(json)->excludes(as_is);
  out->needs(rewritten);
  add_network_options(*command, options->load);
  command->callback([options, &invocation] {
    if (options->load.as_in_file) options->load.integer_io = false;
    invocation.exit = inspect(*options);
  });
}

}  // namespace dse::cli
