// The space of whole-network plans: which homes each tensor may have, and which layer searches that makes necessary.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/question/allowed.h"
#include "explore/question/sweep.h"
#include "plan/choices/choice.h"
#include "plan/plan.h"

namespace dse::explore {

/// One search over the schedules of a layer: inputs and output at given homes.
struct LayerTask {
  int op = 0;
  plan::LayerContext context;
  plan::Placement output;
  Allowed allowed = {};  // of this layer; those of homes are already applied
  /// Inputs of the network that are streamed in before this layer, which is the first to read them.
  std::vector<int> streamed = {};
};

/// A layer's tensors by root, and every combination of their homes.
struct Space {
  Space(const nn::Network& network, const hw::Device& device, const SweepSpec& spec);

  const nn::Network* network;
  const hw::Device* device;
  plan::NetworkChoice whole;  // decisions that all plans keep: their `input`
  std::vector<int> layers;    // operators, in order
  std::vector<int> root;      // per tensor
  std::vector<std::vector<plan::Placement>>
      homes;                               // per root tensor: where it may live (empty: not a tensor that is placed)
  std::vector<int> first, last;            // per root tensor: sections
  std::vector<LayerTask> tasks;            // distinct layer searches
  std::vector<std::vector<int>> tasks_of;  // per section: those of its layer, each once
  /// Where the (first) output of operator `op` may live; a variable lives in the io memory.
  std::vector<plan::Placement> output_homes(int op) const;
  /// Index into `tasks` for layer `section` with the inputs and output at these homes.
  int task_of(int section, const plan::LayerContext& context, plan::Placement output) const;
  /// What identifies a task's candidates and their timing (with the device): shape, homes. 16 hex digits that are the
  /// same in every run, whatever the order of declaration of choices and whatever is allowed.
  std::string subject_of(int task) const;
  /// What identifies a task's search (with the device): its subject and what is allowed. 16 hex digits.
  std::string key_of(int task) const;
  /// Not empty: `choices:` leave a tensor no place to live in, which one and why. There is no plan then.
  std::string infeasible;

 private:
  std::vector<plan::Placement> homes_of(int tensor);
  /// What becomes of an input: from when to when it lies in the io memory, if at all. `section`: per operator.
  void use_input(int tensor, const std::vector<int>& section);
  /// What the timing of an operator depends on besides homes: its kernel's shape and, of a whole layer, all its calls.
  std::vector<std::string> shapes_;  // per operator, 16 hex digits
  std::vector<Allowed> allowed_;     // per operator
  std::vector<std::string> allowed_text_;
  std::map<std::string, int> index_;
  std::string place(int op, const plan::LayerContext& context, plan::Placement output) const;
  /// Inputs that are streamed in for this layer.
  std::vector<int> streamed_for(int op) const;
};

/// Schedules of more kernel calls than this for one layer are outside the space: their dispatch and issue costs alone
/// make them slower than a coarser tile, and all they save is part of one tile.
constexpr std::int64_t kMaxCalls = 512;

/// All complete assignments of the registry's choices for one layer task, as far as its own `allowed` and `further`
/// (choice -> texts, where there is something to choose) let them. In an order that depends on neither.
std::vector<plan::LayerChoice> enumerate(const LayerTask& task, const plan::ChoiceRegistry& registry,
                                         const std::map<std::string, std::vector<std::string>>& further = {});

/// Why enumerate() gives nothing: the choice whose allowed values no combination offers, with those that some do.
std::string why_none(const LayerTask& task, const plan::ChoiceRegistry& registry);

}  // namespace dse::explore
