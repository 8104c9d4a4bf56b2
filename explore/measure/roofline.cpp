#include "explore/measure/roofline.h"

#include <algorithm>
#include <map>

#include "models/hw/clocking.h"
#include "plan/layer/compute/batches.h"
#include "program/kinds.h"
#include "program/section_layers.h"

namespace dse::explore {
namespace {

/// What the calls of a row of the account were.
struct Calls {
  int engine = -1;         // none: there were none
  dse_op first{};          // how the first of them was computed, and so all
  std::int64_t ticks = 0;  // of arithmetic
  std::int64_t macs = 0;   // of a stream, whose arithmetic is known as a whole
};

std::vector<Calls> calls_of(const program::Program& program, const std::vector<program::ArenaBinding>& binding,
                            const hw::DeviceTiming& timing, const program::SectionLayers& layers) {
  const hw::DeviceCostModel model(timing, program, binding);
  std::vector<Calls> out(layers.rows().size());
  program::Walker walker(program);
  program::TaskInstance t;
  while (walker.next(t)) {
    if (t.queue != program::kControl && program::stream_of(*t.task)) {
      const auto cost = t.task->kind->time(t, model);
      auto& calls = out[static_cast<std::size_t>(layers.row(t.section, *t.task))];
      calls.ticks += cost.compute, calls.macs += cost.macs;
    }
    if (t.queue == program::kControl || t.task->kind != &program::call_kind()) continue;
    auto& calls = out[static_cast<std::size_t>(layers.row(t.section, *t.task))];
    const auto& op = *static_cast<const program::CallPayload*>(t.task->payload.get())->parameters;
    if (calls.engine < 0) calls.first = op;
    calls.engine = program.queues[static_cast<std::size_t>(t.queue)].engine;
    calls.ticks += t.task->kind->time(t, model).compute;
  }
  return out;
}

/// An operator at once: products, and the least ticks of arithmetic that any tiling of it takes.
struct Whole {
  std::int64_t macs = 0, ticks = 0;
};

Whole whole_of(const nn::Operator& op, const dse_op& first, const hw::DeviceTiming::EngineTiming& engine) {
  Whole out;
  for (const auto& call : op.calls) {
    const auto kernel = plan::computed_like(first, call.op);
    const auto work = program::call_on(kernel, call.tile);
    out.macs += program::arithmetic_of(work).products();
    out.ticks += engine.clock.ticks(engine.compute.library().least_cycles(work));
  }
  return out;
}

}  // namespace

std::int64_t port_ticks(std::int64_t bytes, Ratio rate, int ports) {
  return rate.zero() ? 0 : hw::scale_up(bytes, rate.den, rate.num * std::max(1, ports));
}

std::vector<Roofline> rooflines(const nn::Network& network, const program::Program& program,
                                const std::vector<program::ArenaBinding>& binding, const hw::DeviceTiming& timing,
                                const Point& point) {
  const auto& device = timing.device();
  const program::SectionLayers layers(program);
  const auto calls = calls_of(program, binding, timing, layers);
  std::vector<Roofline> out(static_cast<std::size_t>(layers.sections()));
  std::int64_t from = 0;
  for (int s = 0; s < layers.sections(); ++s) {
    auto& roof = out[static_cast<std::size_t>(s)];
    roof.memories.resize(device.memories.size());
    std::map<int, std::int64_t> ticks;  // per engine
    for (int row = layers.first_row(s); row <= layers.last_row(s); ++row) {
      const auto r = static_cast<std::size_t>(row);
      for (std::size_t m = 0; m < roof.memories.size(); ++m)
        roof.memories[m].bytes += point.uses[r].memories[m].read + point.uses[r].memories[m].written;
      if (calls[r].engine < 0) {
        roof.macs += calls[r].macs, roof.arithmetic = std::max(roof.arithmetic, calls[r].ticks);
        continue;
      }
      const auto& op = network.operators[static_cast<std::size_t>(layers.rows()[r].layer)];
      const auto whole = whole_of(op, calls[r].first, timing.engine(calls[r].engine));
      // By phases, rows may be made twice, and those that nothing reads are not made.
      roof.macs += std::min(whole.macs, point.uses[r].macs);
      ticks[calls[r].engine] += std::min(whole.ticks, calls[r].ticks);
    }
    for (const auto& [engine, t] : ticks) roof.arithmetic = std::max(roof.arithmetic, t);
    for (std::size_t m = 0; m < roof.memories.size(); ++m)
      roof.memories[m].ticks =
          port_ticks(roof.memories[m].bytes, timing.rate(static_cast<int>(m)), device.memories[m].ports);
    const std::int64_t to =
        s + 1 == layers.sections() ? point.run.ticks : point.run.section_end[static_cast<std::size_t>(s)];
    roof.ticks = to - from, from = to;
  }
  return out;
}

}  // namespace dse::explore
