// The C functions behind operators, by name.
#pragma once
#include <string>

#include "dse_kernels.h"

namespace dse::deploy {

/// "DSE_CONV_2D" -> "dse_conv": the entry of the table of kernels.
std::string kind_name(int kind);
std::string plain_kernel_of(int kind);
/// "DSE_WINOGRAD".
std::string technique_name(int technique);
/// What dse_run_call() calls for the operator, batches left aside.
std::string kernel_of(const dse_op& op);

}  // namespace dse::deploy
