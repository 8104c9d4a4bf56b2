// How much each of an Ethos-U85's readers and writers moves: as many bursts are under way as its part of the read
// buffer and the memory's limits allow, so a late memory gives less than its bandwidth. Source: Vela 5.1
// (ethosu/regor/architecture/ethosu85/ethos_u85_performance.cpp).
#pragma once
#include "models/hw/ethos_u/system.h"
#include "models/hw/ethos_u/u85/table.h"

namespace dse::hw::ethos_u::u85 {

/// Bytes per cycle of the NPU.
double read_rate(const Npu& npu, Area a, Channel channel);
double write_rate(const Npu& npu, Area a);

}  // namespace dse::hw::ethos_u::u85
