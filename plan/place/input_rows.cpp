#include "plan/place/input_rows.h"

#include <algorithm>

#include "plan/network/layers.h"
#include "plan/network/run_order.h"

namespace dse::plan {

using program::View;

std::string input_buffer(int tensor) { return "t" + std::to_string(tensor) + ".input"; }

int first_reader(const nn::Network& network, bool alias_reshapes, const std::vector<int>& layers, int tensor) {
  const auto root = alias_roots(network, alias_reshapes);
  const auto same = [&](int t) { return t >= 0 && root[static_cast<std::size_t>(t)] == tensor; };
  for (const int op : layers) {
    const auto& inputs = network.operators[static_cast<std::size_t>(op)].inputs;
    if (std::any_of(inputs.begin(), inputs.end(), same)) return op;
  }
  const bool output = std::any_of(network.outputs.begin(), network.outputs.end(), same);
  return output && !layers.empty() ? layers.front() : -1;
}

bool place_input(const nn::Network& network, const hw::Device& device, const Plan& plan, const std::vector<int>& layers,
                 const std::vector<int>& section, PlacedBuffer& home, std::vector<PlacedBuffer>& out) {
  if (plan.input == shared::Input::kept)
    for (const int s : section) home.last = std::max(home.last, s);
  if (plan.input != shared::Input::streamed) return true;
  const int reader = first_reader(network, plan.alias_reshapes, layers, home.tensor);
  home.first = reader < 0 ? 0 : section[static_cast<std::size_t>(reader)];
  out.push_back({input_buffer(home.tensor), program::BufferRole::staging, device.input_from, 0, home.size, 0,
                 home.first, home.tensor});
  return reader >= 0;
}

View input_view(const nn::Network& network, int tensor, int arena, std::int64_t offset) {
  const auto& t = network.tensors[static_cast<std::size_t>(tensor)];
  const auto image = t.image();
  View v;
  v.arena = arena;
  v.offset = offset;
  v.shape.elem = static_cast<std::int32_t>(nn::size_of(t.type));
  v.shape.stride_c = v.shape.elem;
  v.shape.stride_w = static_cast<std::int32_t>(image.c) * v.shape.elem;
  v.shape.stride_h = static_cast<std::int32_t>(image.w) * v.shape.stride_w;
  return v;
}

void emit_input_rows(program::Program& program, const nn::Network& network, const hw::Device& device, int tensor,
                     int from, std::int64_t offset, const View& to, program::Range y, int slot,
                     std::vector<program::Dependency> dependencies) {
  const auto image = network.tensors[static_cast<std::size_t>(tensor)].image();
  const int engine = device.copy_engine(from, to.arena);
  ensure(engine >= 0, "no engine copies an input to where it is read");
  auto payload = std::make_shared<program::CopyPayload>();
  payload->from = input_view(network, tensor, from, offset);
  payload->to = to;
  payload->y = y;
  payload->x = program::Range::whole(static_cast<std::int32_t>(image.w));
  payload->c = program::Range::whole(static_cast<std::int32_t>(image.c));
  program::TaskTemplate t;
  t.kind = &program::copy_kind();
  t.queue = queue_of(device, engine, 0);
  t.slot = slot;
  t.dependencies = std::move(dependencies);
  t.payload = std::move(payload);
  program.task(std::move(t));
}

void emit_input(program::Program& program, const nn::Network& network, const hw::Device& device, int tensor, int from,
                std::int64_t offset, int to, std::int64_t to_offset) {
  const auto rows = static_cast<std::int32_t>(network.tensors[static_cast<std::size_t>(tensor)].image().h);
  emit_input_rows(program, network, device, tensor, from, offset, input_view(network, tensor, to, to_offset),
                  program::Range::whole(rows), program::kNoSlot, {});
}

void emit_inputs(program::Program& program, const nn::Network& network, const hw::Device& device, const Plan& plan,
                 int op) {
  bool any = false;
  const auto place = [&](const std::string& name) {
    const auto it =
        std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](const PlacedBuffer& b) { return b.name == name; });
    ensure(it != plan.buffers.end(), "plan has no buffer " + name);
    return *it;
  };
  const auto layers = layers_in(network, plan.alias_reshapes, plan.order);
  for (const int t : network.inputs) {
    if (first_reader(network, plan.alias_reshapes, layers, t) != op) continue;
    const auto from = place(input_buffer(t)), home = place("t" + std::to_string(t));
    emit_input(program, network, device, t, from.memory, from.offset, home.memory, home.offset);
    any = true;
  }
  if (any) program.wait();
}

}  // namespace dse::plan
