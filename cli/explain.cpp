// dse explain: one point of a run in words, and where its cycles go.
#include <fmt/format.h>

#include "cli/account.h"
#include "cli/command.h"
#include "cli/run_folder.h"

namespace dse::cli {

void add_explain(CLI::App& app, Invocation& invocation) {
  struct Options {
    std::string folder, point = "knee", network, device;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  auto* command = app.add_subcommand("explain", "Tell one point of a run in words, with its account of cycles");
  command->add_option("folder", o->folder, "folder of a run")->required();
  command
      ->add_option("--point,-p", o->point,
                   "id, row of front.csv, knee, smallest, fastest, or an origin such as rule-based")
      ->capture_default_str();
  command->add_option("--network", o->network, "of this network only");
  command->add_option("--device", o->device, "on this device point only, as in front.csv");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] {
    Diagnostics d;
    const auto results = open_run(o->folder, d);
    const auto chosen = results ? choose_point(*results, o->point, o->network, o->device, d) : std::nullopt;
    invocation.exit = report(d);
    if (!chosen) return;
    if (o->json)
      fmt::print("{}\n", chosen->point.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    else
      fmt::print("{}", account_text(chosen->front, chosen->point));
  });
}

}  // namespace dse::cli
