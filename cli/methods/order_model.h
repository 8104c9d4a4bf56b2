// Orders under a model of what is stored where: `dse order --model`.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "methods/order/order.h"

namespace dse::cli {

struct OrderModelOptions {
  std::string model;                       // empty: none
  std::string objective = "with-scratch";  // or "operational"
  bool whole_branches = false, own_scratch = false;
  std::int64_t candidates = 10, labels = 200000;
};

/// Adds --model, --objective, --whole-branches, --own-scratch, --candidates and --labels; all others need --model.
void add_order_model_options(CLI::App& command, OrderModelOptions& options);

/// @returns what is wrong with the combination of options that `command` was called with, empty: nothing.
std::string fault_of_options(const CLI::App& command, const OrderModelOptions& options);

/// Finds the best order of a problem read from `file` and prints the candidates. @param limit bytes; < 0: none.
/// @returns the exit code: 3 when the graph is too large, 4 when no order keeps to the limit.
int order_by_model(const plan::OrderProblem& problem, const std::string& file, const OrderModelOptions& options,
                   std::int64_t limit, bool json);

/// Tells on stderr that the best order breaks the limit. @returns Exit::no_feasible_plan.
int tell_limit(std::int64_t limit, std::int64_t best, std::int64_t lower_bound);

}  // namespace dse::cli
