// The per-operator table of `dse inspect` as text.
#pragma once
#include <string>

#include "models/nn/summary/summary.h"

namespace dse::reports {

/// A header, one line per operator in the file's order and a line of totals, each ending in a line feed. Lines keep to
/// `columns` where they can: source types are cut first (ending in ~), then bytes become KiB (without decimals from
/// 1,000 KiB on if that is not enough), then names are cut. Marks after the index: `!` cannot be run, `f` computes in
/// float.
std::string network_table(const nn::Network& n, const nn::Summary& s, std::size_t columns = 100);

}  // namespace dse::reports
