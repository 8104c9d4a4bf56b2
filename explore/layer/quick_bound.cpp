#include "explore/layer/quick_bound.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/units.h"
#include "models/hw/clocking.h"
#include "models/hw/ports/arbiter.h"
#include "plan/layer/nest/loops.h"

namespace dse::explore {
namespace {

using plan::LayerGeometry;

/// Ticks of each queue.
class PerQueue {
 public:
  std::int64_t& operator[](int queue) { return ticks_[static_cast<std::size_t>(queue)]; }
  std::int64_t of(int queue) const { return ticks_[static_cast<std::size_t>(queue)]; }
  /// f(queue, ticks) for those that have any.
  template <class F>
  void each(F&& f) const {
    for (int q = 0; q < hw::kMaxQueues; ++q)
      if (of(q) > 0) f(q, of(q));
  }

 private:
  std::array<std::int64_t, hw::kMaxQueues> ticks_{};
};

class Bound {
 public:
  /// `uncut`: ticks of arithmetic that all calls take at least, however the layer is cut.
  Bound(const LayerGeometry& g, const hw::DeviceTiming& timing, std::int64_t uncut)
      : g_(g), timing_(timing), device_(timing.device()), uncut_(uncut) {}

  std::int64_t run(const plan::Prefetch& next) {
    if (g_.whole) return ticks_of(next.from, next.to, {1, next.bytes, 1});
    inputs();
    weights();
    output();
    const auto compute = calls();
    const auto& engine = timing_.engine(g_.engine);
    const std::int64_t issue = hw::control_clock(device_).ticks(device_.control.issue);
    std::int64_t head = staged_ + first_weights_;  // before the first call can start
    first_.each([&](int, std::int64_t ticks) { head = std::max(head, ticks); });
    std::int64_t bound = std::max(compute + head + last_store_, count() * issue);
    loads_.each([&](int queue, std::int64_t ticks) {
      if (queue == compute_queue())
        bound = std::max(bound, compute + ticks + stores_.of(queue));
      else  // a call and a store come after the last load
        bound = std::max(bound, ticks + engine.dispatch + last_store_);
    });
    between_.each([&](int queue, std::int64_t ticks) {
      if (queue != compute_queue()) bound = std::max(bound, ticks + compute + last_store_);
    });
    if (g_.nest.filters.depth == 1 && !weights_by_engine_)
      bound = std::max(bound, staged_ + all_weights_ + compute + last_store_);
    stages_.each(
        [&](int queue, std::int64_t ticks) { bound = std::max(bound, ticks + loads_.of(queue) + engine.dispatch); });
    stores_.each([&](int queue, std::int64_t ticks) {
      bound = std::max(bound, queue == compute_queue() ? compute + ticks : ticks + engine.dispatch);
    });
    if (next.bytes == 0) return bound;
    const int behind = queue(next.from, next.to, 0);  // one after the other with what the layer itself copies there
    return std::max(bound, loads_.of(behind) + stages_.of(behind) + ticks_of(next.from, next.to, {1, next.bytes, 1}));
  }

 private:
  std::int64_t count() const { return std::int64_t{g_.tiles} * g_.sets * g_.steps; }
  int compute_queue() const { return plan::queue_of(device_, g_.engine, 0); }

  /// Copies between two memories: how many, how much in all, and in how many contiguous runs at least.
  struct Copies {
    std::int64_t times, bytes, runs;
  };
  /// By the engine that does it, one after the other.
  std::int64_t ticks_of(int from, int to, const Copies& c) const {
    const int engine = device_.copy_engine(from, to);
    const auto& e = timing_.engine(engine);
    const auto& d = device_.engines[engine];
    std::int64_t longest = 0;
    for (const int m : {from, to}) {
      Ratio rate = timing_.rate(m);
      rate.num *= std::max(1, device_.memories[m].ports);
      longest = std::max(longest, c.bytes * rate.den / rate.num - c.times);  // each is rounded down
    }
    if (e.kind != hw::EngineKind::dma)
      return c.times * e.dispatch + std::max(longest, e.clock.ticks(e.compute.copy_cycles(c.bytes)));
    const std::int64_t runs = std::max(c.runs, c.times), latency = timing_.latency(from);
    const std::int64_t bursts = c.bytes / std::max<std::int64_t>(d.burst, 1) - c.times;
    const std::int64_t trips = std::max<std::int64_t>(0, bursts / std::max(d.outstanding, 1) - c.times);
    // A further run costs a descriptor, or stepping to a row of the one before: at least the cheaper of the two.
    const std::int64_t further = e.dma.further_setup();
    const std::int64_t each = d.dimensions <= 1 ? further : std::min<std::int64_t>(further, d.per_row);
    std::int64_t stepping = e.clock.ticks(each * (runs - c.times));
    // What each copy costs by itself is rounded up once with its first descriptor, not twice.
    if (e.clock.tick_hz % e.clock.hz != 0) stepping = std::max<std::int64_t>(0, stepping - 1 - c.times);
    return c.times * (e.clock.ticks(d.setup) + latency) +
           (d.dimensions <= 1 ? stepping + std::max(longest, latency * trips)
                              : std::max(longest, (further < d.per_row ? 0 : stepping) + latency * trips));
  }
  /// Runs in which an image is copied at least, once: what lies side by side in both layouts stays together. `slices`:
  /// of its channels, which are copied apart.
  static std::int64_t runs_of(plan::TensorLayout from, plan::TensorLayout to, std::int64_t rows, std::int64_t width,
                              std::int64_t channels, std::int64_t slices) {
    if (channels == 1 || width == 1) return 0;
    if (from != to) return rows * width * channels;
    return from == plan::TensorLayout::hwc && slices > 1 ? rows * width * slices : 0;
  }
  int queue(int from, int to, int channel) const {
    return plan::queue_of(device_, device_.copy_engine(from, to), channel);
  }
  /// @returns the ticks of all of them.
  std::int64_t load(const plan::Stream& stream, int from, int to, const Copies& all, std::int64_t first_bytes) {
    const int q = queue(from, to, 0);
    const auto ticks = ticks_of(from, to, all);
    loads_[q] += ticks;
    if (stream.depth == 1) between_[q] += ticks;  // each waits for the call before it, and a call for its load
    if (q != compute_queue() && first_bytes > 0) first_[q] += ticks_of(from, to, {1, first_bytes, 1});
    return ticks;
  }

  void inputs() {
    const auto& op = g_.op;
    const int window = (op.kernel_h - 1) * op.dilation_h + 1;
    const int rows = std::clamp((op.out_h - 1) * op.stride_h + window - op.pad_top, 0, op.in_h);
    const bool stepped = g_.steps > 1, bands = plan::loads_bands(g_);
    // Rows between the windows of single bands are left out.
    const std::int64_t swept =
        bands ? std::max<std::int64_t>(0, rows - std::int64_t{op.out_h} * std::max(0, op.stride_h - window)) : rows;
    const bool again =
        g_.sets > 1 && g_.order != plan::Order::rows_outer && (stepped || g_.tiles > 1 || g_.channelwise);
    const std::int64_t times = std::max<std::int64_t>(1, g_.tiles - (bands ? window : op.kernel_h * op.dilation_h)) *
                               (again ? g_.sets : 1) * g_.steps;
    const bool whole_again = again && !g_.channelwise;
    const std::int64_t first_rows = g_.tiles == 1 ? rows : std::clamp(plan::window_rows(g_) - op.pad_top, 0, rows);
    for (int i = 0; i < g_.input_count; ++i) {
      if (g_.inputs[i].in_place) continue;
      const std::int64_t element = plan::input_element(op, i), row = op.in_w * element;
      const std::int64_t first_channels = stepped || (g_.channelwise && g_.sets > 1) ? g_.inputs[i].tile_c : op.in_c;
      const std::int64_t sweeps = whole_again ? g_.sets : 1;
      const std::int64_t slices = stepped ? g_.steps : g_.channelwise ? g_.sets : 1;
      const auto runs = runs_of(g_.inputs[i].home.layout, g_.tile_layout, swept, op.in_w, op.in_c, slices);
      const auto& way = g_.inputs[i].way;
      const int home = g_.inputs[i].home.memory;
      const std::int64_t bytes = swept * row * op.in_c * sweeps;
      if (!way.direct())  // each tile comes to the memory between before it comes from there
        loads_[queue(home, way.through, 0)] += ticks_of(home, way.through, {times, bytes, 0});
      load(g_.nest.input, way.direct() ? home : way.through, g_.near, {times, bytes, runs * sweeps},
           stepped ? 0 : first_rows * row * std::min<std::int64_t>(first_channels, op.in_c));
    }
  }

  void weights() {
    if (g_.form == plan::WeightForm::none || g_.weights_in_place) return;
    if (g_.prefetched && g_.stage_memory < 0) return;  // all of them are there
    const int from = g_.stage_memory >= 0 ? g_.stage_memory : g_.weights_from;
    const std::int64_t all = std::int64_t{g_.record} * g_.op.out_c, set = std::int64_t{g_.record} * g_.filters;
    weights_by_engine_ = queue(from, g_.near, 0) == compute_queue();
    if (g_.stage_memory >= 0 && !g_.prefetched) {
      const auto ticks = ticks_of(g_.weights_from, from, {1, g_.steps > 1 ? g_.weight_bytes : all, 1});
      const int q = queue(g_.weights_from, from, 0);
      const bool by_set = g_.staging == plan::Staging::sets && g_.sets > 1;
      (q == compute_queue() ? loads_ : stages_)[q] += ticks;
      if (!weights_by_engine_ && q != compute_queue())
        staged_ = by_set ? ticks_of(g_.weights_from, from, {1, set, 1}) : ticks;
    }
    if (g_.steps > 1) {
      const std::int64_t taps = std::int64_t{g_.op.kernel_h} * g_.op.kernel_w * dse_type_bytes(g_.op.weight_type);
      const std::int64_t passes = g_.order == plan::Order::channels_outer ? 1 : g_.tiles;
      all_weights_ = load(g_.nest.filters, from, g_.near,
                          {passes * g_.sets * g_.steps, taps * g_.op.out_c * g_.op.in_c * passes,
                           g_.sets > 1 ? passes * g_.sets * g_.op.in_c : 0},
                          0);
      return;
    }
    const std::int64_t passes = g_.order == plan::Order::rows_outer ? g_.tiles : 1;
    all_weights_ = load(g_.nest.filters, from, g_.near, {passes * g_.sets, all * passes, 0}, set);
    if (!weights_by_engine_) first_weights_ = ticks_of(from, g_.near, {1, set, 1});
  }

  void output() {
    if (g_.output_in_place) return;
    const auto& op = g_.op;
    const bool whole_rows = g_.order == plan::Order::rows_outer, whole_sets = g_.order == plan::Order::channels_outer;
    const std::int64_t row = std::int64_t{op.out_w} * dse_type_bytes(op.out_type);
    const auto& way = g_.output_way;
    const int to = way.direct() ? g_.output.memory : way.through;
    const int q = queue(g_.near, to, 1);
    const auto runs =
        runs_of(g_.output.layout, g_.output.layout, op.out_h, op.out_w, op.out_c, whole_rows ? 1 : g_.sets);
    const std::int64_t times = std::int64_t{whole_sets ? 1 : g_.tiles} * (whole_rows ? 1 : g_.sets);
    stores_[q] += ticks_of(g_.near, to, {times, row * op.out_h * op.out_c, runs});
    const std::int64_t rows = whole_sets ? op.out_h : op.out_h - std::int64_t{g_.tile} * (g_.tiles - 1);
    const std::int64_t channels = whole_rows ? op.out_c : op.out_c - std::int64_t{g_.filters} * (g_.sets - 1);
    if (q != compute_queue()) last_store_ = ticks_of(g_.near, to, {1, row * rows * channels, 1});
    if (way.direct()) return;
    const int home = queue(to, g_.output.memory, 1);
    stores_[home] += ticks_of(to, g_.output.memory, {times, row * op.out_h * op.out_c, 0});
    if (home != compute_queue() && q != compute_queue())
      last_store_ += ticks_of(to, g_.output.memory, {1, row * rows * channels, 1});
  }

  /// All calls, one after the other: of each size those that there are, or what no way to cut them goes below. The one
  /// knows what each part leaves over, the other where the image ends.
  std::int64_t calls() const {
    const auto& engine = timing_.engine(g_.engine);
    const auto& op = g_.op;
    struct Size {
      std::int64_t extent, count;
    };
    const auto sizes = [](int all, int each, int pieces) {
      const Size full{each, pieces - 1}, rest{all - std::int64_t{each} * (pieces - 1), 1};
      return std::array<Size, 2>{full, rest};
    };
    std::int64_t ticks = count() * engine.dispatch;
    const auto steps =
        g_.steps > 1 ? sizes(op.in_c, g_.channels, g_.steps) : std::array<Size, 2>{Size{0, 0}, Size{op.in_c, 1}};
    for (const auto& y : sizes(op.out_h, g_.tile, g_.tiles))
      for (const auto& c : sizes(op.out_c, g_.filters, g_.sets))
        for (const auto& k : steps) {
          if (y.count * c.count * k.count == 0) continue;
          auto work = program::whole_call(op);
          const auto range = [](std::int64_t extent) { return dse_span{0, static_cast<std::int32_t>(extent)}; };
          work.tile.y = range(y.extent), work.tile.c = range(c.extent), work.tile.k = range(k.extent);
          if (&k != &steps.back()) work.tile.flags = 0;
          ticks += y.count * c.count * k.count * engine.clock.ticks(engine.compute.library().least_cycles(work));
        }
    return std::max(ticks, count() * engine.dispatch + uncut_);
  }

  const LayerGeometry& g_;
  const hw::DeviceTiming& timing_;
  const hw::Device& device_;
  const std::int64_t uncut_;
  PerQueue loads_, stores_, stages_, first_;
  PerQueue between_;                // of the loads, those that no call hides
  std::int64_t staged_ = 0;         // before the first filters can leave the staging memory
  std::int64_t first_weights_ = 0;  // from there, or from where they are, to the nearest memory
  std::int64_t all_weights_ = 0, last_store_ = 0;
  bool weights_by_engine_ = false;  // the compute engine copies them itself
};

}  // namespace

std::int64_t QuickBounds::uncut(const LayerGeometry& g) {
  const auto known = std::find_if(uncut_.begin(), uncut_.end(), [&](const Uncut& u) {
    return u.engine == g.engine && std::memcmp(&u.op, &g.op, sizeof g.op) == 0;
  });
  if (known != uncut_.end()) return known->ticks;
  const auto& engine = timing_.engine(g.engine);
  const auto cycles = engine.compute.library().least_cycles(program::whole_call(g.op));
  return uncut_.push_back({g.engine, g.op, engine.clock.ticks(cycles)}), uncut_.back().ticks;
}

std::int64_t QuickBounds::of(const LayerGeometry& geometry, const plan::Prefetch& next) {
  if (geometry.whole && next.bytes == 0) return 0;
  return Bound(geometry, timing_, geometry.whole ? 0 : uncut(geometry)).run(next);
}

}  // namespace dse::explore
