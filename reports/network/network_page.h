// `dse inspect --html`: one file that needs nothing beside it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "models/nn/network.h"

namespace dse::reports {

/// The whole page, UTF-8: totals, the table of operators and the graph, with style, scripts, D3 and data in one file
/// that opens without a network. Equal networks give equal bytes.
std::string network_page(const nn::Network& n);

/// The data behind the page:
/// * `summary`: totals and lists of what cannot be run, kinds, quantisation; `tensors`: those that an operator names;
/// * `layers`: rows of the table, with `in`, `constants`, `out` as positions in `tensors`;
/// * `graph`: `nodes` (centre x, y, width, height; `layer` or `tensor`) and `edges` (`from`, `to`, `tensor`, points).
nlohmann::json network_payload(const nn::Network& n);

}  // namespace dse::reports
