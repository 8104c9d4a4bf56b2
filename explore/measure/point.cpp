#include "explore/measure/point.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/layer/bound.h"
#include "explore/measure/buffer_lives.h"
#include "explore/measure/layer_use.h"
#include "explore/question/goal.h"
#include "explore/question/ram.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "program/section_layers.h"
#include "sim/metrics.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// "segment 1: conv1 ... dw4, by phases", numbered among those of several layers; other sections by their names.
std::vector<std::string> section_names(const nn::Network& network, const plan::Plan& plan,
                                       const program::Program& program, const program::SectionLayers& layers) {
  std::vector<std::string> out;
  const auto name = [&](int row) {
    return network.operators[static_cast<std::size_t>(layers.rows()[static_cast<std::size_t>(row)].layer)].name;
  };
  int segments = 0, invocations = 0;
  for (int s = 0; s < static_cast<int>(program.sections.size()); ++s)
    if (plan.npu && plan.segments[static_cast<std::size_t>(s)].kind == plan::SegmentKind::npu)
      out.push_back(
          fmt::format("NPU {}: {} ... {}", ++invocations, name(layers.first_row(s)), name(layers.last_row(s))));
    else
      out.push_back(layers.by_phases(s) ? fmt::format("segment {}: {} ... {}, by phases", ++segments,
                                                      name(layers.first_row(s)), name(layers.last_row(s)))
                                        : program.sections[static_cast<std::size_t>(s)].name);
  return out;
}

void name_layers(const nn::Network& network, const plan::Plan& plan, const program::Program& program, Point& p) {
  const program::SectionLayers layers(program);
  p.sections = section_names(network, plan, program, layers);
  if (program.sections.empty()) return;
  for (const auto& row : layers.rows()) {
    const auto& op = network.operators[static_cast<std::size_t>(row.layer)];
    p.layers.push_back(layers.by_phases(row.section) ? op.name
                                                     : program.sections[static_cast<std::size_t>(row.section)].name);
    p.layer_kinds.push_back(nn::key_of(op.kind));
    const auto& made = op.outputs.empty() ? op.name : network.tensors[static_cast<std::size_t>(op.outputs[0])].name;
    p.file_names.push_back(made == op.name ? "" : made);
  }
}

}  // namespace

void Point::forget_energy() {
  energy_uj.reset();
  metrics.erase("energy");
  run.energy_fj = 0, run.energy = {};
  std::fill(energies_fj.begin(), energies_fj.end(), 0);
  for (auto& use : uses) use.energy_fj = 0, use.energy = {};
}

program::Program lower(const Case& c, const plan::Plan& plan) {
  auto program = plan::lower(*c.network, *c.device, plan);
  if (c.lowered) c.lowered(plan, program);
  return program;
}

plan::Assignment assignment_of(const Case& c, const plan::Plan& plan) {
  plan::Assignment out;
  if (plan.npu)
    for (auto& [name, value] : plan::npu::named(*plan.npu)) out[name] = value;
  else
    out = plan::to_assignment(*c.network, *c.device, plan);
  for (const auto& [path, value] : c.axes) out["device." + path] = value;
  return out;
}

Point simulate_point(const Case& c, const plan::Plan& plan, bool verify, bool trace) {
  const auto& network = *c.network;
  const auto& device = *c.device;
  const auto program = lower(c, plan);
  auto& platform = sim::Platform::instance();
  platform.configure(c.device);
  const auto job = sim::whole_program(program, device);

  // Windows are in tasks; their ticks are those of the trace.
  const bool traced = trace || std::any_of(program.buffers.begin(), program.buffers.end(),
                                           [](const program::Buffer& b) { return !b.windows.empty(); });
  Point p;
  p.id = plan.id();
  p.origin = plan.origin;
  p.on_npu = plan.npu != nullptr;
  if (verify) {
    const auto constants = plan::constants_image(network, device, plan);
    const auto inputs = nn::seeded_inputs(network, 0);
    sim::RunData data;
    data.constants = constants;
    for (const auto& i : inputs) data.inputs.emplace_back(i);
    p.run = platform.run({job}, {.data = true, .accounts = true, .trace = traced}, {data});
    const auto truth = nn::interpret(network, inputs);
    p.verified = !p.run.failure && p.run.outputs.size() == network.outputs.size();
    for (std::size_t o = 0; p.verified && o < network.outputs.size(); ++o)
      p.verified = p.run.outputs[o] == truth[network.outputs[o]];
  } else {
    p.run = platform.run({job}, {.data = false, .accounts = true, .trace = traced});
  }
  p.memory_bytes = plan::on_chip_memory(device, plan.heights);
  p.load_bytes = plan::on_chip_memory(device, plan.loads);
  p.costs = costs_of(p.run, device);
  p.latency_ticks = p.run.ticks;
  p.latency_us = static_cast<double>(p.run.ticks) * 1e6 / static_cast<double>(device.tick_hz());
  p.tasks = p.run.tasks;
  p.startup_bytes = p.run.startup_bytes;
  p.bound_ticks = cost_bound(program, job.binding, hw::DeviceTiming(c.device))[kTicks] + job.release;
  p.program_bytes = static_cast<std::int64_t>(program::encode(program).size());
  static const auto metrics = sim::MetricRegistry::standard();
  for (const auto& m : metrics.measure(p.run, program, device)) p.metrics[m.name] = m.value;
  if (c.beside_arenas) p.metrics[kRam] = static_cast<double>(p.memory_bytes + *c.beside_arenas);
  p.words = plan::in_words(plan, network, device);
  name_layers(network, plan, program, p);
  if (!p.run.failure) p.buffers = buffer_lives(program, p.run);
  p.assignment = assignment_of(c, plan);
  if (verify || trace) add_details(network, plan, program, job.binding, hw::DeviceTiming(c.device), p);
  if (device.energy_known())
    p.energy_uj = in_unit_of("energy", p.run.energy_fj, device);
  else
    p.forget_energy();
  if (!trace) p.run.trace.clear(), p.run.details.clear(), p.run.waits.clear(), p.run.charges.clear();
  return p;
}

}  // namespace dse::explore
