// From geometry and offsets to tasks. The order of the list is the order of issue: a prefetch precedes the compute that
// hides it.
#include <algorithm>

#include "plan/layer/layer_views.h"
#include "plan/layer/whole_layer.h"

namespace dse::plan {
namespace {

using program::CallPayload;
using program::CopyPayload;
using program::Dependency;
using program::Range;
using program::View;

// Slots: what later tasks of the section can wait for.
enum Slot : std::uint8_t { kStage, kParams, kWeights, kInput0, kInput1, kCompute, kStore };

class Emitter : private LayerViews {
 public:
  Emitter(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o)
      : LayerViews(g, o), p_(p), device_(*c.device) {}

  void run() {
    p_.operators.push_back(g_.op);
    kernel_ = static_cast<int>(p_.operators.size()) - 1;
    assign_loops();
    if (g_.steps > 1)
      planar_steps();
    else if (g_.order == Order::rows_outer)
      rows_outer();
    else
      filters_outer();
    program::TaskTemplate wait;
    wait.kind = &program::wait_kind();
    wait.payload = std::make_shared<program::WaitPayload>();
    p_.task(std::move(wait));
  }

 private:
  std::uint8_t held() const { return double_() ? 1 : 0; }  // age of "the one before the prefetch that was just issued"

  void assign_loops() {
    int depth = 0;
    auto next = [&](int count) { return count > 1 ? depth++ : -1; };
    if (g_.order == Order::rows_outer) {
      row_loop_ = next(g_.tiles);
      set_loop_ = next(g_.sets);
    } else {
      set_loop_ = next(g_.sets);
      row_loop_ = next(g_.tiles);
    }
    step_loop_ = next(g_.steps);
  }
  void open(int loop, int count) {
    if (loop >= 0) p_.loop(count);
  }
  void close(int loop) {
    if (loop >= 0) p_.end();
  }

  // --- tasks
  // -------------------------------------------------------------------------------------------------------------------
  void copy(const View& from, const View& to, Range y, Range x, Range c, Slot slot, int channel,
            std::vector<Dependency> after) {
    auto payload = std::make_shared<CopyPayload>();
    payload->from = from;
    payload->to = to;
    payload->y = y, payload->x = x, payload->c = c;
    const int engine = device_.copy_engine(from.arena, to.arena);
    ensure(engine >= 0, "no copy engine between two memories of a feasible layer");
    program::TaskTemplate t;
    t.kind = &program::copy_kind();
    t.queue = queue_of(device_, engine, channel);
    t.slot = slot;
    t.dependencies = std::move(after);
    t.payload = std::move(payload);
    p_.task(std::move(t));
  }

  // Rows of the input that output tiles up to and including tile i need: need(i) = first_need_ + (i + 1) * fresh,
  // clamped.
  int fresh() const { return g_.tile * g_.op.stride_h; }
  int first_need() const { return (g_.op.kernel_h - 1) * g_.op.dilation_h + 1 - g_.op.stride_h - g_.op.pad_top; }
  int last_row() const {
    const int need = (g_.op.out_h - 1) * g_.op.stride_h + (g_.op.kernel_h - 1) * g_.op.dilation_h + 1 - g_.op.pad_top;
    return std::clamp(need, 0, g_.op.in_h);
  }
  Range first_rows() const { return {0, std::max(0, first_need() + fresh()), last_row(), 0, -1}; }
  Range next_rows() const {  // those of tile i + 1 that tile i did not need
    return {first_need() + fresh(), first_need() + 2 * fresh(), last_row(), fresh(),
            static_cast<std::int8_t>(row_loop_)};
  }
  Range band_rows() const {  // all rows of the window of tile i
    const int window = (g_.tile - 1) * g_.op.stride_h + (g_.op.kernel_h - 1) * g_.op.dilation_h + 1;
    return {-g_.op.pad_top, -g_.op.pad_top + window, g_.op.in_h, fresh(), static_cast<std::int8_t>(row_loop_)};
  }
  /// Input channels of set f (+ ahead) for channelwise operators; all of them otherwise.
  Range input_channels(int ahead) const {
    if (!g_.channelwise || g_.sets == 1) return Range::whole(g_.op.in_c);
    return Range::tiles(set_loop_, g_.inputs[0].tile_c ? g_.inputs[0].tile_c : channels_per_set(), g_.op.in_c, ahead);
  }
  int channels_per_set() const {
    return g_.filters / (g_.op.kind == DSE_DEPTHWISE_CONV_2D ? std::max(1, g_.op.multiplier) : 1);
  }
  Range first_channels() const {
    if (!g_.channelwise || g_.sets == 1) return Range::whole(g_.op.in_c);
    return {0, channels_per_set(), g_.op.in_c, 0, -1};
  }
  void load_inputs(const Range& rows, const Range& channels, const std::vector<Dependency>& after) {
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place)
        copy(home_of_input(i), input_view(i), rows, Range::whole(g_.op.in_w), channels, i ? kInput1 : kInput0, 0,
             after);
  }
  bool tiled_inputs() const {
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place) return true;
    return false;
  }
  bool copies_weights() const { return g_.form != WeightForm::none && !g_.weights_in_place; }

  // Filter records: V brings them to the staging memory, W from there (or from where they are) to the nearest memory.
  void stage(const Range& rows, std::vector<Dependency> after) {
    const std::int64_t ring = g_.staging == Staging::sets ? ring_records() : g_.op.out_c;
    copy(records(g_.weights_from, o_.weights, g_.op.out_c), records(g_.stage_memory, local("stage"), ring), rows,
         Range::whole(1), Range::whole(static_cast<int>(g_.record)), kStage, 0, std::move(after));
  }
  void load_weights(const Range& rows, std::vector<Dependency> after) {
    View from = records(g_.weights_from, o_.weights, g_.op.out_c);
    if (g_.stage_memory >= 0) {
      from = records(g_.stage_memory, local("stage"), g_.staging == Staging::sets ? ring_records() : g_.op.out_c);
      after.push_back({kStage, 0});
    }
    copy(from, records(g_.near, local("weights"), ring_records()), rows, Range::whole(1),
         Range::whole(static_cast<int>(g_.record)), kWeights, 0, std::move(after));
  }
  Range set_records(int ahead) const { return Range::tiles(set_loop_, g_.filters, g_.op.out_c, ahead); }
  Range first_set() const { return {0, g_.filters, g_.op.out_c, 0, -1}; }
  Range second_set() const { return {g_.filters, 2 * g_.filters, g_.op.out_c, 0, -1}; }
  bool staged_by_set() const { return g_.stage_memory >= 0 && g_.staging == Staging::sets && g_.sets > 1; }

  void first_weights() {
    if (!copies_weights()) return;
    if (g_.stage_memory >= 0) stage(staged_by_set() ? first_set() : Range::whole(g_.op.out_c), {});
    load_weights(first_set(), {});
    if (staged_by_set() && double_()) stage(second_set(), {});
  }
  void next_weights() {  // set f + 1 while set f computes, or after it
    if (!copies_weights() || g_.sets == 1) return;
    if (staged_by_set() && !double_()) stage(set_records(1), {{kWeights, 0}});
    load_weights(set_records(1), {{kCompute, 0}});
    if (staged_by_set() && double_()) stage(set_records(2), {{kWeights, 1}});
  }

  void compute(std::vector<Dependency> after) {
    auto call = std::make_shared<CallPayload>();
    call->op = kernel_;
    call->parameters = &p_.operators[kernel_];
    for (int i = 0; i < g_.input_count; ++i) call->views[i ? DSE_IN1 : DSE_IN0] = input_view(i);
    call->views[DSE_OUT] = output_view();
    weights_of(*call);
    if (g_.steps > 1) {
      call->views[DSE_ACC] = partial_sums();
      call->accumulate = true;
    }
    if (g_.find("scratch")) call->views[DSE_SCRATCH] = flat(g_.near, local("scratch"));
    call->y = Range::tiles(row_loop_, g_.tile, g_.op.out_h);
    call->x = Range::whole(g_.op.out_w);
    call->c = Range::tiles(set_loop_, g_.filters, g_.op.out_c);
    call->k = g_.steps > 1 ? Range::tiles(step_loop_, g_.channels, g_.op.in_c) : Range::whole(g_.op.in_c);
    program::TaskTemplate t;
    t.kind = &program::call_kind();
    t.queue = queue_of(device_, g_.engine, 0);
    t.slot = kCompute;
    t.dependencies = std::move(after);
    t.payload = std::move(call);
    p_.task(std::move(t));
  }
  void weights_of(CallPayload& call) const {
    if (g_.form == WeightForm::none) return;
    if (g_.form == WeightForm::filter_major) {
      View v = g_.weights_in_place ? records(g_.weights_from, o_.weights, g_.op.out_c)
                                   : records(g_.near, local("weights"), ring_records());
      call.views[DSE_QPARAMS] = v;
      const int elem = dse_type_bytes(g_.op.weight_type);
      v.offset += record_head();
      v.shape.elem = v.shape.stride_c = elem;
      v.shape.stride_w = filter_inputs() * elem;
      call.views[DSE_WEIGHTS] = v;
      return;
    }
    View q;
    q.shape.elem = 1, q.shape.stride_c = 1, q.shape.stride_h = record_head();
    if (g_.weights_in_place) {
      q.arena = g_.weights_from, q.offset = o_.weights;
      call.views[DSE_WEIGHTS] =
          planes(g_.weights_from, o_.weights + std::int64_t{record_head()} * g_.op.out_c, g_.op.out_c, 0, 0);
    } else {
      q.arena = g_.near, q.offset = local("qparams");
      q.shape.ring_h = g_.sets > 1 ? g_.filters : 0;
      call.views[DSE_WEIGHTS] = near_planes();
    }
    call.views[DSE_QPARAMS] = q;
  }
  void store(const Range& channels) {
    if (g_.output_in_place) return;
    copy(output_view(), home_of_output(), Range::tiles(row_loop_, g_.tile, g_.op.out_h), Range::whole(g_.op.out_w),
         channels, kStore, 1, {{kCompute, 0}});
  }
  /// Compute writes a slot of the output ring that the store before the last (or, single-buffered, the last) must have
  /// emptied.
  bool restarts_on_same_slot() const { return g_.sets > 1 && g_.tiles > 1 && g_.tiles % 2 == 1 && double_(); }
  Dependency output_free(bool by_load) const {
    return {kStore, static_cast<std::uint8_t>(double_() && (by_load || !restarts_on_same_slot()) ? 1 : 0)};
  }

  // --- loop nests
  // --------------------------------------------------------------------------------------------------------------
  void filters_outer() {
    const bool sliced = g_.channelwise && g_.sets > 1;
    const bool load_ahead_by_set = sliced && g_.tiles == 1;  // the next set's channels while this one's compute
    const bool load_per_set = g_.tiles > 1;
    if (!load_per_set) load_inputs(first_rows(), first_channels(), {});
    first_weights();
    open(set_loop_, g_.sets);
    if (load_per_set) {
      std::vector<Dependency> after = {{kCompute, 0}};
      if (restarts_on_same_slot()) after.push_back({kStore, 0});
      load_inputs(first_rows(), input_channels(0), after);
    }
    if (load_ahead_by_set && double_()) load_inputs(first_rows(), input_channels(1), {{kCompute, 0}});
    if (double_()) next_weights();
    open(row_loop_, g_.tiles);
    if (g_.tiles > 1 && double_()) load_inputs(next_rows(), input_channels(0), {{kCompute, 0}});
    std::vector<Dependency> after;
    const bool prefetched = g_.tiles > 1 || load_ahead_by_set;
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place)
        after.push_back({static_cast<std::uint8_t>(i ? kInput1 : kInput0), prefetched ? held() : std::uint8_t{0}});
    if (copies_weights()) after.push_back({kWeights, g_.sets > 1 ? held() : std::uint8_t{0}});
    if (!g_.output_in_place && (g_.tiles > 1 || g_.sets > 1))
      after.push_back(output_free(load_per_set && tiled_inputs()));
    compute(std::move(after));
    store(Range::tiles(set_loop_, g_.filters, g_.op.out_c));
    if (g_.tiles > 1 && !double_()) load_inputs(next_rows(), input_channels(0), {{kCompute, 0}});
    close(row_loop_);
    if (load_ahead_by_set && !double_()) load_inputs(first_rows(), input_channels(1), {{kCompute, 0}});
    if (!double_()) next_weights();
    close(set_loop_);
  }

  void rows_outer() {
    load_inputs(first_rows(), Range::whole(g_.op.in_c), {});
    if (copies_weights() && g_.stage_memory >= 0) stage(Range::whole(g_.op.out_c), {});
    open(row_loop_, g_.tiles);
    if (double_()) load_inputs(next_rows(), Range::whole(g_.op.in_c), {{kCompute, 0}});
    if (copies_weights()) load_weights(first_set(), {{kCompute, 0}});
    open(set_loop_, g_.sets);
    if (copies_weights() && double_()) load_weights(set_records(1), {{kCompute, 0}});
    std::vector<Dependency> after;
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place) after.push_back({static_cast<std::uint8_t>(i ? kInput1 : kInput0), held()});
    if (copies_weights()) after.push_back({kWeights, held()});
    if (!g_.output_in_place) after.push_back({kStore, held()});
    compute(std::move(after));
    if (copies_weights() && !double_()) load_weights(set_records(1), {{kCompute, 0}});
    close(set_loop_);
    store(Range::whole(g_.op.out_c));
    if (!double_()) load_inputs(next_rows(), Range::whole(g_.op.in_c), {{kCompute, 0}});
    close(row_loop_);
  }

  /// Planar convolution: partial sums over input channels stay in the nearest memory until the last step.
  void planar_steps() {
    const bool copies = copies_weights();
    const View far_planes = planes(g_.stage_memory >= 0 ? g_.stage_memory : g_.weights_from,
                                   (g_.stage_memory >= 0 ? (g_.find("stage") ? local("stage") : 0) : o_.weights) +
                                       std::int64_t{record_head()} * g_.op.out_c,
                                   g_.op.out_c, 0, 0);
    if (copies && g_.stage_memory >= 0) stage_all();
    open(set_loop_, g_.sets);
    if (copies) load_params();
    open(row_loop_, g_.tiles);
    auto load = [&](int ahead, bool first) {
      const Range k =
          first ? Range{0, g_.channels, g_.op.in_c, 0, -1} : Range::tiles(step_loop_, g_.channels, g_.op.in_c, ahead);
      std::vector<Dependency> after = {{kCompute, 0}};
      if (first && restarts_on_same_slot()) after.push_back({kStore, 0});
      load_inputs(band_rows(), k, after);
      if (!copies) return;
      if (g_.stage_memory >= 0) after.push_back({kStage, 0});
      copy(far_planes, near_planes(), Range::tiles(set_loop_, g_.filters, g_.op.out_c), Range::whole(taps()), k,
           kWeights, 0, after);
    };
    load(0, true);
    open(step_loop_, g_.steps);
    if (double_()) load(1, false);
    std::vector<Dependency> after;
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place) after.push_back({static_cast<std::uint8_t>(i ? kInput1 : kInput0), held()});
    if (copies) after.push_back({kWeights, held()}), after.push_back({kParams, 0});
    if (!g_.output_in_place && (g_.tiles > 1 || g_.sets > 1)) after.push_back(output_free(tiled_inputs() || copies));
    compute(std::move(after));
    if (!double_()) load(1, false);
    close(step_loop_);
    store(Range::tiles(set_loop_, g_.filters, g_.op.out_c));
    close(row_loop_);
    close(set_loop_);
  }
  void stage_all() {
    copy(flat(g_.weights_from, o_.weights), flat(g_.stage_memory, local("stage")), Range::whole(1), Range::whole(1),
         Range::whole(static_cast<int>(g_.weight_bytes)), kStage, 0, {});
  }
  void load_params() {
    View from = flat(g_.stage_memory >= 0 ? g_.stage_memory : g_.weights_from,
                     g_.stage_memory >= 0 ? local("stage") : o_.weights);
    View to = flat(g_.near, local("qparams"));
    from.shape.stride_h = to.shape.stride_h = record_head();
    to.shape.ring_h = g_.sets > 1 ? g_.filters : 0;
    std::vector<Dependency> after = {{kCompute, 0}};
    if (g_.stage_memory >= 0) after.push_back({kStage, 0});
    copy(from, to, Range::tiles(set_loop_, g_.filters, g_.op.out_c), Range::whole(1), Range::whole(record_head()),
         kParams, 0, std::move(after));
  }

  int record_head() const { return dse_record_bytes(&g_.op); }

  program::Program& p_;
  const hw::Device& device_;
  int kernel_ = 0, set_loop_ = -1, row_loop_ = -1, step_loop_ = -1;
};

}  // namespace

void emit_layer(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                const LayerOffsets& offsets) {
  ensure(geometry.feasible, "emit_layer needs a feasible geometry");
  if (geometry.whole)
    emit_whole(program, context, geometry, offsets);
  else
    Emitter(program, context, geometry, offsets).run();
}

}  // namespace dse::plan
