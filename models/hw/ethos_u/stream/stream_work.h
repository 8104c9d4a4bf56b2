// What a command stream asks of an NPU, without running it.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/hw/ethos_u/system.h"

namespace dse::hw::ethos_u {

struct Work {
  std::array<std::int64_t, kAreas> read{}, written{};  // beats, by area
  std::int64_t mac_cycles = 0, output_cycles = 0;
  Work& operator+=(const Work& o);
};

struct StreamWork {
  Work all;  // with copies, and with commands, which are read where constants lie
  /// Of each kernel, with the number that the stream gives it.
  std::vector<std::pair<int, Work>> kernels;
};

/// Up to its STOP, or to the first command that is none.
StreamWork work_of(const Npu& npu, std::span<const std::uint32_t> words);

/// Little-endian words, as they lie in memory; bytes that are no whole word are left out.
std::vector<std::uint32_t> words_of(std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> bytes_of(std::span<const std::uint32_t> words);

}  // namespace dse::hw::ethos_u
