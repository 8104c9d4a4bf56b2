// The C functions behind operators, by name.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dse_kernels.h"
#include "program/program.h"

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

/// The table of kernels of a package of these points: what its operators need.
struct KernelTable {
  std::map<std::string, std::string> kinds, techniques;  // name of the entry -> function
  bool batches = false, factors = false;                 // dse_in_batches, dse_compensated
  std::set<std::string> functions() const;
};
KernelTable kernel_table_of(const std::vector<const program::Program*>& points, KernelSet set);

/// dse_own.h: a macro per kernel that may be replaced.
std::string own_kernels_h();

}  // namespace dse::deploy
