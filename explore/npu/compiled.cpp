#include "explore/npu/compiled.h"

#include <algorithm>

#include "base/index.h"
#include "plan/npu/decompose/to_graph.h"

namespace dse::explore::npu {

using namespace plan::npu;

namespace {

void finish(Compiled& c) {
  c.places = place(*c.costs, c.schedule);
  c.streams.clear();
  for (int i = 0; i < static_cast<int>(c.graph->segments.size()); ++i)
    c.streams.push_back(emit(*c.costs, c.schedule, c.places, i));
}

void schedule(Compiled& c, Optimise optimise) {
  if (c.costs->count() > 0) c.schedule = schedule_by_rule(*c.costs, optimise);
  finish(c);
}

}  // namespace

Compiled compile(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, Optimise optimise) {
  Compiled out;
  out.network = network, out.npu = npu;
  out.graph = std::make_shared<const Graph>(to_graph(*network, npu.acc()));
  out.costs = std::make_shared<Costs>(*out.graph, npu);
  schedule(out, optimise);
  return out;
}

Compiled within(const Compiled& like, std::int64_t arena_limit, Optimise optimise) {
  Compiled out{.network = like.network,
               .npu = like.npu,
               .graph = like.graph,
               .costs = {},
               .schedule = {},
               .places = {},
               .streams = {}};
  hw::ethos_u::Npu limited = like.npu;
  limited.arena_limit = arena_limit;
  out.costs = std::make_shared<Costs>(*out.graph, limited, like.costs->coder());
  schedule(out, optimise);
  return out;
}

Compiled with_schedule(const Compiled& like, Schedule schedule) {
  Compiled out = like;
  out.schedule = std::move(schedule);
  finish(out);
  return out;
}

std::optional<Shortfall> shortfall(const Compiled& c) {
  const std::int64_t limit = c.npu.arena_limit;
  if (c.places.fast_bytes <= limit) return std::nullopt;
  int worst = 0;
  for (int i = 0; i < c.costs->count(); ++i)
    if (c.schedule.usage_at(c.schedule.operations[index(i)].time) >
        c.schedule.usage_at(c.schedule.operations[index(worst)].time))
      worst = i;
  return Shortfall{c.costs->op(worst).name, c.places.fast_bytes, limit};
}

Simulated simulate(const Compiled& c) {
  Simulated out;
  for (int i = 0; i < c.costs->count(); ++i) out.operations.push_back({.number = i});
  for (const Stream& s : c.streams) {
    const sim::NpuResult r = sim::run_npu(c.npu, s.words);
    out.pmu += r.pmu;
    out.invocations.push_back(r.pmu.active);
    if (out.error.empty()) out.error = r.error;
    std::int64_t end = 0;  // an operation's time is what it adds to the end of the one before
    for (const auto& k : r.kernels) {
      auto& o = out.operations[index(s.kernels[index(k.number)].operation)];
      o.end += std::max<std::int64_t>(0, k.end - end), end = std::max(end, k.end);
      o.mac_busy += k.mac_busy;
      for (std::size_t p = 0; p < 2; ++p) o.read_beats[p] += k.read_beats[p], o.written_beats[p] += k.written_beats[p];
    }
  }
  return out;
}

std::vector<std::vector<std::uint8_t>> emulate(const Compiled& c, const std::vector<std::vector<std::uint8_t>>& inputs,
                                               std::string& error) {
  Emulation emulation(*c.network, *c.costs, c.schedule, c.places);
  emulation.set_state(nn::initial_state(*c.network));
  for (std::size_t i = 0; i < inputs.size(); ++i) emulation.write_input(c.network->inputs[i], inputs[i]);
  auto cpu = c.graph->fallbacks.begin();
  for (std::size_t i = 0; i < c.streams.size() || cpu != c.graph->fallbacks.end();) {
    const int next = i < c.streams.size() ? c.graph->segments[i].first : c.costs->count();
    if (cpu != c.graph->fallbacks.end() && cpu->before <= next) {
      emulation.run_on_cpu(cpu->source);
      ++cpu;
      continue;
    }
    emulation.begin(c.streams[i]);
    const sim::NpuResult r = sim::run_npu(c.npu, c.streams[i].words, &emulation);
    if (!r.error.empty()) error = r.error;
    ++i;
  }
  std::vector<std::vector<std::uint8_t>> out;
  for (const int t : c.network->outputs) out.push_back(emulation.read_tensor(t));
  return out;
}

Comparison compare(const Compiled& c, std::uint64_t seed) {
  const auto inputs = nn::seeded_inputs(*c.network, seed);
  Comparison out;
  const auto got = emulate(c, inputs, out.error);
  const auto want = nn::interpret(*c.network, inputs);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != want[index(c.network->outputs[i])]) out.differing.push_back(static_cast<int>(i));
  return out;
}

}  // namespace dse::explore::npu
