// Configurations of the Arm Ethos-U55, U65 and U85 as data: sizes of the MAC unit, of its internal RAM and its rates.
// Sources: the technical reference manuals of U55 and U65 and the sources of Arm's Vela compiler 3.10
// (ethosu/vela/architecture_features.py); of the U85 u85/table.h.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/hw/ethos_u/block.h"

namespace dse::hw::ethos_u {

enum class Accumulator { bits16, bits32, bits40, bits48 };
int bits_of(Accumulator a);  // as stored: those of 48 bits take 64

/// What the output unit does with an element, as far as its rate depends on it.
enum class OutputRate {
  two_operands_32,  // element by element on 32 bits: where there is a second operand, in the words of Vela 3.10 a first
                    // one
  one_operand_32,
  mul_to_32,
  mul_or_40,  // products, and whatever has accumulators of 40 bits
  simple_add,
  add,
  max_pool,
  other
};
enum class ActivationRate { table, relu, none };

namespace u85 {
struct Table;
}

/// One configuration. Banks are 1 KiB of the internal RAM (SHRAM), granules what an allocation there is a multiple of.
/// A U85 has `table85` instead of banks, granules and rates; its cores share micro blocks and stream, so they are one.
struct Accelerator {
  std::string_view name;  // "ethos-u55-128"
  int macs;               // of 8 bits in a cycle, per core
  int cores;
  Block ofm_ublock;  // outputs that are computed at once, per core; of a U85 the first of several
  int ifm_ublock_depth;
  int banks;
  struct Granules {
    int ifm8, ifm16, elementwise8, elementwise16, ifm32, acc16, acc32, acc40;
  } granules;
  std::array<double, 8> output_cycles;      // per element, by OutputRate
  std::array<double, 3> activation_cycles;  // per element, by ActivationRate
  int axi_bits;                             // of each of its two ports
  int outstanding_dma;                      // transfers that its DMA has under way
  const u85::Table* table85 = nullptr;

  int macs_per_cycle() const { return macs * cores; }
  /// Banks at the end that no operator may have: the tables of activations.
  int reserved_end_banks() const { return banks > 16 ? 2 : 0; }
  int bank_granule(int bits, bool elementwise) const;
  int bank_granule(Accumulator a) const;
  Block largest_block() const;  // of outputs
  int decoders() const;         // of weights
  /// AXI ports to the SRAM, and to what lies behind the other side.
  int sram_ports() const;
  int other_ports() const;
};

constexpr int kBankBytes = 1024;
constexpr int kOutputBanks = 2;                 // at the start: the output unit's
constexpr int kTableBanks = 2;                  // an activation by table
constexpr Block kLargestOfmBlock{32, 64, 128};  // rows, columns, channels; a U85 has larger ones
constexpr int kSubKernel = 8;                   // a larger kernel is computed in parts of so many rows and columns
constexpr int kSplitDepth = 16;                 // output channels are cut at multiples of this
constexpr int kScaleBytes = 10;                 // per output channel: bias of 40 bits, multiplier of 32, shift of 6

std::span<const Accelerator> accelerators();
/// By name, with or without "ethos-". @returns null where there is none.
const Accelerator* find_accelerator(std::string_view name);

/// What is to be said with every result of this accelerator; empty where its times were compared with others.
std::string_view unvalidated(const Accelerator& a);

}  // namespace dse::hw::ethos_u
