#include "explore/layer/quick_bound.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "explore/layer/copies.h"
#include "models/hw/clocking.h"
#include "models/hw/ports/arbiter.h"
#include "plan/layer/nest/loops.h"

namespace dse::explore {
namespace {

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
  Bound(const plan::LayerGeometry& g, const hw::DeviceTiming& timing, std::int64_t uncut)
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
      if (queue == compute_queue()) return;
      // What shares a queue with filters that wait for their stage waits too, unless it comes before the first of them.
      const bool staged = queue == filters_queue_ && !weights_by_engine_;
      const bool behind = staged && (g_.nest.input.loop > 0 || ticks == filters_between_);
      bound = std::max(bound, ticks + (behind ? staged_ : 0) + compute + stores_between(queue));
      if (staged) bound = std::max(bound, filters_between_ + staged_ + compute + stores_between(queue));
    });
    if (g_.nest.output.depth == 1) bound = std::max(bound, compute + stores_between(store_queue_));
    loads_.each([&](int queue, std::int64_t ticks) { bound = std::max(bound, ticks + stores_.of(queue)); });
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

  std::int64_t ticks_of(int from, int to, const Copies& copies) const { return least_ticks(timing_, from, to, copies); }
  int queue(int from, int to, int channel) const {
    return plan::queue_of(device_, device_.copy_engine(from, to), channel);
  }
  int turns(plan::Loop loop) const {
    return loop == plan::Loop::sets ? g_.sets : loop == plan::Loop::rows ? g_.tiles : g_.steps;
  }
  /// How often the loop of a stream begins.
  std::int64_t beginnings(const plan::Stream& stream) const {
    std::int64_t times = 1;
    for (int l = 0; l < stream.loop; ++l) times *= turns(g_.nest.loops[static_cast<std::size_t>(l)]);
    return times;
  }
  bool turns_with(const plan::Stream& stream, plan::Loop loop) const {
    return stream.varies() && g_.nest.loops[static_cast<std::size_t>(stream.loop)] == loop;
  }
  /// `begun`: of them, what comes as the loop of the stream begins. That waits for the call before, and the next call
  /// for it: of streams with one buffer, all that comes. @returns the ticks of what does so.
  std::int64_t load(const plan::Stream& stream, int from, const Copies& all, const Copies& begun,
                    std::int64_t first_bytes) {
    const int q = queue(from, g_.near, 0);
    const auto ticks = ticks_of(from, g_.near, all);
    loads_[q] += ticks;
    if (q != compute_queue() && first_bytes > 0) first_[q] += ticks_of(from, g_.near, {1, first_bytes, 1});
    const auto waited = stream.depth == 1 ? ticks : begun.times > 0 ? ticks_of(from, g_.near, begun) : 0;
    between_[q] += waited;
    return waited;
  }
  /// Ticks of those stores that no call hides: the last one; all of them where each is followed, in the same queue, by
  /// a load that the next call waits for, or has to leave the only buffer.
  std::int64_t stores_between(int queue) const {
    if (queue != store_queue_ || store_queue_ == compute_queue()) return last_store_;
    const bool all = g_.nest.output.varies() &&
                     (g_.nest.output.depth == 1 || (filters_at_ > g_.nest.output.loop && filters_queue_ == queue));
    return all ? std::max(last_store_, near_stores_) : last_store_;
  }

  void inputs() {
    const auto& op = g_.op;
    const int window = (op.kernel_h - 1) * op.dilation_h + 1;
    const int rows = std::clamp((op.out_h - 1) * op.stride_h + window - op.pad_top, 0, op.in_h);
    const bool stepped = g_.steps > 1, bands = plan::loads_bands(g_);
    const auto loaded = bands ? all_bands() : Bands{};
    const std::int64_t swept = bands ? loaded.rows : rows;
    const std::int64_t parts = bands ? loaded.parts : std::max<std::int64_t>(1, g_.tiles - op.kernel_h * op.dilation_h);
    const bool again =
        g_.sets > 1 && g_.order != plan::Order::rows_outer && (stepped || g_.tiles > 1 || g_.channelwise);
    const std::int64_t times = (bands ? loaded.count : parts) * (again ? g_.sets : 1) * g_.steps;
    const bool whole_again = again && !g_.channelwise;
    const std::int64_t first_rows = g_.tiles == 1 ? rows : std::clamp(plan::window_rows(g_) - op.pad_top, 0, rows);
    for (int i = 0; i < g_.input_count; ++i) {
      if (g_.inputs[i].in_place) continue;
      const std::int64_t element = plan::input_element(op, i), row = op.in_w * element;
      const std::int64_t first_channels = stepped || (g_.channelwise && g_.sets > 1) ? g_.inputs[i].tile_c : op.in_c;
      const std::int64_t sweeps = whole_again ? g_.sets : 1;
      const std::int64_t slices = stepped ? g_.steps : g_.channelwise ? g_.sets : 1;
      const auto runs = least_runs(g_.inputs[i].home.layout, g_.tile_layout, swept, op.in_w, op.in_c, slices,
                                   g_.inputs[i].way.direct() ? parts : 1);
      const auto& way = g_.inputs[i].way;
      const int home = g_.inputs[i].home.memory;
      const std::int64_t bytes = swept * row * op.in_c * sweeps;
      if (!way.direct())  // each tile comes to the memory between before it comes from there
        loads_[queue(home, way.through, 0)] += ticks_of(home, way.through, {times, bytes, 0});
      const int from = way.direct() ? home : way.through;
      load(g_.nest.input, from, {times, bytes, runs * sweeps}, begun_inputs(first_rows, row, i),
           stepped ? 0 : first_rows * row * std::min<std::int64_t>(first_channels, op.in_c));
    }
  }

  /// The windows of all tiles: those that are not empty, their rows, and how many are parts of an image.
  struct Bands {
    std::int64_t count = 0, rows = 0, parts = 0;
  };
  Bands all_bands() const {
    Bands out;
    for (int t = 0; t < g_.tiles; ++t) {
      const auto top = std::int64_t{t} * plan::fresh_rows(g_) - g_.op.pad_top;
      const auto band =
          std::min<std::int64_t>(top + plan::window_rows(g_), g_.op.in_h) - std::max<std::int64_t>(top, 0);
      if (band > 0) ++out.count, out.rows += band, out.parts += band < g_.op.in_h;
    }
    return out;
  }
  /// Of an input, all that comes as its loop begins.
  Copies begun_inputs(std::int64_t first_rows, std::int64_t row, int input) const {
    const std::int64_t begins = beginnings(g_.nest.input), channels = std::min(g_.inputs[input].tile_c, g_.op.in_c);
    if (plan::loads_bands(g_)) {  // of each tile, with the channels of the first step
      const auto bands = all_bands();
      const std::int64_t each = begins / g_.tiles;
      return {bands.count * each, bands.rows * row * channels * each, 0};
    }
    if (first_rows == 0) return {0, 0, 0};
    if (!turns_with(g_.nest.input, plan::Loop::rows)) return {begins, first_rows * row * channels * begins, 0};
    const std::int64_t all = g_.channelwise ? 1 : g_.steps > 1 ? g_.sets : begins;
    return {begins, first_rows * row * g_.op.in_c * all, 0};
  }

  void weights() {
    if (g_.form == plan::WeightForm::none || g_.weights_in_place) return;
    if (g_.prefetched && g_.stage_memory < 0) return;  // all of them are there
    const int from = g_.stage_memory >= 0 ? g_.stage_memory : g_.weights_from;
    const std::int64_t all = std::int64_t{g_.record} * g_.op.out_c, set = std::int64_t{g_.record} * g_.filters;
    filters_queue_ = queue(from, g_.near, 0), weights_by_engine_ = filters_queue_ == compute_queue();
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
      const std::int64_t heads = std::int64_t{dse_record_bytes(&g_.op)} * g_.op.out_c;
      const std::int64_t begins = beginnings(g_.nest.filters);
      const bool by_set = turns_with(g_.nest.filters, plan::Loop::sets);  // else by step
      const Copies parameters{g_.nest.parameters >= 0 ? g_.sets : 1, heads, 0};
      const auto apart = ticks_of(from, g_.near, parameters);
      loads_[filters_queue_] += apart, between_[filters_queue_] += apart;
      filters_at_ = std::max(g_.nest.parameters, g_.nest.filters.loop - (g_.nest.filters.depth > 1)) + 1;
      filters_between_ = apart + load(g_.nest.filters, from,
                                      {passes * g_.sets * g_.steps, taps * g_.op.out_c * g_.op.in_c * passes,
                                       g_.sets > 1 ? passes * g_.sets * g_.op.in_c : 0},
                                      {begins,
                                       by_set ? taps * g_.filters * g_.op.in_c * (begins / g_.steps)
                                              : taps * g_.op.out_c * g_.channels * (begins / g_.sets),
                                       0},
                                      0);
      return;
    }
    const std::int64_t passes = g_.order == plan::Order::rows_outer ? g_.tiles : 1;
    filters_at_ = g_.nest.filters.varies() ? g_.nest.filters.loop + (g_.nest.filters.depth == 1) : -1;
    const std::int64_t begins = beginnings(g_.nest.filters);
    filters_between_ = load(g_.nest.filters, from, {passes * g_.sets, all * passes, 0}, {begins, set * begins, 0}, set);
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
    const auto runs = least_runs(g_.output.layout, g_.output.layout, op.out_h, op.out_w, op.out_c,
                                 whole_rows ? 1 : g_.sets, way.direct() && !whole_sets ? g_.tiles : 1);
    const std::int64_t times = std::int64_t{whole_sets ? 1 : g_.tiles} * (whole_rows ? 1 : g_.sets);
    near_stores_ = ticks_of(g_.near, to, {times, row * op.out_h * op.out_c, runs});
    stores_[q] += near_stores_, store_queue_ = q;
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

  const plan::LayerGeometry& g_;
  const hw::DeviceTiming& timing_;
  const hw::Device& device_;
  const std::int64_t uncut_;
  PerQueue loads_, stores_, stages_, first_;
  PerQueue between_;  // of the loads, those that no call hides
  int store_queue_ = -1;
  std::int64_t near_stores_ = 0;  // from the nearest memory, all of them
  int filters_queue_ = -1,
      filters_at_ = -1;             // a load of theirs follows stores at the end of a turn of any loop further out
  std::int64_t staged_ = 0;         // before the first filters can leave the staging memory
  std::int64_t first_weights_ = 0;  // from there, or from where they are, to the nearest memory
  std::int64_t filters_between_ = 0, last_store_ = 0;
  bool weights_by_engine_ = false;  // the compute engine copies them itself
};

}  // namespace

std::int64_t QuickBounds::uncut(const plan::LayerGeometry& g) {
  const auto known = std::find_if(uncut_.begin(), uncut_.end(), [&](const Uncut& u) {
    return u.engine == g.engine && std::memcmp(&u.op, &g.op, sizeof g.op) == 0;
  });
  if (known != uncut_.end()) return known->ticks;
  const auto& engine = timing_.engine(g.engine);
  const auto cycles = engine.compute.library().least_cycles(program::whole_call(g.op));
  return uncut_.push_back({g.engine, g.op, engine.clock.ticks(cycles)}), uncut_.back().ticks;
}

std::int64_t QuickBounds::of(const plan::LayerGeometry& geometry, const plan::Prefetch& next) {
  if (geometry.whole && next.bytes == 0) return 0;
  return Bound(geometry, timing_, geometry.whole ? 0 : uncut(geometry)).run(next);
}

}  // namespace dse::explore
