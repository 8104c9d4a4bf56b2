// dse schema: JSON Schemas of the files that users write, for editors.
#include <fmt/format.h>

#include "cli/command.h"
#include "explore/question/files/limits_file.h"
#include "explore/question/files/sweep_file.h"
#include "models/hw/device_reader.h"
#include "models/hw/ethos_u/system_file.h"
#include "models/nn/import.h"
#include "plan/document/document.h"

namespace dse::cli {

void add_schema(CLI::App& app, Invocation& invocation) {
  auto kind = std::make_shared<std::string>();
  auto* command = app.add_subcommand("schema", "Print the JSON Schema of a kind of file");
  command->add_option("kind", *kind, "sweep, device, network, plan, npu or limits")
      ->required()
      ->check(CLI::IsMember({"sweep", "device", "network", "plan", "npu", "limits"}));
  command->callback([kind, &invocation] {
    const auto text = *kind == "sweep"    ? explore::sweep_schema()
                      : *kind == "device" ? hw::device_schema()
                      : *kind == "plan"   ? plan::plan_schema()
                      : *kind == "limits" ? explore::limits_schema()
                      : *kind == "npu"    ? hw::ethos_u::system_schema()
                                          : nn::network_schema();
    fmt::print("{}", text);
    invocation.exit = Exit::ok;
  });
}

}  // namespace dse::cli
