// One whole plan through lowering and the platform.
#include <fmt/format.h>

#include "explore/bound.h"
#include "explore/explore.h"
#include "explore/layer_use.h"
#include "program/encoding.h"
#include "sim/metrics.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

const char* name_of(program::BufferRole r) {
  static const char* const names[] = {"tensor",  "tile",    "weights",   "partial sums",
                                      "scratch", "staging", "constants", "state"};
  return names[static_cast<int>(r)];
}

std::vector<BufferLife> lives(const program::Program& program, const sim::RunResult& run) {
  std::vector<BufferLife> out;
  for (const auto& b : program.buffers) {
    BufferLife life;
    life.name = b.name, life.role = name_of(b.role), life.memory = program.arenas[b.arena].name;
    life.offset = b.offset, life.size = b.size;
    life.from_tick = b.first_section > 0 ? run.section_end[b.first_section - 1] : 0;
    life.to_tick = run.section_end[b.last_section];
    out.push_back(std::move(life));
  }
  return out;
}

}  // namespace

Point simulate_point(const Case& c, const plan::Plan& plan, bool verify, bool trace) {
  const auto& network = *c.network;
  const auto& device = *c.device;
  const auto program = plan::lower(network, device, plan);
  auto& platform = sim::Platform::instance();
  platform.configure(c.device);
  const auto job = sim::whole_program(program, device);

  Point p;
  p.id = plan.id();
  p.origin = plan.origin;
  if (verify) {
    const auto constants = plan::constants_image(network, device, plan);
    std::vector<std::vector<std::uint8_t>> inputs;
    for (std::size_t i = 0; i < network.inputs.size(); ++i)
      inputs.push_back(nn::seeded_input(network.tensors[network.inputs[i]], static_cast<int>(i), 0));
    sim::RunData data;
    data.constants = constants;
    for (const auto& i : inputs) data.inputs.emplace_back(i);
    p.run = platform.run({job}, {.data = true, .accounts = true, .trace = trace}, {data});
    const auto truth = nn::interpret(network, inputs);
    p.verified = !p.run.failure && p.run.outputs.size() == network.outputs.size();
    for (std::size_t o = 0; p.verified && o < network.outputs.size(); ++o)
      p.verified = p.run.outputs[o] == truth[network.outputs[o]];
  } else {
    p.run = platform.run({job}, {.data = false, .accounts = true, .trace = trace});
  }
  p.memory_bytes = plan::on_chip_memory(device, plan.heights);
  p.load_bytes = plan::on_chip_memory(device, plan.loads);
  p.latency_ticks = p.run.ticks;
  p.latency_us = static_cast<double>(p.run.ticks) * 1e6 / static_cast<double>(device.tick_hz());
  p.energy_uj = static_cast<double>(p.run.energy_fj) * 1e-9;
  p.tasks = p.run.tasks;
  p.startup_bytes = p.run.startup_bytes;
  p.bound_ticks = cost_bound(program, job.binding, hw::DeviceTiming(c.device))[kTicks];
  p.program_bytes = static_cast<std::int64_t>(program::encode(program).size());
  static const auto metrics = sim::MetricRegistry::standard();
  for (const auto& m : metrics.measure(p.run, program, device)) p.metrics[m.name] = m.value;
  p.words = plan::in_words(plan, network, device);
  for (const auto& s : program.sections) {
    p.layers.push_back(s.name);
    p.layer_kinds.push_back(nn::key_of(network.operators[s.operator_index].kind));
  }
  if (!p.run.failure) p.buffers = lives(program, p.run);
  p.assignment = assignment_of(c, plan);
  if (verify || trace) add_details(network, plan, program, job.binding, hw::DeviceTiming(c.device), p);
  return p;
}

}  // namespace dse::explore
