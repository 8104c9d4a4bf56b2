#include "plan/npu/program/npu_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.h"
#include "base/units.h"
#include "plan/layer/whole/whole_layer.h"
#include "plan/npu/program/sections.h"

namespace dse::plan::npu {

namespace {

constexpr std::int64_t kAlignment = 16;

const nn::Operator& operator_of(const Compiled& c, const Fallback& f) { return c.network->operators[index(f.source)]; }

/// Layers of an invocation, each once, in order: operators whose operations it runs, activations in them.
std::vector<int> layers_of(const Compiled& c, int segment) {
  std::vector<int> out;
  const auto add = [&](int op) {
    if (op >= 0 && std::find(out.begin(), out.end(), op) == out.end()) out.push_back(op);
  };
  const auto& [first, last] = c.graph->segments[index(segment)];
  for (int i = first; i < last; ++i) add(c.costs->op(i).source), add(c.costs->op(i).fused);
  return out;
}

Infeasible infeasible(std::string what, std::string hint = {}) {
  return {.what = std::move(what), .hint = std::move(hint), .op = -1, .memory = -1, .shortfall = 0};
}

/// What keeps the device from running it as its memory mode says; empty: nothing.
std::string misplaced(const hw::Device& d, const hw::ethos_u::DeviceNpu& npu, const Bases& b, bool cpu_runs) {
  const auto name = [&](int m) { return d.memories[index(m)].name; };
  const char* mode = hw::ethos_u::name_of(npu.npu.mode);
  if (d.constants != b.constants)
    return fmt::format("constants lie in {}, an NPU in {} reads them in {}", name(d.constants), mode,
                       name(b.constants));
  if (d.io != b.maps)
    return fmt::format("inputs and outputs lie in {}, an NPU in {} has them in {}", name(d.io), mode, name(b.maps));
  const int cpu = d.cpu();
  if (!cpu_runs) return {};
  if (cpu < 0) return "there is no CPU for what the NPU cannot run";
  for (const int m : {b.maps, b.constants, b.fast})
    if (!d.engines[index(cpu)].reaches(m))
      return fmt::format("{} does not reach {}, where operands of what the NPU cannot run lie",
                         d.engines[index(cpu)].name, name(m));
  return {};
}

void place_buffers(const Compiled& c, const Bases& b, const std::vector<Section>& sections, Plan& plan) {
  const auto put = [&](std::string name, program::BufferRole role, int memory, std::int64_t offset, std::int64_t size,
                       int first, int last, int tensor) {
    PlacedBuffer p;
    p.name = std::move(name), p.role = role, p.memory = memory, p.offset = offset, p.size = size;
    p.first = first, p.last = last, p.tensor = tensor;
    plan.buffers.push_back(std::move(p));
  };
  for (const Range& r : ranges_of(c, sections)) {
    const bool fast = r.area == hw::ethos_u::Npu::fast();
    put(r.name, r.role, fast ? b.fast : b.maps, r.offset + (fast ? b.fast_at : b.maps_at), r.size, r.first, r.last,
        r.tensor);
  }
  const int last = static_cast<int>(sections.size()) - 1;
  if (b.scratch > 0) put("cpu.scratch", program::BufferRole::scratch, b.fast, b.scratch_at, b.scratch, 0, last, -1);
  for (std::size_t i = 0; i < b.blobs.size(); ++i)
    if (b.blobs[i] >= 0)
      put(operator_of(c, c.graph->fallbacks[i]).name + ".constants", program::BufferRole::constants, b.constants,
          b.blobs[i], ConstantBlob(*c.network, operator_of(c, c.graph->fallbacks[i])).size(), 0, last, -1);
  for (const auto& [t, at] : b.first_values)
    put("t" + std::to_string(t) + ".initial", program::BufferRole::constants, b.constants, at,
        c.network->tensors[index(t)].bytes(), 0, last, t);
  if (c.places.constant_bytes > 0)
    put("npu.constants", program::BufferRole::constants, b.constants, 0, c.places.constant_bytes, 0, last, -1);
}

}  // namespace

Bases bases_of(const Compiled& c, const hw::ethos_u::DeviceNpu& npu) {
  Bases b;
  b.fast = npu.memory_of(hw::ethos_u::Npu::fast());
  b.maps = npu.memory_of(npu.npu.feature_maps()), b.constants = npu.memory_of(npu.npu.constants());
  b.constants_size = c.places.constant_bytes;
  const auto append = [&](std::int64_t bytes) {
    const std::int64_t at = round_up(b.constants_size, kAlignment);
    b.constants_size = at + bytes;
    return at;
  };
  for (const Fallback& f : c.graph->fallbacks) {
    const nn::Operator& op = operator_of(c, f);
    const std::int64_t bytes = ConstantBlob(*c.network, op).size();
    b.blobs.push_back(bytes > 0 ? append(bytes) : -1);
    for (const auto& call : op.calls)
      b.scratch = std::max<std::int64_t>(b.scratch, dse_scratch_bytes(&call.op, &call.tile));
  }
  const auto initial = nn::initial_state(*c.network);
  for (std::size_t t = 0; t < initial.size(); ++t)
    if (!initial[t].empty()) b.first_values[static_cast<int>(t)] = append(static_cast<std::int64_t>(initial[t].size()));
  const std::int64_t image = round_up(b.constants_size, kAlignment);
  if (b.constants == b.fast) b.fast_at = image;
  if (b.maps == b.fast)
    b.maps_at = b.fast_at;
  else if (b.maps == b.constants)
    b.maps_at = image;
  b.scratch_at = round_up(b.fast_at + c.places.fast_bytes, kAlignment);
  return b;
}

std::variant<Compiled, std::string> decided_on(const nn::NetworkPtr& network, const hw::ethos_u::DeviceNpuPtr& npu,
                                               const Decisions& decided) {
  auto out = decided_schedule(network, npu->npu, decided);
  if (auto* compiled = std::get_if<Compiled>(&out)) compiled->system = npu;
  return out;
}

std::variant<Plan, Infeasible> npu_plan(const hw::Device& device, std::shared_ptr<const Compiled> compiled) {
  const Compiled& c = *compiled;
  const auto npu = hw::ethos_u::npu_of(device);
  if (!npu) return infeasible(device.name + " has no NPU");
  const Bases b = bases_of(c, *npu);
  if (const auto why = misplaced(device, *npu, b, !c.graph->fallbacks.empty()); !why.empty()) return infeasible(why);
  for (const int t : c.network->inputs)
    if (const int g = c.graph->of_network[index(t)]; g < 0 || c.places.tensor[index(g)] < 0)
      return infeasible("input " + c.network->tensors[index(t)].name + " is read by nothing");
  Plan plan;
  plan.network = c.network->name, plan.network_hash = c.network->structure_hash();
  plan.device = device.name, plan.device_hash = device.hash();
  plan.origin = "explored";
  plan.choices.resize(c.network->operators.size());
  plan.npu = std::move(compiled);
  const auto sections = sections_of(c);
  for (const Section& s : sections)
    plan.segments.push_back(s.on_npu ? Segment{layers_of(c, s.number), SegmentKind::npu}
                                     : Segment{{c.graph->fallbacks[index(s.number)].source}, SegmentKind::layerwise});
  place_buffers(c, b, sections, plan);
  plan.constants_size = b.constants_size;
  plan.heights.assign(device.memories.size(), 0);
  const auto reach = [&](int memory, std::int64_t bytes) {
    plan.heights[index(memory)] = std::max(plan.heights[index(memory)], bytes);
  };
  reach(b.constants, b.constants_size);
  if (c.places.fast_bytes > 0) reach(b.fast, b.fast_at + c.places.fast_bytes);
  if (c.places.other_bytes > 0) reach(b.maps, b.maps_at + c.places.other_bytes);
  if (b.scratch > 0) reach(b.fast, b.scratch_at + b.scratch);
  plan.loads = plan.heights;
  if (b.scratch == 0 && c.costs->count() > 0 && c.places.fast_bytes > 0)
    plan.loads[index(b.fast)] = b.fast_at + std::min(c.places.fast_bytes, c.schedule.peak());
  for (std::size_t m = 0; m < device.memories.size(); ++m)
    if (const std::int64_t lacks = plan.heights[m] - device.memories[m].free(); lacks > 0) {
      const auto full = static_cast<int>(m) == b.fast ? shortfall(c) : std::nullopt;
      Infeasible out = infeasible(fmt::format("{}{} has {} bytes free, the schedule needs {}: {} bytes are missing",
                                              full ? full->operation + ": " : "", device.memories[m].name,
                                              device.memories[m].free(), plan.heights[m], lacks));
      out.memory = static_cast<int>(m), out.shortfall = lacks;
      return out;
    }
  return plan;
}

std::variant<Plan, Infeasible> npu_plan(const nn::NetworkPtr& network, const hw::Device& device,
                                        const Decisions& decided) {
  const auto npu = hw::ethos_u::npu_of(device);
  if (!npu) return infeasible(device.name + " has no NPU");
  auto made = decided_on(network, npu, decided);
  if (const auto* why = std::get_if<std::string>(&made)) return infeasible(*why);
  return npu_plan(device, std::make_shared<const Compiled>(std::get<Compiled>(std::move(made))));
}

}  // namespace dse::plan::npu
