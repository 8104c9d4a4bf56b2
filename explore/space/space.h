// The space of whole-network plans: which homes each tensor may have, and which layer searches that makes necessary.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "explore/question/allowed.h"
#include "explore/question/sweep.h"
#include "explore/space/orders.h"
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
  std::int64_t max_calls = kMaxCalls;  // schedules of more are outside the space where one of so few fits
  /// What the layer that the file lists next may want fetched meanwhile; no `bytes`: nothing.
  plan::Prefetch next = {};
};

/// Kernel calls of a schedule.
inline std::int64_t calls_of(const plan::LayerGeometry& g) { return std::int64_t{g.tiles} * g.sets * g.steps; }

/// A layer's tensors by root, and every combination of their homes.
struct Space {
  Space(const nn::Network& network, const hw::Device& device, const SweepSpec& spec);

  const nn::Network* network;
  const hw::Device* device;
  plan::NetworkChoice whole;  // decisions that all plans keep: their `input`
  Orders orders;              // in which layers may run
  std::vector<int> layers;    // operators, in the file's order
  std::vector<int> root;      // per tensor
  std::vector<std::vector<plan::Placement>>
      homes;                               // per root tensor: where it may live (empty: not a tensor that is placed)
  std::vector<LayerTask> tasks;            // distinct layer searches
  std::vector<std::vector<int>> tasks_of;  // per entry of `layers`: its own, each once
  /// Per root tensor: the layers that read it, in the file's order.
  std::vector<std::vector<int>> readers;
  /// Per root tensor: once it is there, it stays to the end: outputs, and inputs that the caller keeps.
  std::vector<char> stays;
  /// Sections in which a root tensor is alive, under an order of all layers; -1: it has no place.
  struct Lives {
    std::vector<int> first, last;
  };
  Lives lives(const std::vector<int>& order) const;
  /// Inputs that are streamed in before `op` when `executed` (per operator) have run.
  std::vector<int> streamed_for(int op, const std::vector<char>& executed) const;
  /// The layer that the file lists next, whose filters `op` may fetch; -1: there is none, or it wants nothing.
  int fetches_for(int op) const { return fetches_for_[static_cast<std::size_t>(op)]; }
  /// Some layer may.
  bool fetches_ahead() const;
  /// Some layer may be computed by a technique other than the direct one.
  bool by_techniques() const { return by_techniques_; }
  /// Some layer may be computed in output batches.
  bool by_batches() const { return by_batches_; }
  /// The sweep's choices let a layer that can be in place be so, or not be so.
  bool allows_in_place(int op, bool in_place) const;
  /// Where the (first) output of operator `op` may live; a variable lives in the io memory.
  std::vector<plan::Placement> output_homes(int op) const;
  /// Index into `tasks` for layer `op` with the inputs and output at these homes, and inputs of the network that are
  /// streamed in before it; -1: there is none.
  int task_of(int op, const plan::LayerContext& context, plan::Placement output,
              const std::vector<int>& streamed = {}) const;
  /// What identifies a task's candidates and their timing (with the device): shape, homes. 16 hex digits that are the
  /// same in every run, whatever the order of declaration of choices and whatever is allowed.
  std::string subject_of(int task) const;
  /// What identifies a task's search (with the device): its subject and what is allowed. 16 hex digits.
  std::string key_of(int task) const;
  /// Not empty: `choices:` leave a tensor no place to live in, which one and why. There is no plan then.
  std::string infeasible;

 private:
  void find_tensors();
  void add_tasks(int op);
  std::vector<plan::Placement> homes_of(int tensor);
  /// What the timing of an operator depends on besides homes: its kernel's shape and, of a whole layer, all its calls.
  bool by_techniques_ = false, by_batches_ = false;
  std::vector<std::string> shapes_;  // per operator, 16 hex digits
  std::int64_t max_calls_;
  void find_prefetches();
  std::vector<Allowed> allowed_;  // per operator
  std::vector<int> fetches_for_;  // per operator
  std::vector<plan::Prefetch> next_;
  std::vector<std::string> allowed_text_;
  std::map<std::string, int> index_;
  std::string place(int op, const plan::LayerContext& context, plan::Placement output,
                    const std::vector<int>& streamed) const;
  /// The sets of inputs that may be streamed in before a layer, in the orders that there are.
  std::vector<std::vector<int>> streamed_sets(int op) const;
  bool streams(int tensor) const;
};

/// Visits all complete assignments of the registry's choices for one layer task, as far as its own `allowed` and
/// `further` (choice -> texts, where there is something to choose) let them. In an order that depends on neither.
void each_choice(const LayerTask& task, const plan::ChoiceRegistry& registry,
                 const std::map<std::string, std::vector<std::string>>& further,
                 const std::function<void(const plan::LayerChoice&)>& visit);
/// All of them in that order.
std::vector<plan::LayerChoice> enumerate(const LayerTask& task, const plan::ChoiceRegistry& registry,
                                         const std::map<std::string, std::vector<std::string>>& further = {});

/// Why enumerate() gives nothing: the choice whose allowed values no combination offers, with those that some do.
std::string why_none(const LayerTask& task, const plan::ChoiceRegistry& registry);

}  // namespace dse::explore
