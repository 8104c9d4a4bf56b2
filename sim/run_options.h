// What a run of the platform is asked for, and the bytes that it is given.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dse::sim {

struct RunOptions {
  bool data = false;     // real bytes travel in the payloads; outputs are returned
  bool accounts = true;  // the per-layer account
  bool trace = false;    // what ran when: tasks, Waits and, with accounts, whose every tick was
};

/// Real bytes for a data run: the constants image and one buffer per network input.
struct RunData {
  std::span<const std::uint8_t> constants;
  std::vector<std::span<const std::uint8_t>> inputs;
};

}  // namespace dse::sim
