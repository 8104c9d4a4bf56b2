#include "models/hw/ethos_u/system.h"

#include <algorithm>
#include <cctype>

namespace dse::hw::ethos_u {
namespace {

constexpr MemoryPort kSram{1, 32, 32, 32};
constexpr MemoryPort kDram(double scale) { return {scale, 128, 500, 250}; }
constexpr MemoryPort kFlash(double scale) { return {scale, 128, 64, 64}; }
constexpr MemoryPort kSramOfU85(int latency, int ports) { return {1, 64, latency, latency, ports}; }
constexpr MemoryPort kDramOfU85(double scale, int ports) { return {scale, 128, 500, 250, ports}; }

constexpr SystemConfig kSystems[] = {
    {"Ethos_U55_Deep_Embedded", 200'000'000, kSram, Area::off_chip_flash, kFlash(0.0625)},
    {"Ethos_U55_High_End_Embedded", 500'000'000, kSram, Area::off_chip_flash, kFlash(0.125)},
    {"Ethos_U65_Embedded", 500'000'000, kSram, Area::off_chip_flash, kFlash(0.0625)},
    {"Ethos_U65_Mid_End", 500'000'000, kSram, Area::dram, kDram(0.46875)},
    {"Ethos_U65_High_End", 1'000'000'000, kSram, Area::dram, kDram(0.234375)},
    {"Ethos_U65_Client_Server", 1'000'000'000, kSram, Area::dram, kDram(0.75)},
    {"Alif_Hp_Sram_Mram", 400'000'000, {0.762, 8, 29, 29}, Area::off_chip_flash, {0.121, 16, 60, 60}},
    {"Alif_Hp_Sram_Ospi", 400'000'000, {0.762, 8, 29, 29}, Area::off_chip_flash, {0.052, 16, 108, 108}},
    {"Alif_He_Sram_Mram", 160'000'000, {1, 8, 13, 13}, Area::off_chip_flash, {0.303, 16, 24, 24}},
    {"Alif_He_Dtcm", 160'000'000, {0.889, 32, 5, 5}, Area::off_chip_flash, {0.889, 32, 5, 5}},
    {"Ethos_U85_SYS_Flash_Low", 200'000'000, kSramOfU85(8, 2), Area::off_chip_flash, {0.0625, 128, 32, 32}},
    {"Ethos_U85_SYS_Flash_High", 500'000'000, kSramOfU85(32, 2), Area::off_chip_flash, kFlash(0.0625)},
    {"Ethos_U85_SYS_DRAM_Low", 500'000'000, kSramOfU85(16, 2), Area::dram, kDramOfU85(0.46875, 1)},
    {"Ethos_U85_SYS_DRAM_Mid", 1'000'000'000, kSramOfU85(32, 2), Area::dram, kDramOfU85(0.75, 1)},
    {"Ethos_U85_SYS_DRAM_High", 1'000'000'000, kSramOfU85(32, 4), Area::dram, kDramOfU85(0.75, 2)},
};
constexpr std::string_view kU85 = "Ethos_U85_";
constexpr MemoryMode kModes[] = {MemoryMode::shared_sram, MemoryMode::sram_only, MemoryMode::dedicated_sram};
constexpr MemoryPort kShram{};

bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto plain = [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  for (std::size_t i = 0; i < a.size(); ++i)
    if (plain(a[i]) != plain(b[i])) return false;
  return true;
}

}  // namespace

const char* name_of(Area a) {
  static const char* const words[] = {"sram", "dram", "on-chip flash", "off-chip flash", "shram"};
  return words[static_cast<int>(a)];
}

const char* name_of(MemoryMode m) {
  static const char* const words[] = {"Shared_Sram", "Sram_Only", "Dedicated_Sram"};
  return words[static_cast<int>(m)];
}

std::span<const SystemConfig> system_configs() { return kSystems; }

const SystemConfig* find_system(std::string_view name) {
  for (const SystemConfig& s : kSystems)
    if (same_name(s.name, name) || (s.name.starts_with(kU85) && same_name(s.name.substr(kU85.size()), name))) return &s;
  return nullptr;
}

const SystemConfig& usual_system(const Accelerator& a, MemoryMode mode) {
  const bool dedicated = mode == MemoryMode::dedicated_sram;
  if (a.table85) return *find_system(dedicated ? "SYS_DRAM_Mid" : "SYS_Flash_High");
  return *find_system(dedicated                                      ? "Ethos_U65_High_End"
                      : a.name.find("u65") != std::string_view::npos ? "Ethos_U65_Embedded"
                                                                     : "Ethos_U55_High_End_Embedded");
}

const MemoryMode* find_memory_mode(std::string_view name) {
  for (const MemoryMode& m : kModes)
    if (same_name(name_of(m), name)) return &m;
  return nullptr;
}

const MemoryPort& Npu::port(Area a) const {
  if (a == Area::shram) return kShram;
  // Constants of Sram_Only lie in what the compiler calls on-chip flash, which is the SRAM.
  return a == system->second && mode != MemoryMode::sram_only ? system->second_port : system->sram;
}

int Npu::ports(Area a) const {
  const MemoryPort& to = port(a);
  return std::min(to.ports, &to == &system->second_port ? acc().other_ports() : acc().sram_ports());
}

Area Npu::constants() const { return mode == MemoryMode::sram_only ? Area::on_chip_flash : system->second; }

Area Npu::feature_maps() const { return mode == MemoryMode::dedicated_sram ? system->second : Area::sram; }

}  // namespace dse::hw::ethos_u
