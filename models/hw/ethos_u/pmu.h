// What an Ethos-U counts while it runs: the events of its performance monitor, and where the time of each block went.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace dse::hw::ethos_u {

/// What a block waits for; `busy` is work, `done` nothing more to do.
enum class Wait : std::uint8_t {
  busy,
  commands,
  setup,
  blockdep,
  input,
  weights,
  accumulators,
  input_buffer,
  output_buffer,
  memory,
  dma,
  kernels,
  done
};
constexpr int kWaits = static_cast<int>(Wait::done) + 1;
const char* name_of(Wait w);  // "busy", "commands", ...

enum class Part : std::uint8_t { control, dma, input, weights, macs, output, store };
constexpr int kParts = static_cast<int>(Part::store) + 1;
const char* name_of(Part p);  // "central control", "DMA", ...

struct PortCount {
  std::int64_t read_beats = 0, written_beats = 0, transactions = 0;
};

struct PmuCounts {
  std::int64_t active = 0;         // cycles
  std::array<PortCount, 2> axi{};  // 0: the SRAM's side, 1: the other memory's
  std::int64_t beat_bytes = 8;
  std::array<std::array<std::int64_t, kWaits>, kParts> time{};  // cycles, each part's sum is `active`
  std::int64_t mac_active_8 = 0, mac_active_16 = 0;
  std::int64_t of(Part p, Wait w) const { return time[static_cast<std::size_t>(p)][static_cast<std::size_t>(w)]; }
  /// Of one invocation after the other.
  PmuCounts& operator+=(const PmuCounts& one);
};

/// One kernel of the stream as it ran, cycles from the start.
struct KernelTime {
  int number = 0;  // the stream's parameter: what it computes
  std::int64_t begin = 0, end = 0, mac_busy = 0, output_busy = 0;
  std::array<std::int64_t, 2> read_beats{}, written_beats{};
};

}  // namespace dse::hw::ethos_u
