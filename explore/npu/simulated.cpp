#include "explore/npu/simulated.h"

#include <algorithm>

#include "base/index.h"

namespace dse::explore::npu {

using namespace plan::npu;

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
