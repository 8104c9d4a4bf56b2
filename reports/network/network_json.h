// `dse inspect --json`.
#pragma once
#include <nlohmann/json.hpp>

#include "models/nn/network.h"

namespace dse::reports {

/// Format 1, described in docs/network/inspect.md. Integers are exact; sizes in bytes.
nlohmann::ordered_json network_json(const nn::Network& n);

}  // namespace dse::reports
