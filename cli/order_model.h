// Orders of branches under a memory model with named buffers: `dse branches`, and what `dse order --model` calls.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/command.h"
#include "models/nn/network.h"

namespace dse::cli {

struct OrderModelOptions {
  std::string input;  // a `.dag` file, a network file or the name of a shipped network
  std::string model = "named-buffers", objective = "with-scratch";
  bool whole_branches = false, own_scratch = false, json = false;
  std::int64_t limit = -1;  // bytes; < 0: none
  std::int64_t candidates = 10, labels = 200000;
  nn::LoadOptions load;
};

/// Adds --model, --objective, --whole-branches, --own-scratch, --limit, --candidates and --labels.
void add_order_model_options(CLI::App& command, OrderModelOptions& options);

/// Finds the best order and prints the candidates. @returns the exit code: 4 when no order keeps to the limit.
int order_by_model(const OrderModelOptions& options);

/// Registers `dse branches`.
void add_branches(CLI::App& app, Invocation& invocation);

}  // namespace dse::cli
