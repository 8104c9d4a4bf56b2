// Plans with segments on an NPU.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "models/hw/ethos_u/of_device.h"
#include "plan/npu/program/compiled.h"
#include "plan/plan.h"

namespace dse::plan::npu {

/// Where the areas of an NPU begin in the memories of a device.
struct Bases {
  int fast = -1, maps = -1, constants = -1;  // memories: of the arena in the SRAM, of feature maps, of constants
  std::int64_t fast_at = 0, maps_at = 0;     // offsets; constants begin at 0
  std::int64_t constants_size = 0;           // with those of the CPU's operators and the first values of states
  std::vector<std::int64_t> blobs;           // offsets of the CPU's constants, by fallback of the graph; -1: none
  std::map<int, std::int64_t> first_values;  // of states, by tensor of the network
  std::int64_t scratch_at = 0, scratch = 0;  // of the CPU's operators, behind the arena in the fast memory
};
Bases bases_of(const Compiled& c, const hw::ethos_u::DeviceNpu& npu);

/// decided_schedule() of a device's NPU.
std::variant<Compiled, std::string> decided_on(const nn::NetworkPtr& network, const hw::ethos_u::DeviceNpuPtr& npu,
                                               const Decisions& decided);

/// A plan that runs this schedule. Infeasible: the device's memories do not lie as its memory mode has them, or are too
/// small.
std::variant<Plan, Infeasible> npu_plan(const hw::Device& device, std::shared_ptr<const Compiled> compiled);
std::variant<Plan, Infeasible> npu_plan(const nn::NetworkPtr& network, const hw::Device& device,
                                        const Decisions& decided);

/// Values of `rule`, of `formats` in the order of Formats, of `block` and `weights`: what follows from rule and limit;
/// weights that are read where they lie.
constexpr const char *kRules[] = {"performance", "size"}, *kFormats[] = {"in-place", "bricks"};
constexpr const char *kByRule = "by rule", *kInPlace = "in place";

/// "npu.rule" -> "performance", "npu.limit" -> "40960", "npu.formats" -> "bricks", "conv3.block" -> "4x8x16",
/// "conv3.weights" -> "in place".
std::vector<std::pair<std::string, std::string>> named(const Compiled& c);
/// The inverse. @returns what is wrong: names and values that are none.
std::variant<Decisions, std::string> decisions_of(const nn::Network& network, const hw::ethos_u::Npu& npu,
                                                  const std::vector<std::pair<std::string, std::string>>& named);
/// One line per section: what the NPU runs, in which blocks; what the CPU runs, and why.
std::vector<std::string> in_words(const Compiled& c);

program::Program lower_npu(const hw::Device& device, const Plan& plan);
std::vector<std::uint8_t> npu_constants(const hw::Device& device, const Plan& plan);

}  // namespace dse::plan::npu
