// dse explain: one point of a run in words, and where its cycles go.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common/account.h"
#include "cli/common/output.h"
#include "cli/common/point_options.h"
#include "cli/run/run_folder.h"

namespace dse::cli {

void add_explain(CLI::App& app, Invocation& invocation) {
  struct Options : PointOptions {
    std::string sort = "plan";
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  auto* command = app.add_subcommand("explain", "Tell one point of a run in words, with its account of cycles");
  o->add_to(*command);
  command
      ->add_option("--sort", o->sort,
                   "rows of the tables by layer: plan, as they run, or cycles, those that take most first")
      ->check(CLI::IsMember({"plan", "cycles"}))
      ->capture_default_str();
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] {
    Diagnostics d;
    const auto results = open_run(o->folder, d);
    const auto chosen = results ? choose_point(*results, o->point, o->network, o->device, d) : std::nullopt;
    invocation.exit = report(d);
    if (!chosen) return;
    if (o->json)
      print_json(chosen->document);
    else
      fmt::print("{}", account_text(chosen->recorded.front, chosen->recorded.point,
                                    o->sort == "cycles" ? reports::RowOrder::cycles : reports::RowOrder::plan));
  });
}

}  // namespace dse::cli
