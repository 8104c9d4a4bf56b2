#include "explore/question/ram.h"

#include <fmt/format.h>

#include <algorithm>

#include "deploy/size/ram.h"
#include "explore/question/kernels.h"

namespace dse::explore {
std::optional<std::int64_t> beside_arenas(const SweepSpec& spec, const nn::Network& network, const hw::Device& device) {
  if (!deploy::why_no_ram(network, device).empty()) return std::nullopt;
  return deploy::target_ram(network, device, kernels_of(spec)).besides();
}

std::int64_t beside_memory(const SweepSpec& spec, const nn::Network& network, const hw::Device& device) {
  const bool limited = std::any_of(spec.constraints.begin(), spec.constraints.end(),
                                   [](const Constraint& k) { return k.metric == kRam; });
  return limited ? beside_arenas(spec, network, device).value_or(0) : 0;
}

void check_ram(const SweepSpec& spec, const Case& c, Diagnostics& diags) {
  const auto why = deploy::why_no_ram(*c.network, *c.device);
  if (why.empty()) return;
  const auto error = [&](Location where, const char* what) {
    diags.error(std::move(where), fmt::format("{} ram: {} {}", what, c.device_label, why),
                "memory, or the peaks of memories, are known there");
  };
  if (std::count(spec.objectives.begin(), spec.objectives.end(), kRam) > 0) error({spec.file, 0, 0}, "objective");
  for (const auto& k : spec.constraints)
    if (k.metric == kRam) error(k.where, "constraint");
}

}  // namespace dse::explore
