// Networks and NPUs that the tests of this folder share.
#pragma once
#include <string>

#include "models/hw/device.h"
#include "models/hw/ethos_u/system.h"
#include "models/nn/network.h"

namespace dse::explore::npu::test {

/// The two networks of the concurrency thesis: 28x28x1, two valid convolutions of 3x3 with ReLU, each before a pool of
/// 2x2, dense 10, softmax. Their input is rescaled on the NPU, which is as many products as Arm's compiler counts
/// (24,436 of the small one).
nn::NetworkPtr thesis_network(int first, int second);

/// A YAML network. Never null.
nn::NetworkPtr yaml_network(const std::string& text);

/// Two convolutions with an activation of this kind between, as one operator or, for a swish, a product with its curve.
nn::NetworkPtr with_between(nn::OperatorKind kind, bool times_itself);

hw::ethos_u::Npu npu(const std::string& accelerator = "ethos-u55-128",
                     hw::ethos_u::MemoryMode mode = hw::ethos_u::MemoryMode::shared_sram);

/// A core of 250 MHz with what a device file leaves unsaid.
hw::Device cpu();

/// That core with an NPU between an SRAM and a flash (mode dedicated_sram: DRAM) as `npu(accelerator, mode)` has them.
hw::DevicePtr device_with_npu(const std::string& accelerator,
                              hw::ethos_u::MemoryMode mode = hw::ethos_u::MemoryMode::shared_sram,
                              std::int64_t sram = 1 << 22);

}  // namespace dse::explore::npu::test
