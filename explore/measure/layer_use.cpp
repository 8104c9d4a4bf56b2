#include "explore/measure/layer_use.h"

#include <algorithm>

#include "explore/measure/buffer_lives.h"
#include "explore/measure/roofline.h"
#include "plan/segment/phased.h"
#include "program/kinds.h"
#include "program/section_layers.h"

namespace dse::explore {
namespace {

/// Whose bytes a buffer holds.
std::string owner_of(const nn::Network& network, const program::Buffer& b) {
  if (b.tensor < 0) return "";
  const auto& inputs = network.inputs;
  const auto input = std::find(inputs.begin(), inputs.end(), b.tensor);
  if (input != inputs.end()) return "input " + std::to_string(input - inputs.begin());
  if (b.role == program::BufferRole::state) {
    const auto readers = network.consumers(b.tensor);
    return readers.empty() ? "" : "state of " + network.operators[static_cast<std::size_t>(readers.front())].name;
  }
  const int producer = network.producer(b.tensor);
  if (producer < 0) return "";
  const auto& op = network.operators[static_cast<std::size_t>(producer)];
  const auto which = std::find(op.outputs.begin(), op.outputs.end(), b.tensor) - op.outputs.begin();
  return (which == 0 ? "output of " : "output " + std::to_string(which) + " of ") + op.name;
}

void check_sums(const hw::Device& device, const Point& p) {
  LayerUse sum;
  sum.memories.resize(device.memories.size());
  for (const auto& use : p.uses) {
    for (std::size_t m = 0; m < sum.memories.size(); ++m)
      sum.memories[m].read += use.memories[m].read, sum.memories[m].written += use.memories[m].written;
    sum.macs += use.macs, sum.energy_fj += use.energy_fj, sum.energy += use.energy;
  }
  ensure(sum.macs == p.run.macs && sum.energy_fj == p.run.energy_fj && sum.energy == p.run.energy,
         "the layers' multiply-accumulates or energies do not add up to the run's");
  for (const auto& m : p.run.memories)
    ensure(sum.memories[static_cast<std::size_t>(m.memory)].read == m.read &&
               sum.memories[static_cast<std::size_t>(m.memory)].written == m.written,
           "the layers' bytes do not add up to the run's");
}

/// Shares a stream's cost among the rows of its layers; `rest` keeps what copies and commands take.
template <class Row, class Add>
void share(const hw::DeviceCostModel& model, const program::StreamPayload& stream, const Row& row, const Add& add,
           program::TaskCost& rest) {
  for (auto [number, part] : model.stream_kernels(stream.commands)) {
    const auto n = static_cast<std::size_t>(number);
    if (n >= stream.layers.size()) continue;
    part.macs = n < stream.macs.size() ? stream.macs[n] : 0;
    rest.macs -= part.macs;
    for (int f = 0; f < part.flow_count; ++f)
      for (int r = 0; r < rest.flow_count; ++r) {
        const auto& flow = part.flows[static_cast<std::size_t>(f)];
        auto& from = rest.flows[static_cast<std::size_t>(r)];
        if (from.memory == flow.memory && from.write == flow.write)
          from.bytes -= flow.bytes, from.accesses -= flow.accesses;
      }
    add(row(stream.layers[n]), part);
  }
}

}  // namespace

std::vector<LayerUse> layer_uses(const program::Program& program, const std::vector<program::ArenaBinding>& binding,
                                 const hw::DeviceTiming& timing, const std::vector<sim::LayerAccount>& accounts) {
  const auto& rates = timing.energy();
  const hw::DeviceCostModel model(timing, program, binding);
  const program::SectionLayers layers(program);
  std::vector<LayerUse> out(layers.rows().size());
  for (auto& use : out) use.memories.resize(rates.memories.size()), use.energy = sim::Energy(rates);
  program::Walker walker(program);
  program::TaskInstance t;
  while (walker.next(t)) {
    if (t.queue == program::kControl) continue;
    auto cost = t.task->kind->time(t, model);
    const auto engine = program.queues[static_cast<std::size_t>(t.queue)].engine;
    const auto add = [&](int row, const program::TaskCost& part) {
      auto& use = out[static_cast<std::size_t>(row)];
      use.macs += part.macs;
      use.energy.add(rates, part, engine);
      for (int f = 0; f < part.flow_count; ++f) {
        const auto& flow = part.flows[static_cast<std::size_t>(f)];
        auto& moved = use.memories[static_cast<std::size_t>(flow.memory)];
        (flow.write ? moved.written : moved.read) += flow.bytes;
      }
    };
    if (const auto* stream = program::stream_of(*t.task))
      share(
          model, *stream, [&](int layer) { return layers.row_of(t.section, layer); }, add, cost);
    add(layers.row(t.section, *t.task), cost);
  }
  for (std::size_t row = 0; row < out.size(); ++row) {
    auto& use = out[row];
    use.energy.pass(rates, accounts.at(row).total());
    use.energy_fj = use.energy.total();
    if (!rates.by_cause) use.energy = {};
  }
  return out;
}

void add_details(const nn::Network& network, const plan::Plan& plan, const program::Program& program,
                 const std::vector<program::ArenaBinding>& binding, const hw::DeviceTiming& timing, Point& point) {
  const auto& device = timing.device();
  const auto memories = device.memories.size();
  point.images.assign(memories, 0);
  point.loads = plan.loads;
  if (device.constants >= 0) {
    // Where the image is all that the arena holds, the arena ends with it (lower()).
    const auto c = static_cast<std::size_t>(device.constants);
    auto &image = point.images[c], &load = point.loads[c];
    image = round_up(plan.constants_size, 16);
    if (program.constants_arena >= 0) {
      const std::int64_t arena = program.arenas[static_cast<std::size_t>(program.constants_arena)].size;
      image = std::min(image, arena), load = std::min(load, arena);
    }
  }
  point.energies_fj.assign(memories, 0);
  for (const auto& m : point.run.memories) {
    const auto i = static_cast<std::size_t>(m.memory);
    const auto& rate = timing.energy().memories[i];
    point.energies_fj[i] = m.read * rate.read + m.written * rate.write;
    if (!point.run.energy.empty())  // with what accesses take
      point.energies_fj[i] = point.run.energy.memories[i].read + point.run.energy.memories[i].written;
  }
  for (std::size_t i = 0; i < point.buffers.size(); ++i)
    point.buffers[i].tensor = owner_of(network, program.buffers[i]);
  for (std::size_t a = 0; a < binding.size() && !point.buffers.empty(); ++a) {
    const auto memory = static_cast<std::size_t>(binding[a].memory);
    count_lives(program, program.arenas[a].name, point.images[memory], device.memories[memory].alignment,
                point.buffers);
  }
  if (point.run.failure) return;
  point.uses = layer_uses(program, binding, timing, point.run.layers);
  check_sums(device, point);
  point.rooflines = rooflines(network, program, binding, timing, point);
}

}  // namespace dse::explore
