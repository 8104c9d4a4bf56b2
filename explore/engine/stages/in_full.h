// A point as it is reported.
#pragma once
#include "explore/engine/work.h"
#include "explore/measure/point.h"
#include "explore/question/flash.h"

namespace dse::explore {

/// Simulated with its trace, and what a package of it takes of flash.
inline Point in_full(const Engine& engine, const Case& c, const plan::Plan& plan) {
  auto point = simulate_point(c, plan, engine.options.verify, true);
  if (const auto bytes = flash_of(engine.spec, c, plan, point.program_bytes))
    point.metrics[kFlash] = static_cast<double>(*bytes);
  return point;
}

}  // namespace dse::explore
