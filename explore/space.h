// The space of whole-network plans: which homes each tensor may have, and which layer searches that makes necessary.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/sweep.h"
#include "plan/choice.h"
#include "plan/plan.h"

namespace dse::explore {

/// One search over the schedules of a layer: inputs and output at given homes.
struct LayerTask {
  int op = 0;
  plan::LayerContext context;
  plan::Home output;
};

/// A layer's tensors by root, and every combination of their homes.
struct Space {
  Space(const nn::Network& network, const hw::Device& device, const SweepSpec& spec);

  const nn::Network* network;
  const hw::Device* device;
  std::vector<int> layers;  // operators, in order
  std::vector<int> root;    // per tensor
  std::vector<std::vector<plan::Home>>
      homes;                     // per root tensor: where it may live (empty: not a tensor that is placed)
  std::vector<int> first, last;  // per root tensor: sections
  std::vector<LayerTask> tasks;  // distinct layer searches
  /// Where the (first) output of operator `op` may live; a variable lives in the io memory.
  std::vector<plan::Home> output_homes(int op) const;
  /// Index into `tasks` for layer `section` with the inputs and output at these homes.
  int task_of(int section, const plan::LayerContext& context, plan::Home output) const;
  /// What identifies a task's timing (with the device): shape, homes. Stable between runs.
  std::string key_of(int task) const { return key(tasks[task].op, tasks[task].context, tasks[task].output); }

 private:
  /// What the timing of an operator depends on besides homes: its kernel's shape and, of a whole layer, all its calls.
  struct KernelKey {
    std::string shape, whole;
  };
  std::vector<KernelKey> kernels_;  // per operator; keys are asked for once per state of the composition
  std::map<std::string, int> index_;
  std::string key(int op, const plan::LayerContext& context, plan::Home output) const;
};

/// Schedules of more kernel calls than this for one layer are outside the space: their dispatch and issue costs alone
/// make them slower than a coarser tile, and all they save is part of one tile.
constexpr std::int64_t kMaxCalls = 512;

/// All complete assignments of the registry's choices for one layer task, restricted to `allowed` (choice name ->
/// texts).
std::vector<plan::LayerChoice> enumerate(const LayerTask& task, const plan::ChoiceRegistry& registry,
                                         const std::map<std::string, std::vector<std::string>>& allowed);

}  // namespace dse::explore
