// The two schedules that Arm's compiler makes: as fast as the memory allows, or in as little memory as cascades need.
#pragma once
#include "plan/npu/costs.h"

namespace dse::plan::npu {

enum class Optimise { performance, size };

/// By the steps of Vela 3.10 (ethosu/vela/scheduler.py).
Schedule schedule_by_rule(Costs& costs, Optimise optimise);

}  // namespace dse::plan::npu
