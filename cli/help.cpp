#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "cli/command.h"

namespace dse::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

const CLI::App* command_of(const CLI::App& app, const std::string& name) {
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == name) return command;
  return nullptr;
}

std::string no_command(const CLI::App& app, const std::string& word) {
  const auto known = commands_of(app);
  const auto guess = nearest(word, known);
  return fmt::format("no command {}; {}", quote(word),
                     guess.empty() ? "there is " + join_or(known) : "did you mean " + guess + "?");
}

/// Nothing when `app`, or what it falls back to, has the option.
std::string no_option(const CLI::App& app, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const auto* at = &app; at != nullptr; at = at->get_parent())
    for (const auto* o : at->get_options())
      for (const auto& l : o->get_lnames()) known.push_back("--" + l);
  if (name.size() < 3 || !name.starts_with("--") || std::count(known.begin(), known.end(), name) > 0) return {};
  const auto guess = nearest(name, known);
  return guess.empty() ? "" : fmt::format("no option {}; did you mean {}?", quote(name), guess);
}

}  // namespace

std::string unknown_word(const CLI::App& app, int argc, const char* const* argv) {
  const auto* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return {};
    if (word.starts_with("-")) {
      if (auto what = no_option(*at, word); !what.empty()) return what;
      // Before the command there are options of the whole program only; they have one value each.
      const auto* o = word.find('=') == std::string::npos ? at->get_option_no_throw(word) : nullptr;
      if (o != nullptr && o->get_expected_max() > 0) ++i;
      continue;
    }
    if (commands_of(*at).empty()) continue;
    const auto* next = command_of(*at, word);
    if (next == nullptr) return no_command(*at, word);
    at = next;
  }
  return {};
}

void add_help(CLI::App& app, Invocation& invocation) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto* command = app.add_subcommand("help", "Tell what a command does and which options it has");
  command->add_option("command", *words, "the command, as run or study show; without one: all commands");
  command->callback([words, &app, &invocation] {
    const CLI::App* at = &app;
    std::string name = app.get_name();
    for (const auto& word : *words) {
      const auto* next = command_of(*at, word);
      if (next == nullptr) {
        fmt::print(stderr, "dse: error: {}\n",
                   commands_of(*at).empty() ? name + " has no commands of its own" : no_command(*at, word));
        invocation.exit = Exit::usage;
        return;
      }
      at = next;
      name += " " + word;
    }
    // The library would hand a help for everything to the command that is running, which is this one.
    fmt::print("{}", at == &app ? app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal)
                                : at->help(name.substr(0, name.rfind(' '))));
  });
}

}  // namespace dse::cli
