// Help for one command, and what a misspelt word on the command line may have meant.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace dse::cli {

/// The first word that no command knows: "no command 'rnu'; did you mean run?", or of an option that its command does
/// not have. Empty when every word has its place.
std::string unknown_word(const CLI::App& app, int argc, const char* const* argv);

}  // namespace dse::cli
