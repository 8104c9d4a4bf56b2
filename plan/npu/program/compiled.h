// A network on an Ethos-U, from operators to streams: what a plan, a sweep and a test share.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "plan/npu/schedule/heuristics.h"
#include "plan/npu/stream/emit.h"

namespace dse::plan::npu {

/// All that is decided of a schedule; the rest follows (schedule/heuristics.h).
struct Decisions {
  Optimise rule = Optimise::performance;
  std::int64_t limit = 0;  // bytes of the fast memory that the rule may use
  Formats formats = Formats::in_place;
  std::map<int, hw::ethos_u::Block> blocks;  // of operations that have others than the rule's
  std::set<int> unstaged;                    // operations whose weights are read where they lie, whatever the rule says
  bool operator==(const Decisions&) const = default;
};

/// One schedule of a network, compiled.
struct Compiled {
  nn::NetworkPtr network;
  hw::ethos_u::Npu npu;
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Costs> costs;
  Schedule schedule;
  Places places;
  std::vector<Stream> streams;  // by segment
  Decisions decided;
  std::shared_ptr<const void> system;  // keeps what `npu` points to, where that is a device's own
};

/// What a memory lacks for a schedule: the operation where it is fullest.
struct Shortfall {
  std::string operation;
  std::int64_t bytes = 0, limit = 0;  // needed, there
};

/// By the rule.
Compiled compile(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, Optimise optimise,
                 Formats formats = Formats::in_place);
/// By the rule within so many bytes of SRAM; graph and coded weights are those of `like`.
Compiled within(const Compiled& like, std::int64_t arena_limit, Optimise optimise);
/// Places and streams of another schedule, which `decided` stands for.
Compiled with_schedule(const Compiled& like, Schedule schedule, Decisions decided);
/// @returns what cannot be: a block that does not fit, weights that are not there.
std::variant<Compiled, std::string> decided_schedule(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu,
                                                     const Decisions& decided);
/// Reads an operation's weights where they lie, whole. Codes nothing.
void unstage(const Costs& costs, int operation, OperationPlan& plan);
/// Codes an operation's weights, where it has any, as its block and slices are now.
void code_weights(Costs& costs, int operation, OperationPlan& plan);
/// Nothing: it fits into npu.arena_limit.
std::optional<Shortfall> shortfall(const Compiled& c);

/// What each operation is called: its name, with a number where it has several pieces ("softmax.3").
std::vector<std::string> operation_names(const Graph& graph);

}  // namespace dse::plan::npu
