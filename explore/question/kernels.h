// Whose kernels a package of a sweep's plans will call.
#pragma once
#include <algorithm>

#include "base/diagnostics.h"
#include "deploy/export/kernels.h"
#include "explore/question/sweep.h"

namespace dse::explore {

inline deploy::KernelSet kernels_of(const SweepSpec& spec) {
  const auto& names = deploy::kernel_set_names();
  const auto it = std::find(names.begin(), names.end(), spec.kernels);
  ensure(it != names.end(), "no kernel set " + spec.kernels);
  return static_cast<deploy::KernelSet>(it - names.begin());
}

}  // namespace dse::explore
