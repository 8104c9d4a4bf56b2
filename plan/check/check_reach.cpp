#include <algorithm>

#include "models/hw/libraries/work_list.h"
#include "plan/check/check_report.h"

namespace dse::plan::check_detail {
namespace {

using program::CallWork;
using program::CopyWork;
using program::TaskCost;

/// Learns from a task's `time` what work it is; never times anything.
class Listener : public program::CostModel {
 public:
  TaskCost copy(int, const CopyWork& w) const override { return copied = w, is_copy = true, TaskCost{}; }
  TaskCost call(int, const CallWork& w) const override { return called = w, is_call = true, TaskCost{}; }
  TaskCost stream(int, std::span<const std::uint8_t>) const override { return is_stream = true, TaskCost{}; }
  mutable bool is_copy = false, is_call = false, is_stream = false;
  mutable CopyWork copied;
  mutable CallWork called;
};

bool reaches(const hw::Engine& e, int memory) {
  return std::find(e.memories.begin(), e.memories.end(), memory) != e.memories.end();
}

bool links(const hw::Engine& e, int from, int to) {
  return std::any_of(e.links.begin(), e.links.end(), [&](const std::pair<int, int>& l) {
    return (l.first == from && l.second == to) || (l.first == to && l.second == from) ||
           (from < 0 && (l.first == to || l.second == to));
  });
}

}  // namespace

void ReachCheck::operator()(const program::TaskInstance& t, const std::string& who, Findings& out) const {
  const auto& queue = program_.queues[static_cast<std::size_t>(t.queue)];
  const hw::Engine& engine = device_.engines[static_cast<std::size_t>(queue.engine)];
  Listener listener;
  t.task->kind->time(t, listener);
  auto memory = [&](int arena) {
    return arena >= 0 && arena < static_cast<int>(memories_.size()) ? memories_[static_cast<std::size_t>(arena)] : -1;
  };
  auto name = [&](int m) { return m < 0 ? std::string("(fill)") : device_.memories[static_cast<std::size_t>(m)].name; };
  auto complain = [&](const std::string& what) {
    out.add(FindingKind::reach, queue.name + what, who + ": engine " + engine.name + " " + what);
  };
  if (listener.is_copy) {
    const int from = memory(listener.copied.from_arena), to = memory(listener.copied.to_arena);
    if (to < 0 || (listener.copied.from_arena >= 0 && from < 0))
      return;  // reported as an arena without a memory, or out of bounds
    if (engine.kind == hw::EngineKind::dma) {
      if (!links(engine, from, to)) complain("does not connect " + name(from) + " and " + name(to));
    } else if (engine.copy_bytes_per_cycle.zero()) {
      complain("cannot copy");
    } else if (!reaches(engine, to) || (from >= 0 && !reaches(engine, from))) {
      complain("does not reach both " + name(from) + " and " + name(to));
    }
  }
  if (listener.is_call) {
    if (!engine.computes()) complain("cannot run kernels");
    if (listener.called.op && !hw::why_not_taken(device_, engine, *listener.called.op).empty())
      complain("does not take such an operator");
    for (int i = 0; i < listener.called.operand_count; ++i) {
      const int m = memory(listener.called.operands[static_cast<std::size_t>(i)].arena);
      if (m >= 0 && !reaches(engine, m)) complain("does not reach operands in " + name(m));
    }
  }
  if (listener.is_stream && engine.kind != hw::EngineKind::npu) complain("cannot run command streams");
}

}  // namespace dse::plan::check_detail
