// What adds up over the layers of a plan. From the simulation of a layer to the study all costs travel in one array;
// what there is to know of each stands in the table below and nowhere else.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "models/hw/cost_model.h"
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
  /// What a task on an engine adds to it, which is known from the program, without a simulation; null: nothing is.
  std::int64_t (*of_task)(const program::TaskCost&, int engine, const hw::DeviceTiming&);
  /// What a tick adds to it.
  std::int64_t (*per_tick)(const hw::EnergyRates&);
};

inline std::int64_t external_bytes(const program::TaskCost& cost, int, const hw::DeviceTiming& timing) {
  std::int64_t bytes = 0;
  for (int f = 0; f < cost.flow_count; ++f)
    if (!timing.device().memories[cost.flows[f].memory].on_chip) bytes += cost.flows[f].bytes;
  return bytes;
}

inline constexpr std::array<CostKind, kCosts> kCostKinds = {{
    {"latency", "ticks", "ticks", "microseconds", 0, "fastest",
     [](const sim::RunResult& run, const hw::Device&) { return run.ticks; }, nullptr,
     [](const hw::EnergyRates&) { return std::int64_t{1}; }},
    {"energy", "energy_fj", "energy", "microjoules", 1e-9, "frugal",
     [](const sim::RunResult& run, const hw::Device&) { return run.energy_fj; },
     [](const program::TaskCost& cost, int engine, const hw::DeviceTiming& t) { return t.energy().of(cost, engine); },
     [](const hw::EnergyRates& rates) { return rates.per_tick(); }},
    {"traffic", "traffic", "traffic", "bytes", 1, "local", sim::external_traffic, external_bytes,
     [](const hw::EnergyRates&) { return std::int64_t{0}; }},
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

inline Costs costs_per_tick(const hw::EnergyRates& rates) {
  Costs each{};
  for (int c = 0; c < kCosts; ++c) each[c] = kCostKinds[c].per_tick(rates);
  return each;
}

/// What so many ticks add to `costs`.
inline void add_ticks(Costs& costs, std::int64_t ticks, const Costs& per_tick) {
  for (int c = 0; c < kCosts; ++c) costs[c] += ticks * per_tick[c];
}

}  // namespace dse::explore
