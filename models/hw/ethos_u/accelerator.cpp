#include "models/hw/ethos_u/accelerator.h"

#include "models/hw/ethos_u/u85/table.h"

namespace dse::hw::ethos_u {
namespace {

// The three with 256 multipliers per core have its banks in common.
constexpr Block kMicro256{2, 2, 8};
constexpr int kBanks256 = 48;
constexpr Accelerator::Granules kGranules256{8, 8, 8, 8, 16, 8, 16, 20};
constexpr std::array<double, 8> kOutput256{0.625, 1.125, 0.5, 0.375, 0.5, 0.75, 0.125, 0.25};
constexpr std::array<double, 8> kOutput512{0.3125, 0.5625, 0.25, 0.1875, 0.25, 0.375, 0.0625, 0.125};

// clang-format off
constexpr Accelerator kAccelerators[] = {
    {"ethos-u55-32", 32, 1, {1, 1, 4}, 8, 16, {2, 2, 2, 2, 4, 4, 4, 4}, {2, 3, 3, 3, 4, 6, 1, 2}, {1, 1, 0}, 64, 1},
    {"ethos-u55-64", 64, 1, {1, 1, 8}, 8, 16, {2, 2, 2, 2, 4, 4, 4, 8}, {1, 1.5, 1.5, 1.5, 2, 3, 0.5, 1}, {1, 1, 0}, 64, 1},
    {"ethos-u55-128", 128, 1, {1, 2, 8}, 8, 24, {4, 4, 4, 4, 8, 4, 8, 12}, {0.75, 1.25, 0.75, 0.75, 1, 1.5, 0.25, 0.5}, {1, 0.5, 0}, 64, 1},
    {"ethos-u55-256", 256, 1, kMicro256, 8, kBanks256, kGranules256, kOutput256, {1, 0.25, 0}, 64, 1},
    {"ethos-u65-256", 256, 1, kMicro256, 8, kBanks256, kGranules256, kOutput256, {1, 0.25, 0}, 128, 2},
    {"ethos-u65-512", 256, 2, kMicro256, 8, kBanks256, kGranules256, kOutput512, {0.5, 0.125, 0}, 128, 2},
    {"ethos-u85-128", 128, 1, {1, 2, 8}, 8, 0, {}, {}, {}, 128, 4, &u85::kTables[0]},
    {"ethos-u85-256", 256, 1, {1, 2, 16}, 8, 0, {}, {}, {}, 128, 4, &u85::kTables[1]},
    {"ethos-u85-512", 512, 1, {2, 2, 16}, 8, 0, {}, {}, {}, 128, 4, &u85::kTables[2]},
    {"ethos-u85-1024", 1024, 1, {2, 2, 32}, 8, 0, {}, {}, {}, 128, 4, &u85::kTables[3]},
    {"ethos-u85-2048", 2048, 1, {2, 2, 64}, 8, 0, {}, {}, {}, 128, 4, &u85::kTables[4]},
};
// clang-format on

}  // namespace

int bits_of(Accumulator a) {
  constexpr int kBits[] = {16, 32, 40, 64};
  return kBits[static_cast<int>(a)];
}

int Accelerator::bank_granule(int bits, bool elementwise) const {
  if (bits == 32) return granules.ifm32;
  if (bits == 16) return elementwise ? granules.elementwise16 : granules.ifm16;
  return elementwise ? granules.elementwise8 : granules.ifm8;
}

int Accelerator::bank_granule(Accumulator a) const {
  return a == Accumulator::bits16 ? granules.acc16 : a == Accumulator::bits32 ? granules.acc32 : granules.acc40;
}

Block Accelerator::largest_block() const { return table85 ? u85::kLargestBlock : kLargestOfmBlock; }
int Accelerator::decoders() const { return table85 ? table85->cores : cores; }
int Accelerator::sram_ports() const { return table85 ? table85->sram_ports : 1; }
int Accelerator::other_ports() const { return table85 ? table85->other_ports : 1; }

std::span<const Accelerator> accelerators() { return kAccelerators; }

const Accelerator* find_accelerator(std::string_view name) {
  for (const Accelerator& a : kAccelerators)
    if (name == a.name || name == a.name.substr(std::string_view("ethos-").size())) return &a;
  return nullptr;
}

std::string_view unvalidated(const Accelerator& a) {
  return a.table85 ? "Ethos-U85: unvalidated, from tables; no measured or vendor-simulated cycle was compared" : "";
}

}  // namespace dse::hw::ethos_u
