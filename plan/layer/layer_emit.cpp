// From geometry and offsets to tasks. The order of the list is the order of issue: a prefetch precedes the compute that
// hides it.
#include "plan/layer/layer_tasks.h"
#include "plan/layer/whole_layer.h"

namespace dse::plan {
namespace {

class Emitter : private LayerTasks {
 public:
  using LayerTasks::LayerTasks;

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
