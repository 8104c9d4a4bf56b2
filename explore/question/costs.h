// What adds up over the layers of a plan. From the simulation of a layer to the study all costs travel in one array;
// what there is to know of each stands in the table below and nowhere else.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sim/metrics.h"

namespace dse::explore {

/// Ticks, femtojoules, bytes to and from memories off the chip.
enum Cost { kTicks, kEnergy, kTraffic };
constexpr int kCosts = 3;
using Costs = std::array<std::int64_t, kCosts>;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 4;

constexpr Costs every_cost(std::int64_t value) {
  Costs all{};
  for (auto& cost : all) cost = value;
  return all;
}

struct CostKind {
  const char* metric;  // objectives and limits of sweeps
  const char* column;  // of studies, key of schedules that are stored there: as it is in Costs
  const char* asked;   // in what results of searches depend on
  const char* unit;    // of the metric, in words (metric.h)
  double scale;        // that unit per one of Costs; 0: ticks, whose length the device tells
  const char* least;   // what the point with the least of it is called
  std::int64_t (*of_run)(const sim::RunResult&, const hw::Device&);
  /// What a multiply-accumulate on an engine and a byte from or to a memory add to it. It is known from the program
  /// then, without a simulation; null: nothing is, and its bound is 0.
  std::int64_t (*per_mac)(const hw::Engine&);
  std::int64_t (*per_byte)(const hw::Memory&);
};

inline constexpr std::array<CostKind, kCosts> kCostKinds = {{
    {"latency", "ticks", "ticks", "microseconds", 0, "fastest",
     [](const sim::RunResult& run, const hw::Device&) { return run.ticks; }, nullptr, nullptr},
    {"energy", "energy_fj", "energy", "microjoules", 1e-9, "frugal",
     [](const sim::RunResult& run, const hw::Device&) { return run.energy_fj; },
     [](const hw::Engine& e) { return sim::femtojoules(e.energy_pj_per_mac); },
     [](const hw::Memory& m) { return sim::femtojoules(m.energy_pj_per_byte); }},
    {"traffic", "traffic", "traffic", "bytes", 1, "local", sim::external_traffic, nullptr,
     [](const hw::Memory& m) { return std::int64_t{m.on_chip ? 0 : 1}; }},
}};

/// The cost that this metric of a sweep is, or -1.
constexpr int cost_of(std::string_view metric) {
  for (int c = 0; c < kCosts; ++c)
    if (kCostKinds[c].metric == metric) return c;
  return -1;
}

inline Costs costs_of(const sim::RunResult& run, const hw::Device& device) {
  Costs costs{};
  for (int c = 0; c < kCosts; ++c) costs[c] = kCostKinds[c].of_run(run, device);
  return costs;
}

}  // namespace dse::explore
