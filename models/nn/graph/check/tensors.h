// Whether tensors are such that nothing computed from them overflows.
#pragma once
#include <string>

#include "base/diagnostics.h"
#include "models/nn/network.h"

namespace dse::nn {

/// Extents within the limits of derivation.h, as many bytes as shape and type say, fills where they may be. Each tensor
/// that is not so is an error in `file`. @returns false after errors.
bool check_tensors(const Network& n, const std::string& file, Diagnostics& diags);

}  // namespace dse::nn
