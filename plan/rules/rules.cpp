#include "plan/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/hw/compute_timing.h"
#include "plan/choices/homes.h"
#include "plan/layer/compute/batches.h"
#include "plan/layer/compute/technique.h"
#include "plan/layer/whole/pieces.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/rules/stage_in_sets.h"

namespace dse::plan {
namespace {

bool fits_so(const LayerContext& context, const LayerChoice& choice) {
  const auto g = layer_geometry(context, choice);
  if (!g.feasible) return false;
  const auto& near = context.device->memories[g.near];
  return g.local_bytes(g.near, near.alignment) <= near.free();
}

/// In as few output batches as it takes, where sums stand in memory; 0: in none.
int batches_that_fit(const LayerContext& context, LayerChoice choice) {
  for (const int batches : batches_of(context, choice))
    if (choice.batches = batches; fits_so(context, choice)) return batches;
  return 0;
}

bool fits(const LayerContext& context, const LayerChoice& choice) { return batches_that_fit(context, choice) > 0; }

/// Largest value in [1, all] for which `ok` holds, assuming it holds for all smaller ones; 0 = none.
template <class Ok>
int grow(int all, Ok ok) {
  int lo = 0, hi = all;
  while (lo < hi) {
    const int mid = lo + (hi - lo + 1) / 2;
    if (ok(mid))
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

/// The scheme of one layer, with the filter set as large as `resident_weights` allows. @returns false if nothing fits.
bool choose(const LayerContext& context, bool resident_weights, LayerChoice& choice) {
  const auto& op = context.network->operators[context.op];
  const auto& k = op.kernel;
  if (is_whole(*context.network, op))
    return fits(context, choice) ||
           in_pieces_that_fit(context, choice, [&](const LayerChoice& c) { return fits(context, c); });
  const bool filtered = op.kind == nn::OperatorKind::conv_2d || op.kind == nn::OperatorKind::fully_connected;
  choice.filters = filtered ? 1 : 0;
  auto with_filters = [&](LayerChoice c) {
    if (!filtered) return fits(context, c) ? 1 : 0;
    if (!resident_weights) return fits(context, c) ? 1 : 0;
    return grow(k.out_c, [&](int n) {
      c.filters = n;
      return fits(context, c);
    });
  };
  auto accept = [&](LayerChoice c) {
    const int n = with_filters(c);
    if (n == 0) return false;
    if (filtered) c.filters = n;
    choice = c;
    return true;
  };
  if (pointwise(k)) {  // all channels of as many pixels as fit, found by growing the block
    LayerChoice c = choice;
    c.scheme = Scheme::pixel_block;
    c.output_layout = TensorLayout::hwc;
    const int pixels = std::max(1, k.out_h * k.out_w);
    c.buffering = Buffering::once;
    if (resident_weights && filtered) {
      LayerChoice all = c;
      all.filters = k.out_c;
      all.buffering = Buffering::twice;
      all.tile = grow(pixels, [&](int n) {
        all.tile = n;
        return fits(context, all);
      });
      if (all.tile > 0) return choice = all, true;
    }
    c.tile = pixels;
    if (accept(c)) return true;
    c.buffering = Buffering::twice;
    c.tile = grow(pixels, [&](int n) {
      c.tile = n;
      return fits(context, c);
    });
    if (c.tile > 0 && accept(c)) return true;
  }
  LayerChoice rows = choice;
  rows.scheme = Scheme::interleaved;
  rows.tile = 1;
  rows.buffering = Buffering::twice;  // the row that is read while the others are processed
  if (accept(rows)) return true;
  LayerChoice planes = choice;
  planes.scheme = Scheme::planar;
  planes.channels = 1;
  if (!filtered) planes.filters = std::max(1, k.multiplier);
  planes.buffering = Buffering::twice;
  planes.tile = grow(k.out_h, [&](int n) {
    planes.tile = n;
    return fits(context, planes);
  });
  return planes.tile > 0 && accept(planes);
}

/// Cycles of arithmetic of a layer's calls; as many as if all tiles were full ones.
std::int64_t cycles_of(const LayerContext& context, const LayerChoice& choice, const hw::ComputeTiming& timing) {
  const auto g = layer_geometry(context, choice);
  const auto& engine = context.device->engines[choice.engine_of(context)];
  std::int64_t sum = 0;
  if (g.whole) {
    for (const auto& call : context.network->operators[context.op].calls) {
      const auto kernel = computed(call.op, choice, engine);
      sum += timing.library().cycles(program::call_on(kernel, call.tile));
    }
    return sum;
  }
  auto work = program::whole_call(g.op);
  work.tile.y.hi = g.tile, work.tile.c.hi = g.filters;
  if (g.steps > 1) work.tile.k.hi = g.channels;
  return timing.library().cycles(work) * g.tiles * g.sets * g.steps;
}

/// The choice with the technique that takes the least cycles, of those that fit beside its tiles.
LayerChoice with_best_technique(const LayerContext& context, const LayerChoice& choice) {
  const auto& device = *context.device;
  const auto& engine = device.engines[choice.engine_of(context)];
  const auto techniques = techniques_on(*context.network, context.op, engine);
  if (techniques.size() < 2) return choice;
  const hw::ComputeTiming timing(engine, device.kernel_library);
  LayerChoice best = choice, other = choice;
  for (const int t : techniques) {
    other.technique = t, other.batches = t == choice.technique ? choice.batches : 1;
    if (fits_so(context, other) && cycles_of(context, other, timing) < cycles_of(context, best, timing)) best = other;
  }
  return best;
}

}  // namespace

namespace {

/// Where outputs live is chosen. @returns what is in the way.
std::optional<Infeasible> choose_schemes(const nn::Network& network, const hw::Device& device, bool resident_weights,
                                         bool techniques, std::vector<LayerChoice>& choices) {
  // Two passes: schemes depend on layouts only through pixel blocks, and a tensor is planar exactly when all its
  // readers are.
  for (int pass = 0; pass < 2; ++pass) {
    for (int op : layers_of(network, true)) {
      const auto context = context_of(network, device, choices, op, true);
      LayerChoice c = choices[op];
      if (!choose(context, resident_weights, c)) {
        const auto& engine = device.engines[device.compute_engine()];
        const int near = engine.memories.front();
        const auto& m = device.memories[near];
        const auto why = why_not_timed(engine, network.operators[op]);
        return Infeasible{fmt::format("no scheme fits layer {} into {} ({} bytes free){}{}", network.operators[op].name,
                                      m.name, m.free(), why.empty() ? "" : ", and ", why),
                          "", op, near};
      }
      c.batches = batches_that_fit(context, c);
      choices[op] = c;
    }
    if (pass == 1) break;
    for (int op : layers_of(network, true)) {
      const int output = network.operators[op].outputs[0];
      const auto readers = network.consumers(output);
      const auto image = network.tensors[output].image();
      const bool planar = !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int r) {
        const dse_op& k = network.operators[r].kernel;  // a fully connected layer may read an image as a row
        return k.in_h == image.h && k.in_w == image.w && k.in_c == image.c && !renames(network, network.operators[r]) &&
               !is_whole(network, network.operators[r]) && choices[r].scheme == Scheme::planar;
      });
      choices[op].output_layout =
          planar && choices[op].scheme != Scheme::pixel_block && !is_whole(network, network.operators[op])
              ? TensorLayout::chw
              : TensorLayout::hwc;
    }
  }
  for (int op : techniques ? layers_of(network, true) : std::vector<int>())
    choices[op] = with_best_technique(context_of(network, device, choices, op, true), choices[op]);
  return std::nullopt;
}

/// The largest output in a memory that is full, of those that may live off the chip; -1 = none does.
int largest_that_may_leave(const nn::Network& network, const hw::Device& device,
                           const std::vector<LayerChoice>& choices, int full, int outside) {
  int largest = -1;
  std::int64_t most = 0;
  for (const int op : layers_of(network, true)) {
    const auto homes = output_homes(network, device, op);
    const auto bytes = network.tensors[network.operators[op].outputs[0]].bytes();
    if (choices[op].output_memory != full || bytes <= most) continue;
    if (std::find(homes.begin(), homes.end(), Placement{outside, TensorLayout::hwc}) == homes.end()) continue;
    largest = op, most = bytes;
  }
  return largest;
}

}  // namespace

std::variant<Plan, Infeasible> rule_based_plan(const nn::Network& network, const hw::Device& device,
                                               bool resident_weights, shared::Input input, bool techniques) {
  const auto outside = memories_outside(device);
  std::vector<int> homes(network.operators.size(), device.io);
  std::variant<Plan, Infeasible> plan;
  for (;;) {
    std::vector<LayerChoice> choices(network.operators.size());
    for (std::size_t op = 0; op < choices.size(); ++op)
      choices[op].output_memory = homes[op], choices[op].operands = Operands::tiled;
    if (auto why = choose_schemes(network, device, resident_weights, techniques, choices)) return *why;
    plan = make_plan_in_sets(network, device, choices, {.input = input});
    const auto* bad = std::get_if<Infeasible>(&plan);
    if (!bad || outside.empty() || bad->memory != device.io) break;
    const int op = largest_that_may_leave(network, device, choices, device.io, outside.front());
    if (op < 0) break;
    homes[static_cast<std::size_t>(op)] = outside.front();
  }
  if (auto* p = std::get_if<Plan>(&plan)) p->origin = resident_weights ? "rule-based (resident weights)" : "rule-based";
  return plan;
}

std::variant<Plan, Infeasible> tflm_plan(const nn::Network& network, const hw::Device& device, shared::Input input) {
  const int cpu = device.cpu();
  if (cpu < 0) return Infeasible{"the device has no CPU", ""};
  if (!device.engines[cpu].reaches(device.io))
    return Infeasible{"the CPU does not reach " + device.memories[device.io].name, ""};
  std::vector<LayerChoice> choices(network.operators.size());
  for (auto& c : choices) {
    c.engine = cpu;
    c.output_memory = device.io;
    if (!device.engines[cpu].reaches(device.constants)) c.weights_memory = device.io;
  }
  auto plan = make_plan(network, device, choices, {.alias_reshapes = false, .greedy_offsets = true, .input = input});
  if (auto* p = std::get_if<Plan>(&plan)) p->origin = "TFLM today";
  return plan;
}

}  // namespace dse::plan
