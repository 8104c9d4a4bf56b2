// What all commands share: how a command is added to the command line.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cli/common/exit.h"

namespace dse::cli {

/// One invocation. Commands set `exit`; they never end the process themselves.
struct Invocation {
  std::string command_line;  // as typed
  int exit = Exit::ok;
};

/// All commands, in the order of the help text.
void add_commands(CLI::App& app, Invocation& invocation);

/// Each adds one subcommand to `app`. Its callback runs the command and sets `invocation.exit`.
void add_run(CLI::App& app, Invocation& invocation);
void add_explain(CLI::App& app, Invocation& invocation);
void add_advise(CLI::App& app, Invocation& invocation);
void add_trace(CLI::App& app, Invocation& invocation);
void add_diff(CLI::App& app, Invocation& invocation);
void add_export(CLI::App& app, Invocation& invocation);
void add_package(CLI::App& app, Invocation& invocation);
void add_simulate(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_choices(CLI::App& app, Invocation& invocation);
void add_alloc(CLI::App& app, Invocation& invocation);
void add_inspect(CLI::App& app, Invocation& invocation);
void add_optimise_memory(CLI::App& app, Invocation& invocation);
void add_npu(CLI::App& app, Invocation& invocation);
void add_order(CLI::App& app, Invocation& invocation);
void add_infer(CLI::App& app, Invocation& invocation);
void add_quantize(CLI::App& app, Invocation& invocation);
void add_train(CLI::App& app, Invocation& invocation);
void add_predict(CLI::App& app, Invocation& invocation);
void add_compress(CLI::App& app, Invocation& invocation);
void add_study(CLI::App& app, Invocation& invocation);
void add_memory(CLI::App& app, Invocation& invocation);
void add_csdf(CLI::App& app, Invocation& invocation);
void add_schema(CLI::App& app, Invocation& invocation);
void add_calibrate(CLI::App& app, Invocation& invocation);
void add_accuracy(CLI::App& app, Invocation& invocation);
void add_validate(CLI::App& app, Invocation& invocation);
void add_devices(CLI::App& app, Invocation& invocation);
void add_networks(CLI::App& app, Invocation& invocation);
void add_help(CLI::App& app, Invocation& invocation);

/// Prints all diagnostics to stderr, one per line. @returns Exit::bad_input if one of them is an error, else Exit::ok.
int report(const Diagnostics& diagnostics);

}  // namespace dse::cli
