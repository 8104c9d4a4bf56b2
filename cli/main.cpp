// `dse`: parses the command line, runs one command, and turns what it says into an exit code.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "base/log.h"
#include "base/system/terminal.h"
#include "cli/command.h"
#include "cli/common/version.h"
#include "cli/help.h"
#include "explore/study/study.h"

namespace {

using namespace dse;

/// The command line as a user could type it again.
std::string quoted(int argc, char** argv) {
  std::string out = "dse";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]#~`!{}") == std::string::npos;
    if (plain) {
      out += " " + word;
      continue;
    }
    out += " '";
    for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += "'";
  }
  return out;
}

int run(int argc, char** argv) {
  CLI::App app("Explores how neural networks run on small devices: memory, latency, energy, and the plan to ship.",
               "dse");
  app.set_version_flag("--version", std::string("dse ") + cli::version);
  app.require_subcommand(1);
  app.fallthrough();
  app.failure_message(CLI::FailureMessage::simple);
  std::string log_level = "warn", log_file;
  app.add_option("--log-level", log_level, "trace, debug, info, warn, error or off")->capture_default_str();
  app.add_option("--log-file", log_file, "append the log to this file instead of stderr");
  cli::Invocation invocation;
  invocation.command_line = quoted(argc, argv);
  app.parse_complete_callback([&] {
    Diagnostics d;
    if (!set_up_log(log_level, log_file, d)) throw CLI::ValidationError("--log-level, --log-file", d.text());
  });
  cli::add_commands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const auto unknown = e.get_exit_code() == 0 ? std::string() : cli::unknown_word(app, argc, argv);
    if (!unknown.empty()) {  // what the library says instead: that a subcommand is required
      std::fprintf(stderr, "dse: error: %s\nRun with --help for more information.\n", unknown.c_str());
      return cli::Exit::usage;
    }
    return app.exit(e) == 0 ? cli::Exit::ok : cli::Exit::usage;
  }
  return invocation.exit;
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is then an error that names it
  escape_on_terminals();
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0) {  // a full disk or a closed pipe must not look like success
      std::fputs("dse: error: cannot write to standard output\n", stderr);
      return code == 0 ? cli::Exit::other_failure : code;
    }
    return code;
  } catch (const InvariantError& e) {
    std::fprintf(stderr, "dse: a broken invariant, which is a defect of dse and not of your input: %s\n",
                 printable(e.what()).c_str());
  } catch (const explore::StudyError& e) {
    std::fprintf(stderr, "%s\n", to_string(e.diagnostic).c_str());
    return cli::Exit::bad_input;
  } catch (const std::bad_alloc&) {
    std::fputs("dse: error: out of memory\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dse: error: %s\n", printable(e.what()).c_str());
  }
  return cli::Exit::other_failure;
}
