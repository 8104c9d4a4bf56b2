#include "plan/choices/homes.h"

#include <algorithm>

#include "plan/layer/nest/buffers.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"

namespace dse::plan {
namespace {

/// Tiled over an image, so that planes are of use.
bool takes_planes(const nn::Network& n, const nn::Operator& op) {
  return !renames(n, op) && !is_whole(n, op) && op.kind != nn::OperatorKind::softmax &&
         op.kind != nn::OperatorKind::fully_connected;
}

std::int64_t bytes_beside(const nn::Network& n, const nn::Operator& op) {
  std::int64_t sum = 0;
  for (const int t : activations(n, op)) sum += n.tensors[t].bytes();
  for (const int t : op.outputs) sum += n.tensors[t].bytes();
  return sum;
}

/// An operator that makes or reads it has more beside each other than there is room for on the chip.
bool is_crowded(const nn::Network& n, const hw::Device& d, const std::vector<int>& root, int tensor) {
  std::int64_t room = 0;
  for (const int m : home_memories(d)) room += d.memories[m].free();
  for (std::size_t a = 0; a < root.size(); ++a) {
    if (root[a] != root[tensor]) continue;
    const int maker = n.producer(static_cast<int>(a));
    if (maker >= 0 && bytes_beside(n, n.operators[maker]) > room) return true;
    for (const int reader : n.consumers(static_cast<int>(a)))
      if (bytes_beside(n, n.operators[reader]) > room) return true;
  }
  return false;
}

/// Those for which `serves(memory, the compute engine's nearest)` holds, in the device's order.
template <class Serves>
std::vector<int> memories_that(const hw::Device& device, Serves serves) {
  std::vector<int> out;
  const int engine = device.compute_engine();
  for (int m = 0; engine >= 0 && m < static_cast<int>(device.memories.size()); ++m)
    if (serves(m, device.engines[engine].memories.front())) out.push_back(m);
  return out;
}

}  // namespace

std::vector<int> memories_outside(const hw::Device& device) {
  return memories_that(device, [&](int m, int near) {
    const auto& memory = device.memories[m];
    return memory.tensors && !memory.on_chip && m != device.io && way_of(device, m, near) && way_of(device, near, m);
  });
}

std::vector<int> home_memories(const hw::Device& device) {
  return memories_that(device, [&](int m, int near) {
    if (!device.memories[m].on_chip && m != device.io) return false;
    return device.engines[device.compute_engine()].reaches(m) ||
           (device.copy_engine(m, near) >= 0 && device.copy_engine(near, m) >= 0);
  });
}

std::vector<Placement> output_homes(const nn::Network& n, const hw::Device& d, int op) {
  const int tensor = n.operators[op].outputs[0];
  std::vector<Placement> given = {{d.io, TensorLayout::hwc}};
  if (n.operators[op].outputs.size() > 1 || n.tensors[tensor].kind == nn::TensorKind::variable) return given;
  const auto root = alias_roots(n, true);
  const auto image = n.tensors[root[tensor]].image();  // one pixel, one channel: the same bytes either way
  bool planes = takes_planes(n, n.operators[op]) && image.c > 1 && image.h * image.w > 1;
  for (std::size_t a = 0; a < root.size(); ++a) {
    if (root[a] != root[tensor]) continue;
    if (std::count(n.outputs.begin(), n.outputs.end(), static_cast<int>(a)) > 0) return given;
    for (const int reader : n.consumers(static_cast<int>(a))) {
      if (activations(n, n.operators[reader]).size() > 2) return given;
      planes &= takes_planes(n, n.operators[reader]);
    }
  }
  const auto& engine = d.engines[d.compute_engine()];
  std::vector<Placement> out;
  for (const int m : home_memories(d)) {
    out.push_back({m, TensorLayout::hwc});
    if (planes && !engine.reaches(m)) out.push_back({m, TensorLayout::chw});
  }
  const auto outside = memories_outside(d);
  if (!outside.empty() && is_crowded(n, d, root, tensor))
    for (const int m : outside) out.push_back({m, TensorLayout::hwc});
  return out;
}

bool can_be_in_place(const LayerContext& context, const LayerChoice& choice) {
  const auto& n = *context.network;
  const auto root = alias_roots(n, true);
  const Placement home{choice.output_memory, choice.output_layout};
  const auto inputs = inputs_to_overwrite(n, context.op, root);
  if (const auto parts = parts_of(n, context.op); !parts.empty()) {
    if (home.layout != TensorLayout::hwc) return false;
    for (int i = 0; i < context.input_count; ++i)
      if (!(context.inputs[i] == home)) return false;
    return n.operators[context.op].kind != nn::OperatorKind::pad || filling_engine(*context.device, home.memory) >= 0;
  }
  return std::any_of(inputs.begin(), inputs.end(), [&](int i) { return context.inputs[i] == home; });
}

}  // namespace dse::plan
