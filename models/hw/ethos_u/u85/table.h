// What an Ethos-U85 has instead of the banks of U55 and U65: a RAM of its own for inputs and one for accumulators,
// buffers for outputs and for what is handed on, several micro blocks to choose from. Sources: Vela 5.1
// (ethosu/regor/architecture/ethosu85). Nothing here was compared with hardware or with a model of Arm's.
#pragma once
#include <array>
#include <span>

#include "models/hw/ethos_u/block.h"

namespace dse::hw::ethos_u::u85 {

/// What the output unit does with an element, as far as its rate depends on it. narrowed: of two 32-bit operands a
/// narrower result, or into the chaining buffer; two_operands_32: of two 32-bit operands 32 bits.
enum class Output { bits8, bits16, bits32, bits64, narrowed, two_operands_32 };
/// turned: rows and columns exchanged, or columns backwards.
enum class Activating { usual, turned };
/// Who reads; each has entries of 16 bytes of the read buffer.
enum class Channel { copies, input_stream, weights, fast_weights, input, scales };

struct Table {
  int cores;                       // that decode weights; a micro block is that of all of them
  std::span<const Block> ublocks;  // outputs that are computed at once, to choose from
  int input_ram, accumulator_ram;  // bytes
  int output_buffer, chaining_buffer;
  int sram_ports, other_ports;              // AXI, of 128 bits
  std::array<double, 6> output_cycles;      // per element, by Output
  std::array<double, 2> activation_cycles;  // by Activating
  std::array<int, 6> read_buffer;           // entries, by Channel
};

extern const Table kTables[5];  // of 128, 256, 512, 1024 and 2048 multipliers

constexpr Block kLargestBlock{128, 128, 1024};
constexpr int kAccumulatorDepth = 16;  // channels that accumulators are a multiple of
constexpr int kReadEntry = 16;         // bytes of an entry of the read buffer
constexpr int kChainingSlots = 6;      // of the chaining buffer

}  // namespace dse::hw::ethos_u::u85
