// Traces as a value change dump (IEEE 1364), which wave viewers open.
#pragma once
#include "reports/trace/traced.h"

namespace dse::reports {

/// Writes, in picoseconds: of every queue that has tasks `busy`, and while it is the operator and the tile (x else);
/// of control whether it `waits`; of every memory the bytes `alive`; and the operator whose the ticks are, as the
/// account says. The last time is the end of the run. @returns the number of signals.
int write_vcd(const Traced& traced, const Sink& sink);

}  // namespace dse::reports
