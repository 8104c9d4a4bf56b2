// Networks of one operator from the plain descriptions of the golden folder, without a file format in between.
#pragma once
#include <filesystem>

#include "base/diagnostics.h"
#include "models/nn/network.h"

namespace dse::nn::test {

/// The operator kinds that golden_case() can describe: element-wise operators and SOFTMAX.
bool describes(const std::string& kind);

/// The network of `folder`/case.json. @returns null, with diagnostics, when it cannot be run.
NetworkPtr golden_case(const std::filesystem::path& folder, Diagnostics& diags);

}  // namespace dse::nn::test
