// The loops over filter sets and row tiles. The order of the list is the order of issue: a prefetch precedes the
// compute that hides it.
#include "plan/layer/layer_tasks.h"
#include "plan/layer/schemes/scheme.h"

namespace dse::plan {
namespace {

class SetsAndTiles : private LayerTasks {
 public:
  using LayerTasks::LayerTasks;

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
    if (copies_weights() && stages_now()) stage(Range::whole(g_.op.out_c), {});
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
};

}  // namespace

void emit_in_order(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                   const LayerOffsets& offsets) {
  SetsAndTiles tasks(program, context, geometry, offsets);
  if (geometry.order == Order::rows_outer)
    tasks.rows_outer();
  else
    tasks.filters_outer();
}

}  // namespace dse::plan
