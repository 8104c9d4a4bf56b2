// The Ethos-U of a device: its configuration with the memories that the device's file gives it.
#pragma once
#include <memory>
#include <string_view>

#include "models/hw/device.h"
#include "models/hw/ethos_u/system.h"

namespace dse::hw::ethos_u {

/// Whose bursts and latencies the ports have if a device says nothing.
constexpr std::string_view kUsualSystemOfU55 = "Ethos_U55_High_End_Embedded", kUsualSystemOfU65 = "Ethos_U65_Embedded",
                           kUsualSystemOfU85 = "Ethos_U85_SYS_Flash_High";

/// An NPU whose system is its own: clock and widths of the device, the rest of the named system.
struct DeviceNpu {
  SystemConfig system;
  Npu npu;  // npu.system is the one above; arena_limit: bytes that plans may use of the SRAM
  int engine = -1, sram = -1, second = -1;  // of the device

  DeviceNpu() = default;
  DeviceNpu(const DeviceNpu&) = delete;
  DeviceNpu& operator=(const DeviceNpu&) = delete;
  /// Memory of the device where an area lies; shram: none.
  int memory_of(Area a) const;
};
using DeviceNpuPtr = std::shared_ptr<const DeviceNpu>;

/// Null where the device has none. @throws InvariantError when its names are unknown, which its reader refuses.
DeviceNpuPtr npu_of(const Device& device);

}  // namespace dse::hw::ethos_u
