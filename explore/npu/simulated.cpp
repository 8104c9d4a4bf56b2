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

namespace {

using Bytes = std::vector<std::vector<std::uint8_t>>;  // per input or output of the network

/// Runs streams and the CPU's operators on real bytes. @returns the network's outputs.
Bytes run_once(const Compiled& c, Emulation& emulation, const Bytes& inputs, std::string& error) {
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
    if (error.empty()) error = r.error;
    ++i;
  }
  Bytes out;
  for (const int t : c.network->outputs) out.push_back(emulation.read_tensor(t));
  return out;
}

}  // namespace

Comparison compare(const Compiled& c, std::uint64_t seed) {
  Emulation emulation(*c.network, *c.costs, c.schedule, c.places);
  auto state = nn::initial_state(*c.network);
  emulation.set_state(state);
  const bool remembers = std::any_of(state.begin(), state.end(), [](const auto& bytes) { return !bytes.empty(); });
  Comparison out;
  for (std::uint64_t step = 0; step < (remembers ? kSteps : 1); ++step) {
    const auto inputs = nn::seeded_inputs(*c.network, seed, step);
    const auto got = run_once(c, emulation, inputs, out.error);
    const auto want = nn::interpret(*c.network, inputs, state);
    for (std::size_t i = 0; i < got.size(); ++i)
      if (const int o = static_cast<int>(i); got[i] != want[index(c.network->outputs[i])] &&
                                             std::count(out.differing.begin(), out.differing.end(), o) == 0)
        out.differing.push_back(o);
  }
  return out;
}

}  // namespace dse::explore::npu
