// `dse diff` of two networks.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "reports/diff/diff_limits.h"
#include "reports/diff/network/network_diff.h"

namespace dse::cli {

/// Whether this names a network: a file of one, or one that is shipped.
bool names_network(const std::string& given);

/// Both networks read and compared. Nothing after diagnostics, which tell of limits that networks do not have as well.
std::optional<reports::NetworkDiff> compare_networks(const std::string& a, const std::string& b,
                                                     const std::vector<reports::Limit>& limits,
                                                     const std::string& limit_option, Diagnostics& diagnostics);

}  // namespace dse::cli
