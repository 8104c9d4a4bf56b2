#include "explore/question/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explore/question/metric.h"
#include "explore/question/ram.h"

namespace dse::explore {
namespace {

/// The memory of `memories.<name>.peak`; empty for other metrics.
std::string memory_of(const std::string& metric) {
  if (metric.rfind("memories.", 0) != 0) return {};
  return metric.substr(9, metric.rfind('.') - 9);
}

/// The largest whole number whose metric, as points are measured, keeps the limit.
template <class Metric>
std::int64_t largest(double limit, double guess, const Metric& metric) {
  if (!(guess < static_cast<double>(kUnlimited))) return kUnlimited;
  auto n = static_cast<std::int64_t>(std::floor(guess));
  while (n > 0 && metric(n) > limit) --n;
  while (metric(n + 1) <= limit) ++n;
  return n;
}

/// A metric that this device says too little for.
struct Unknown {
  std::string metric, why, how;
};

std::vector<Unknown> unknown_here(const hw::Device& device, const std::string& label) {
  std::vector<Unknown> out;
  if (!device.area_mm2())
    out.push_back({"area", label + " says nothing of its area",
                   "a device file gives area and area_per_kib of memories, and area of engines"});
  if (device.energy_known()) return out;
  if (device.states_energies())
    out.push_back(
        {"energy", label + " does not say where its energies come from, so nothing is known of it",
         "where they are measured or published, say so in the device file: energy_source: \"what, by whom\""});
  else
    out.push_back({"energy", label + " states no energies",
                   "a device file gives energy of memories and engines, and energy_source: where they come from"});
  return out;
}

}  // namespace

Objective objective_of(const std::string& name, const hw::Device& device) {
  Objective o;
  o.name = name == kRam ? "memory" : name;
  o.cost = cost_of(name);
  if (o.cost >= 0) return o;
  const auto only = memory_of(name);
  for (const auto& m : device.memories) o.memories.push_back(only.empty() ? m.on_chip : m.name == only);
  return o;
}

double in_unit_of(const std::string& metric, std::int64_t value, const hw::Device& device) {
  const auto v = static_cast<double>(value);
  const int cost = cost_of(metric);
  if (cost == kTicks) return v * 1e6 / static_cast<double>(device.tick_hz());
  return cost < 0 ? v : v * kCostKinds[cost].scale;
}

bool Goal::limited() const {
  return total_limit < kUnlimited ||
         std::any_of(cost_limits.begin(), cost_limits.end(), [](auto l) { return l < kUnlimited; });
}

bool Goal::summed(int cost) const {
  return cost_limits[cost] < kUnlimited ||
         std::any_of(objectives.begin(), objectives.end(), [&](const Objective& o) { return o.cost == cost; });
}

bool Goal::active(int cost) const { return summed(cost) || (cost == kTicks && objectives.size() == 1); }

std::string Goal::active_costs() const {
  std::string out;
  for (int c = 0; c < kCosts; ++c)
    if (active(c)) out += std::string(out.empty() ? "" : ",") + kCostKinds[c].asked;
  return out;
}

Goal default_goal(const hw::Device& device) { return goal_of(SweepSpec(), device); }

SweepSpec on_one_device(SweepSpec spec) {
  std::erase_if(spec.objectives, is_of_case);
  auto& objectives = spec.objectives;
  if (std::count(objectives.begin(), objectives.end(), "memory") > 0) std::erase(objectives, kRam);
  std::replace(objectives.begin(), objectives.end(), std::string(kRam), std::string("memory"));
  std::erase_if(spec.constraints, [](const Constraint& k) { return is_of_case(k.metric); });
  return spec;
}

void check_facts(const SweepSpec& spec, const Case& c, Diagnostics& diags) {
  if (std::count(spec.objectives.begin(), spec.objectives.end(), "accuracy") > 0 && !c.facts.accuracy)
    diags.error({spec.file, 0, 0}, "objective accuracy: nothing is known of that of " + c.network_name(),
                "networks: [{file: ..., accuracy: 0.95}], or {base: ..., axes: ..., data: ...}");
}

std::string over_limit(const SweepSpec& spec, const Case& c) {
  const hw::Device& device = *c.device;
  const std::int64_t weights = c.network->parameter_bytes(), beside = beside_memory(spec, *c.network, device);
  for (const auto& k : spec.constraints)
    if (k.metric == kRam && static_cast<double>(beside) > k.limit)
      return fmt::format(
          "a package keeps {} of RAM beside its arenas (runtime, buffers of kernels, stack), of {} at most",
          enough_text(kRam, static_cast<double>(beside)), value_text(kRam, k.limit));
  for (const auto& k : spec.constraints)
    if (k.metric == "weights" && static_cast<double>(weights) > k.limit)
      return fmt::format("the network's weights of {} bytes are over the limit of {:.10g}", weights, k.limit);
  for (const auto& k : spec.constraints)
    if (k.metric == "area" && device.area_mm2().value_or(0) > k.limit)
      return fmt::format("the device's area of {} is over the limit of {}", value_text("area", *device.area_mm2()),
                         value_text("area", k.limit));
  return {};
}

Goal goal_of(const SweepSpec& spec, const nn::Network& network, const hw::Device& device) {
  return goal_of(spec, device, beside_memory(spec, network, device));
}

Goal goal_of(const SweepSpec& asked, const hw::Device& device, std::int64_t beside) {
  const auto spec = on_one_device(asked);
  Goal g;
  for (const auto& name : spec.objectives) g.objectives.push_back(objective_of(name, device));
  for (const auto& m : device.memories) g.limits.push_back(m.free());
  for (const auto& k : spec.constraints) {
    const auto metric = [&](std::int64_t n) { return in_unit_of(k.metric, n, device); };
    const auto whole = largest(k.limit, k.limit / metric(1), metric);
    if (k.metric == kRam) g.total_limit = std::min(g.total_limit, whole - beside);
    if (k.metric == "memory") g.total_limit = std::min(g.total_limit, whole);
    if (const int c = cost_of(k.metric); c >= 0) g.cost_limits[c] = std::min(g.cost_limits[c], whole);
    const auto memory = device.memory(memory_of(k.metric));
    if (memory >= 0) g.limits[memory] = std::min(g.limits[memory], whole);
  }
  return g;
}

void check_goal(const SweepSpec& spec, const hw::Device& device, const std::string& label, Diagnostics& diags) {
  const auto searched = on_one_device(spec).objectives.size();
  if (searched == 0 && !spec.objectives.empty())
    diags.error({spec.file, 0, 0},
                "objective " + spec.objectives.front() + ": it is the same for all plans of a " +
                    (spec.objectives.front() == "area" ? "device" : "network"),
                "name an objective beside it that tells plans apart, such as latency");
  else if (searched == 0 || searched > 4)
    diags.error({spec.file, 0, 0}, "one to four objectives can be searched together, not " + std::to_string(searched));
  for (const auto& [metric, why, how] : unknown_here(device, label)) {
    if (std::count(spec.objectives.begin(), spec.objectives.end(), metric) > 0)
      diags.error({spec.file, 0, 0}, "objective " + metric + ": " + why, how);
    for (const auto& k : spec.constraints)
      if (k.metric == metric) diags.error(k.where, "constraint " + metric + ": " + why, how);
  }
  for (const auto& name : spec.objectives) {
    const auto memory = memory_of(name);
    if (memory.empty()) continue;
    const int m = device.memory(memory);
    if (m < 0)
      diags.error({spec.file, 0, 0}, "objective " + name + ": " + label + " has no memory " + memory);
    else if (!device.memories[m].on_chip)
      diags.error({spec.file, 0, 0}, "objective " + name + ": " + memory + " of " + label + " is not on the chip",
                  "use it as a constraint, or the objective traffic");
  }
  for (const auto& k : spec.constraints)
    if (const auto memory = memory_of(k.metric); !memory.empty() && device.memory(memory) < 0)
      diags.error(k.where, "constraint " + k.metric + ": " + label + " has no memory " + memory);
}

void check_case(const SweepSpec& spec, const Case& c, Diagnostics& diags) {
  check_goal(spec, *c.device, c.device_label, diags);
  check_facts(spec, c, diags);
  check_ram(spec, c, diags);
}

bool no_costlier(const Costs& a, const Costs& b, const Goal& goal) {
  for (int c = 0; c < kCosts; ++c)
    if (goal.active(c) && a[c] > b[c]) return false;
  return true;
}

bool keeps(const Goal& goal, const hw::Device& device, const std::vector<std::int64_t>& heights, const Costs& costs) {
  std::int64_t total = 0;
  for (std::size_t m = 0; m < heights.size(); ++m) {
    if (heights[m] > goal.limits[m]) return false;
    if (device.memories[m].on_chip) total += heights[m];
  }
  for (int c = 0; c < kCosts; ++c)
    if (costs[c] > goal.cost_limits[c]) return false;
  return total <= goal.total_limit;
}

std::vector<std::int64_t> values_with(const Goal& goal, const std::vector<std::int64_t>& heights, const Costs& costs) {
  std::vector<std::int64_t> values;
  for (const auto& o : goal.objectives) {
    std::int64_t value = o.cost >= 0 ? costs[o.cost] : 0;
    if (o.cost < 0)
      for (std::size_t m = 0; m < heights.size(); ++m) value += o.memories[m] ? heights[m] : 0;
    values.push_back(value);
  }
  return values;
}

bool is_reached(const std::vector<std::vector<std::int64_t>>& reached, const std::vector<std::int64_t>& values) {
  return std::any_of(reached.begin(), reached.end(), [&](const auto& r) {
    return std::equal(r.begin(), r.end(), values.begin(), [](auto a, auto b) { return a <= b; });
  });
}

}  // namespace dse::explore
