#include "plan/rules/cluster_plan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/units.h"
#include "models/hw/libraries/loops/ne16.h"
#include "models/hw/libraries/loops/pulp_nn.h"
#include "plan/layer/whole/pieces.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/rules/stage_in_sets.h"
#include "program/work.h"

namespace dse::plan {
namespace {

/// Instructions per count, in the order of hw::PulpCount, as the sources have them; of a call: loops over tiles,
/// addresses, descriptors and a barrier.
constexpr std::array<std::int64_t, hw::kPulpCounts> kInstructions = {14, 1, 3, 25, 60, 12, 11, 4, 26, 4, 20};
constexpr std::int64_t kCall = 1000;
/// Cycles per hw::Ne16Count of the model that counts them.
constexpr std::array<std::int64_t, hw::kNe16Counts> kCycles = {0, 6, 10, 1, 6, 1, 6, 1, 2, 9, 1, 0, 8, 1, 4, 1};

template <std::size_t N>
std::int64_t priced(const hw::LoopCounts& counts, const std::array<std::int64_t, N>& each) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) sum += counts[k] * each[k];
  return sum;
}

/// Rows and filters in tiles: so many of each size, the last one smaller.
struct Pieces {
  std::array<std::pair<int, int>, 2> of;  // count, size
};
Pieces pieces(int all, int size) { return {{{{all / size, size}, {all % size ? 1 : 0, all % size}}}}; }

/// Bytes of the library's own buffers for a tile (im2col and im2col_dim of DORY's tiler).
std::int64_t library_bytes(const dse_op& op, int cores, int rows) {
  const std::int64_t taps = std::int64_t{op.kernel_h} * op.kernel_w;
  if (op.kind == DSE_CONV_2D && !pointwise(op)) return 2 * cores * taps * op.in_c;
  if (op.kind != DSE_DEPTHWISE_CONV_2D) return 0;
  return std::int64_t{cores} * op.kernel_h * ((rows - 1) * op.stride_h + op.kernel_h + 1);
}

class Tiler {
 public:
  Tiler(const LayerContext& context, LayerChoice choice, Buffers buffers)
      : context_(context),
        op_(context.kernel()),
        engine_(context.device->engines[static_cast<std::size_t>(default_engine(context))]),
        buffers_(buffers),
        best_(std::move(choice)) {}

  /// @returns false if nothing fits.
  bool run() {
    if (is_whole(*context_.network, context_.network->operators[static_cast<std::size_t>(context_.op)]))
      return fits(best_) || in_pieces_that_fit(context_, best_, [&](const LayerChoice& c) { return fits(c); });
    LayerChoice c = best_;
    c.buffering = buffers_ == Buffers::one ? Buffering::once : Buffering::twice;
    c.scheme = Scheme::interleaved;
    if (engine_.partial()) return run_on_accelerator(c);
    int rows = op_.out_h;
    if (op_.kind == DSE_CONV_2D && pointwise(op_) && op_.stride_h == 1 && op_.stride_w == 1 && op_.out_w > 1) {
      c.scheme = Scheme::pixel_block;
      rows *= op_.out_w;
      op_.in_h = op_.out_h = rows, op_.in_w = op_.out_w = 1;
    }
    const bool windows = op_.kind == DSE_CONV_2D && c.scheme == Scheme::interleaved;
    if (windows) {
      c.tile = c.filters = 0, c.buffering = Buffering::once;
      if (fits(c)) return best_ = c, true;
      c.buffering = buffers_ == Buffers::one ? Buffering::once : Buffering::twice;
      // DORY's solver leaves padding out of account but in a tile of all rows, which it finds only if steps of the
      // stride lead to the last row of the input.
      const bool whole = op_.in_h <= op_.kernel_h || (op_.in_h - op_.kernel_h) % op_.stride_h == 0;
      if (!whole) rows = std::min(rows, (op_.in_h - op_.kernel_h) / op_.stride_h + 1);
    }
    const bool sets = op_.kind != DSE_SOFTMAX && op_.kind != DSE_COPY;
    const int least = op_.kind == DSE_DEPTHWISE_CONV_2D ? std::max(1, op_.multiplier) : 1;
    const int lanes = op_.kind == DSE_DEPTHWISE_CONV_2D ? engine_.cores : 4;
    for (const bool small : {false, true}) {  // where nothing else fits, rests have to be
      const int pixels = c.scheme == Scheme::pixel_block && !small ? 2 * engine_.cores : 1;
      for (const int tile : sizes(rows, pixels))
        for (const int filters : sets ? sizes(op_.out_c, small ? least : least * lanes) : std::vector<int>{op_.out_c}) {
          c.tile = tile, c.filters = filters;
          consider(c);
        }
      if (best_cost_ < std::numeric_limits<std::int64_t>::max()) return true;
    }
    return false;
  }
  const LayerChoice& choice() const { return best_; }

 private:
  /// Rows by subtiles and filters by blocks, all of the input's width and channels.
  bool run_on_accelerator(LayerChoice c) {
    const int rows = op_.stride_h == 2 ? 2 : 3, block = op_.kind == DSE_DEPTHWISE_CONV_2D ? 16 : 32;
    for (const bool small : {false, true}) {
      for (const int tile : sizes(op_.out_h, small ? 1 : rows))
        for (const int filters : sizes(op_.out_c, small ? 1 : block)) {
          c.tile = tile, c.filters = filters;
          consider(c);
        }
      if (best_cost_ < std::numeric_limits<std::int64_t>::max()) return true;
    }
    return false;
  }

  /// All, and multiples of `unit` below, largest first.
  static std::vector<int> sizes(int all, int unit) {
    std::vector<int> out = {all};
    for (int n = (all - 1) / unit * unit; n > 0; n -= unit) out.push_back(n);
    return out;
  }

  bool fits(const LayerChoice& choice) const {
    const auto g = layer_geometry(context_, choice);
    if (!g.feasible) return false;
    const auto& near = context_.device->memories[static_cast<std::size_t>(g.near)];
    const auto buffers =
        engine_.partial() ? 0 : library_bytes(op_, engine_.cores, choice.tile ? choice.tile : op_.out_h);
    if (g.local_bytes(g.near, near.alignment) + buffers > near.free()) return false;
    if (buffers_ != Buffers::two_of_all || g.whole) return true;
    auto single = choice;
    single.buffering = Buffering::once;
    return 2 * layer_geometry(context_, single).local_bytes(g.near, near.alignment) + buffers <= near.free();
  }

  /// Instructions of all calls on the slowest core, or cycles of an accelerator; copies that take longer count instead.
  std::int64_t cost(const LayerChoice& c) const {
    std::int64_t sum = 0;
    for (const auto& [sets, filters] : pieces(op_.out_c, c.filters).of)
      for (const auto& [tiles, rows] : pieces(op_.out_h, c.tile).of) {
        if (sets == 0 || tiles == 0) continue;
        auto call = program::whole_call(op_);
        call.tile.y = {0, rows}, call.tile.c = {0, filters};
        const std::int64_t busy = engine_.partial() ? priced(hw::Ne16::counts(call), kCycles)
                                                    : priced(hw::PulpNn::counts(call, engine_.cores), kInstructions);
        const std::int64_t channels = accumulates(op_.kind) ? op_.in_c : filters;
        const std::int64_t bytes = std::int64_t{rows} * op_.stride_h * op_.in_w * channels;
        sum += std::int64_t{sets} * tiles * (kCall + std::max(busy, bytes / copied_per_cycle()));
      }
    return sum;
  }
  std::int64_t copied_per_cycle() const {
    const auto& width = context_.device->memories[static_cast<std::size_t>(context_.device->io)].width;
    return std::max<std::int64_t>(1, width.num / width.den);
  }

  void consider(const LayerChoice& c) {
    const auto here = cost(c);
    if (here >= best_cost_ || !fits(c)) return;
    best_ = c, best_cost_ = here;
  }

  const LayerContext& context_;
  dse_op op_;
  const hw::Engine& engine_;
  const Buffers buffers_;
  LayerChoice best_;
  std::int64_t best_cost_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

std::variant<Plan, Infeasible> cluster_plan(const nn::Network& network, const hw::Device& device, shared::Input input,
                                            Buffers buffers) {
  const int engine = device.compute_engine();
  if (engine < 0 || device.engines[static_cast<std::size_t>(engine)].cycles_per_count.empty())
    return Infeasible{"the device has no engine whose library is counted", ""};
  const int near = device.engines[static_cast<std::size_t>(engine)].memories.front();
  std::vector<LayerChoice> choices(network.operators.size());
  for (auto& c : choices) c.output_memory = device.io, c.operands = Operands::tiled;
  const auto layers = layers_of(network, true);
  for (const int op : layers) {
    const auto context = context_of(network, device, choices, op, true);
    auto& choice = choices[static_cast<std::size_t>(op)];
    Tiler tiler(context, choice, buffers);
    if (!tiler.run())
      return Infeasible{"no tile of layer " + network.operators[static_cast<std::size_t>(op)].name + " fits into " +
                            device.memories[static_cast<std::size_t>(near)].name,
                        "", op, near};
    choice = tiler.choice();
    if (buffers != Buffers::two) continue;
    auto ahead = choice;
    ahead.prefetch = true;
    if (op != layers.front() && layer_geometry(context, ahead).prefetched) choice = ahead;
  }
  auto plan = make_plan_in_sets(network, device, choices, {.input = input});
  const auto* bad = std::get_if<Infeasible>(&plan);
  if (bad && bad->memory == near) {  // what is fetched ahead lies beside the tiles of the layer before
    for (auto& c : choices) c.prefetch = false;
    plan = make_plan_in_sets(network, device, std::move(choices), {.input = input});
  }
  if (auto* p = std::get_if<Plan>(&plan)) p->origin = "cluster, by rule";
  return plan;
}

}  // namespace dse::plan
