// Ctrl-C: the first one asks for an orderly end, the second one kills.
#pragma once
#include <atomic>

namespace dse::cli {

/// Installs the handlers of SIGINT and SIGTERM, once. @returns the flag that the first signal sets.
const std::atomic<bool>& watch_interrupts();

}  // namespace dse::cli
