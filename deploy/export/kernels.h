// The C functions behind operators, by name.
#pragma once
#include <string>
#include <vector>

#include "dse_kernels.h"

namespace dse::deploy {

/// Whose kernels a package calls: the reference ones; CMSIS-NN's, where that takes a call; the user's, by macros that
/// are the reference ones unless they are defined (dse_own.h).
enum class KernelSet { reference, cmsis_nn, own };
/// "reference", "cmsis-nn", "own": in their order.
const std::vector<std::string>& kernel_set_names();

/// "DSE_CONV_2D" -> "dse_conv": the entry of the table of kernels.
std::string kind_name(int kind);
std::string plain_kernel_of(int kind, KernelSet set);
/// "DSE_WINOGRAD".
std::string technique_name(int technique);
/// Whether a technique computes by this function.
bool is_technique(const std::string& function);
/// What dse_run_call() calls for the operator, batches left aside.
std::string kernel_of(const dse_op& op, KernelSet set);

/// dse_own.h: a macro per kernel that may be replaced.
std::string own_kernels_h();

}  // namespace dse::deploy
