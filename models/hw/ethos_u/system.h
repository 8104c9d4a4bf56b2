// Memories around an Ethos-U, as its compiler's system configurations and memory modes have them. Source: vela.ini of
// Vela 3.10, of Vela 5.1 for the U85; those of Alif's chips are the vendor's, calibrated on silicon.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/hw/ethos_u/accelerator.h"

namespace dse::hw::ethos_u {

/// Where a tensor of the NPU lies. shram: its own RAM, where tables of activations go.
enum class Area { sram, dram, on_chip_flash, off_chip_flash, shram };
constexpr int kAreas = 5;
const char* name_of(Area a);  // "sram", "dram", "on-chip flash", "off-chip flash", "shram"

struct MemoryPort {
  double clock_scale = 1;                   // share of the port's bytes per cycle that come on average
  int burst = 1;                            // bytes
  int read_latency = 0, write_latency = 0;  // cycles of the NPU
  int ports = 1;                            // of the NPU that lead there, as far as it has them
  int reads = 64, writes = 32;              // bursts under way, of a U85
};

struct SystemConfig {
  std::string_view name;  // "Ethos_U55_High_End_Embedded"
  std::int64_t clock_hz;
  MemoryPort sram;
  Area second;  // dram or off_chip_flash (on_chip_flash: MRAM)
  MemoryPort second_port;
};

/// What lies where. shared_sram: feature maps in SRAM, constants in the second memory. sram_only: all in SRAM.
/// dedicated_sram: feature maps and constants in the second memory, SRAM is the NPU's own, for what is worth it.
enum class MemoryMode { shared_sram, sram_only, dedicated_sram };
const char* name_of(MemoryMode m);  // "Shared_Sram", "Sram_Only", "Dedicated_Sram"

std::span<const SystemConfig> system_configs();
/// Upper and lower case, '-' and '_' are the same; "SYS_Flash_High" is Ethos_U85_SYS_Flash_High. @returns null where
/// there is none.
const SystemConfig* find_system(std::string_view name);
/// Where nobody says one: what Arm's compiler has for such an accelerator.
const SystemConfig& usual_system(const Accelerator& a, MemoryMode mode);
const MemoryMode* find_memory_mode(std::string_view name);

/// An accelerator with its memories.
struct Npu {
  const Accelerator* accelerator = nullptr;
  const SystemConfig* system = nullptr;
  MemoryMode mode = MemoryMode::shared_sram;
  std::int64_t arena_limit = std::int64_t{1} << 32;  // bytes of SRAM that plans may use

  const Accelerator& acc() const { return *accelerator; }
  const MemoryPort& port(Area a) const;
  /// Ports that lead there.
  int ports(Area a) const;
  double bytes_per_cycle(Area a) const { return acc().axi_bits / 8.0 * port(a).clock_scale * ports(a); }
  Area constants() const;
  Area feature_maps() const;
  /// Memory that what is worth it is brought into.
  static constexpr Area fast() { return Area::sram; }
  bool spills() const { return mode == MemoryMode::dedicated_sram; }
};

}  // namespace dse::hw::ethos_u
